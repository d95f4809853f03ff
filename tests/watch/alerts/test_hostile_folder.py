"""Alerts from a folder that someone else filled: its words act on no channel, and its state sends nothing."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
import requests

from probatio.core.trust import allow_now
from probatio.runs.store.layout import ALERTS, ANSWERS, LEDGER
from probatio.watch.alerts.channels import Channel
from probatio.watch.alerts.delivery import alert
from probatio.watch.alerts.episodes import AlertRule
from probatio.watch.ledger.ledger import record_day
from watch.alerts.hooks import Hook
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_day, write_days

LINK = "https://watch.example/"
HOSTILE = [
    "@everyone @here @channel @all",
    "<!channel> <!here> <@U123> <#C42> <@&99> <https://evil.example|your bank>",
    "[your bank](https://evil.example) ![x](http://evil.example/a.png) [a]: http://evil.example",
    "https://evil.example/a HTTP://evil.example www.evil.example evil.example/login hxxp evil.co.uk",
    "` `` ``` ```` @everyone ```\\",
    "`</code></pre><script>alert(1)</script><a href='//evil.example'>x</a><img src=x onerror=alert(1)>",
    "&lt;!channel&gt; &#60;!here&#62; &commat;everyone",
    "**bold** ~~gone~~ ||spoiler|| # heading\n# heading\n> quote\n- list\n@everyone",
    "javascript:alert(1) tel:+491234 mailto:a@evil.example data:text/html,x JavaScript:alert(1) sms:+1",
    "\u202eenoyreve@\u202c \u200b@\u200beveryone \x1b[2J\x07 \r\n@everyone \x00",
    "@everyone " * 2_000,
]
CHANNELS = {
    "json": "json://127.0.0.1:{port}/",
    "mattermost": "mmost://127.0.0.1:{port}/3ccdd113474722377935511fc85d3dd4",
    "rocket.chat": "rocket://webhook:a/b@127.0.0.1:{port}/#general",
    "discord": "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    "discord markdown": "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js?format=markdown",
    "slack": "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general",
    "slack markdown": "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general?format=markdown",
    "telegram": "tgram://123456789:abcdefg_hijklmnop-qrstuvwxyz0123456/12315544/",
    "ntfy": "ntfy://127.0.0.1:{port}/topic",
    "google chat": "gchat://workspace/key1234/token1234",
}
ACTS = re.compile(
    r"[@<\[\]|~*#\x00-\x08\x0b-\x1f\u200b\u202a-\u202e]|://|www\.|javascript:|mailto:|tel:|sms:|data:|\.[a-z]{2}",
    re.IGNORECASE,
)


APPRISES = re.compile(r"\A# |\A\*|\*$|</?b>|&#?\w+;|\\(?=[^\w\s])", re.MULTILINE)
"""What Apprise itself adds to a text: a heading of Markdown, bold HTML, entities, escapes."""


def fallen(results: Path, model: str, use_case: str, answer: str) -> None:
    """Eight good days and one on which the model fell, with its answers, all in the ledger."""
    names = [use_case, "v"]
    write_days(results, steady(8, [model], names))
    record_day(results, day_at(7), CONSTANTS, "now")
    day = made_up_day(8, {model: dict.fromkeys(names, 30.0)})
    write_day(results, day)
    line = {"model": model, "case": f"{use_case}_0", "use_case": use_case, "response": answer}
    for date in (day_at(7), day_at(8)):
        (results / "daily" / date / ANSWERS).write_bytes(msgspec.json.encode(line) + b"\n")
    record_day(results, day.date, CONSTANTS, "now")


def sent_to(results: Path, url: str) -> list[str]:
    sentences: list[str] = []
    rule = AlertRule(severities=("suspicious",))
    channel = Channel("team", url, rule, LINK)
    allow_now([channel.request])
    alert(results, [channel], {}, sentences.append, pauses=())
    return sentences


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A real server; requests that Apprise makes to other hosts go there, too."""
    with Hook() as hook:
        send = requests.adapters.HTTPAdapter.send

        def here(self: Any, request: Any, *more: Any, **named: Any) -> Any:
            request.url = re.sub(r"^https?://[^/]+", f"http://127.0.0.1:{hook.port}", request.url)
            return send(self, request, *more, **named)

        monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", here)
        yield hook


def texts(value: object) -> list[str]:
    """Every text of a message that its service shows."""
    if isinstance(value, dict):
        return [
            text
            for key, each in value.items()
            if key not in ("avatar", "avatar_url", "footer_icon", "icon_url", "channel", "color", "url")
            for text in texts(each)
        ]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def strip_ours(text: str) -> str:
    """Without our own link and the quotation marks of answers, which must come in pairs on their line."""
    lines = []
    for line in re.sub(rf"{re.escape(LINK)}\S*", "", text).splitlines():
        assert line.count("`") in (0, 2), line
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("service", CHANNELS)
def test_words_of_a_folder_act_in_no_channel(tmp_path: Path, hook: Hook, service: str) -> None:
    together = [" ".join(HOSTILE[:3])]  # one by one in one channel: the words are the same in all
    for number, evil in enumerate(HOSTILE if service == "json" else together):
        results = tmp_path / str(number)
        fallen(results, evil, evil, evil)
        sent_to(results, CHANNELS[service].format(port=hook.port))
        assert len(hook.on_message) == number + 1
        shown = [strip_ours(APPRISES.sub("", text)) for text in texts(hook.on_message[-1])]
        assert any("COOKED" in text for text in shown)
        for text in shown:
            assert not (found := ACTS.search(text)), (evil, found, text[:2000])


def test_an_answer_is_quoted_as_code_on_one_line(tmp_path: Path, hook: Hook) -> None:
    fallen(tmp_path, "a", "u", "one\ntwo `x` \\")
    sent_to(tmp_path, CHANNELS["json"].format(port=hook.port))
    assert "\n    now: `one two 'x' \\ `\n" in hook.on_message[0]["message"]


def test_names_that_are_no_links_stay_as_they_are(tmp_path: Path, hook: Hook) -> None:
    fallen(tmp_path, "qwen2.5-coder:0.5b", "u", "x = a[0]")
    sent_to(tmp_path, CHANNELS["json"].format(port=hook.port))
    assert hook.titles == ["qwen2.5-coder:0.5b: COOKED"]


def forge(results: Path, channel: object) -> None:
    (results / "daily" / ALERTS).write_text(json.dumps({"channels": {"team": channel}}))


def well(results: Path, *scores: float) -> None:
    """Eight good days of the model a, and one for each score, all in the ledger."""
    write_days(results, steady(8, ["a"], ["u", "v"]))
    record_day(results, day_at(7), CONSTANTS, "now")
    for number, score in enumerate(scores, 8):
        day = made_up_day(number, {"a": dict.fromkeys("uv", score)})
        write_day(results, day)
        record_day(results, day.date, CONSTANTS, "now")


LURE = {
    "date": day_at(7),
    "model": "a",
    "title": "Your account",
    "body": "@everyone https://evil.example",
    "tone": "failure",
}


@pytest.mark.parametrize("day", [day_at(7), "", "9999-01-01", "nonsense"])
def test_a_pending_message_of_the_file_is_never_sent(tmp_path: Path, hook: Hook, day: str) -> None:
    well(tmp_path)
    forge(tmp_path, {"day": day, "standings": {}, "pending": [LURE] * 5})
    assert sent_to(tmp_path, CHANNELS["json"].format(port=hook.port)) == []
    assert hook.asked == 0
    assert "evil" not in (tmp_path / "daily" / ALERTS).read_text()


@pytest.mark.parametrize(
    "told",
    [
        {
            "day": day_at(7),
            "since": day_at(2),
            "told": "CONFIRMED",
            "last": "CONFIRMED",
            "last_on": day_at(6),
        },
        {"day": day_at(7), "since": "https://evil.example", "told": "COOKED", "last_on": day_at(6)},
        {"day": day_at(7), "since": day_at(2), "told": "COOKED"},
        {"day": day_at(7), "since": day_at(2), "told": "@everyone", "last_on": day_at(6)},
    ],
)
def test_a_forged_alarm_has_no_end_to_tell(tmp_path: Path, hook: Hook, told: dict[str, Any]) -> None:
    well(tmp_path)
    forge(tmp_path, {"day": day_at(7), "standings": {"a": {"headline": told}}})
    assert sent_to(tmp_path, CHANNELS["json"].format(port=hook.port)) == []
    assert hook.asked == 0


SILENCING = [
    {"day": "9999-12-31"},
    {"day": "nonsense"},
    {"day": day_at(7), "days": {"COOKED": -(10**9)}, "before": {"COOKED": -(10**9)}},
    {"day": day_at(7), "since": day_at(1), "told": "CONFIRMED", "last_on": day_at(7)},
    {"day": day_at(7), "since": day_at(1), "told": "CONFIRMED", "last_on": "9999-12-31"},
    {"day": day_at(7), "since": day_at(1), "told": "nonsense", "last_on": day_at(7)},
    {"day": day_at(7), "last": "nonsense", "last_on": "nonsense"},
]


@pytest.mark.slow
def test_no_forged_state_keeps_an_alarm_back(tmp_path: Path, hook: Hook) -> None:
    well(tmp_path, 30.0)
    forged = product(SILENCING, ("headline", "rule", "evidence"), (day_at(7), day_at(8), "9999-12-31", "x"))
    for number, (state, layer, day) in enumerate(forged, 1):
        forge(tmp_path, {"day": day, "standings": {"a": {layer: state}}})
        sent_to(tmp_path, CHANNELS["json"].format(port=hook.port))
        assert hook.titles == ["a: COOKED"] * number, (state, layer, day)


def test_what_was_truly_sent_is_not_sent_again(tmp_path: Path, hook: Hook) -> None:
    """The check above must not forget real alarms, also of a day that was recorded again."""
    well(tmp_path, 30.0)
    url = CHANNELS["json"].format(port=hook.port)
    sent_to(tmp_path, url)
    assert sent_to(tmp_path, url) == []
    day = made_up_day(8, {"a": dict.fromkeys("uv", 90.0)})
    write_day(tmp_path, day)
    record_day(tmp_path, day.date, CONSTANTS, "later")
    sent_to(tmp_path, url)
    assert hook.titles == ["a: COOKED", f"a: OK again, COOKED since {day_at(8)}"]


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"date": "nonsense", "verdicts": []}', b"\xff\xfe"])
def test_a_broken_line_of_the_ledger_is_a_sentence(tmp_path: Path, hook: Hook, line: bytes) -> None:
    from probatio.core.errors import UsageError

    well(tmp_path)
    with (tmp_path / "daily" / LEDGER).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(UsageError, match="line 2"):
        sent_to(tmp_path, CHANNELS["json"].format(port=hook.port))
