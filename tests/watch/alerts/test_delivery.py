"""Alerts over real sockets: what goes out, what is kept when it does not, and that neither stops a day."""

from __future__ import annotations

import json
import logging
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import PROCESS, Done, probatio
from double import Double
from probatio.core.config import load_config
from probatio.core.errors import UsageError
from probatio.core.redact import forget_all, know
from probatio.core.trust import allow_now
from probatio.runs.store.layout import ALERTS, LEDGER
from probatio.watch.alerts.channels import Channel, read_channels
from probatio.watch.alerts.delivery import alert, alert_after_day
from probatio.watch.alerts.episodes import AlertMessage, AlertRule
from probatio.watch.alerts.sending import SlowSend, mask_address, send
from probatio.watch.ledger.ledger import record_day
from watch.alerts.hooks import Hook, closed_port
from watch.day.days import EXTRACTION, MODEL, argv, environment, gold_script, history, small_suite
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_day, write_days

pytestmark = pytest.mark.slow  # days, processes and servers that do not answer

MESSAGE = AlertMessage("2026-03-01", ("m",), "m: COOKED", "2026-03-01: why.", "failure")
SECRET = "hunter2secret"
SLACK = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general"


def recorded(results: Path, *scores: float, start: int = 8) -> None:
    """Eight steady days of the models a and b, then one for each score of a, all in the ledger."""
    if not (results / "daily").exists():
        write_days(results, steady(start, ["a", "b"], ["u", "v"]))
        record_day(results, day_at(start - 1), CONSTANTS, "now")
    for number, score in enumerate(scores, start):
        day = made_up_day(number, {"a": dict.fromkeys("uv", score), "b": dict.fromkeys("uv", 90.0)})
        write_day(results, day)
        record_day(results, day.date, CONSTANTS, "now")


def channel(url: str, name: str = "team", link: str | None = None, **rule: Any) -> Channel:
    """A channel of a file that the user named."""
    made = Channel(name, url, AlertRule(**{"severities": ("suspicious",), **rule}), link)
    allow_now([made.request])
    return made


def alerted(results: Path, *channels: Channel, env: dict[str, str] | None = None) -> list[str]:
    """One pass over the channels with no pauses; gives the sentences."""
    sentences: list[str] = []
    alert(results, channels, env or {}, sentences.append, pauses=())
    return sentences


def state(results: Path) -> dict[str, Any]:
    channels: dict[str, Any] = json.loads((results / "daily" / ALERTS).read_bytes())["channels"]
    return channels


def test_an_episode_is_one_message_and_its_end_another(tmp_path: Path) -> None:
    with Hook() as hook:
        team = channel(hook.url, link="https://x.example/watch/")
        recorded(tmp_path)
        assert alerted(tmp_path, team) == []
        recorded(tmp_path, 30.0)
        assert alerted(tmp_path, team) == ["Alert to team: a: COOKED"]
        for number, score in enumerate((30.0, 90.0, 90.0), 9):
            recorded(tmp_path, score, start=number)
            alerted(tmp_path, team)
        assert hook.titles == ["a: COOKED", f"a: OK again, COOKED since {day_at(8)}"]
        first = hook.on_message[0]
        assert first["type"] == "failure"
        assert first["message"].startswith(
            f"{day_at(8)}: a answers worse since {day_at(8)} in u (30 points, 90 on the days before) and v "
            "(30 points, 90 on the days before).\n"
        )
        assert "\nDetails: COOKED since" in first["message"]
        fall = f"\nhttps://x.example/watch/falls/a-{day_at(8)}/"
        assert [each["message"].endswith(fall) for each in hook.on_message] == [True, True]


def test_the_link_of_a_message_is_the_address_that_the_site_gives_the_fall(tmp_path: Path) -> None:
    from probatio.site.snapshot import load_site

    with Hook() as hook:
        recorded(tmp_path, 30.0, 30.0, 90.0, 30.0)
        alerted(tmp_path, channel(hook.url, link="https://x.example"))
        site = load_site(tmp_path)
        assert len(site.falls) == 2
        model, fall = site.falls[0]
        assert fall.first_seen == day_at(11)
        assert hook.on_message[-1]["message"].endswith(f"\nhttps://x.example{model.fall_address(fall)}")


def test_every_message_carries_the_head_of_the_ledger_as_it_was_when_the_message_was_made(
    tmp_path: Path,
) -> None:
    from probatio.watch.ledger.chain import check_head
    from probatio.watch.ledger.later import declare_replayed
    from probatio.watch.ledger.ledger import read_ledger

    with Hook() as hook:
        for number, score in enumerate((30.0, 90.0), 8):
            recorded(tmp_path, score, start=number)
            alerted(tmp_path, channel(hook.url))
            head = read_ledger(tmp_path)[-1].sha256
            assert f"\nHead of the ledger: {head[:12]}" in hook.on_message[-1]["message"]
        assert len(hook.on_message) == 2
        noted = hook.on_message[0]["message"].partition("Head of the ledger: ")[2][:12]
        assert not list(check_head(read_ledger(tmp_path), noted))  # it can be looked for later
        declare_replayed(tmp_path, "later", "dates were set")
        recorded(tmp_path, 30.0, start=10)
        alerted(tmp_path, channel(hook.url))
        assert "(replayed: dates were set)" in hook.on_message[-1]["message"]


def test_the_same_day_again_sends_nothing_twice(tmp_path: Path) -> None:
    with Hook() as hook:
        recorded(tmp_path, 30.0)
        for _ in range(3):
            alerted(tmp_path, channel(hook.url))
        assert hook.asked == 1


def test_a_day_whose_alerts_were_never_looked_after_is_caught_up(tmp_path: Path) -> None:
    with Hook() as hook:
        recorded(tmp_path)
        alerted(tmp_path, channel(hook.url))
        recorded(
            tmp_path, 30.0, 90.0
        )  # the process was killed between closing the first of these and its alerts
        alerted(tmp_path, channel(hook.url))
        assert hook.titles == ["a: COOKED", f"a: OK again, COOKED since {day_at(8)}"]


def test_a_new_channel_starts_with_the_last_day_and_hears_no_history(tmp_path: Path) -> None:
    with Hook() as hook:
        recorded(tmp_path, 30.0, 90.0)
        alerted(tmp_path, channel(hook.url))
        assert hook.asked == 0


def test_a_corrected_day_is_looked_at_again(tmp_path: Path) -> None:
    with Hook() as hook:
        recorded(tmp_path, 90.0)
        alerted(tmp_path, channel(hook.url))
        recorded(tmp_path, 30.0)  # the same day, run further
        alerted(tmp_path, channel(hook.url))
        assert hook.titles == ["a: COOKED"]


def test_each_channel_hears_what_it_asked_for(tmp_path: Path) -> None:
    with Hook() as hook, Hook() as other:
        recorded(tmp_path, 30.0)
        alerted(tmp_path, channel(hook.url), channel(other.url, "b only", models=("b",)))
        assert (hook.asked, other.asked) == (1, 0)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"status": 500}, "it answered with the status 500"),
        ({"status": 404}, "it answered with the status 404"),
        ({"hang": True}, "it did not answer in time"),
    ],
)
def test_a_failing_channel_is_told_in_one_sentence_kept_and_sent_later(
    tmp_path: Path, fault: dict[str, Any], why: str
) -> None:
    with Hook(**fault) as hook, Hook() as well:
        recorded(tmp_path, 30.0)
        bad, good = channel(f"{hook.url}?rto=1"), channel(well.url, "other")
        sentences = alerted(tmp_path, bad, good)
        assert sentences == [
            f"The alert channel team (json://127.0.0.1:{hook.port}) failed: {why}; 1 message is kept and "
            "tried again with the next day or `probatio daily alerts send`.",
            "Alert to other: a: COOKED",
        ]
        assert len(state(tmp_path)["team"]["pending"]) == 1
        hook.status, hook.hang = 200, False
        recorded(tmp_path, 90.0, start=9)
        alerted(tmp_path, bad, good)
        assert hook.titles == well.titles == ["a: COOKED", f"a: OK again, COOKED since {day_at(8)}"]
        assert state(tmp_path)["team"]["pending"] == []


def test_a_closed_port_is_a_refused_connection(tmp_path: Path) -> None:
    recorded(tmp_path, 30.0)
    sentences = alerted(tmp_path, channel(f"json://127.0.0.1:{closed_port()}/"))
    assert "failed: the connection was refused; 1 message is kept" in sentences[0]


def test_the_first_failure_ends_a_channels_turn(tmp_path: Path) -> None:
    with Hook(500) as hook:
        days = steady(8, ["a", "b"], ["u", "v"])
        fallen = made_up_day(8, {"a": dict.fromkeys("uv", 30.0), "b": dict.fromkeys("uv", 30.0)})
        write_days(tmp_path, [*days, fallen])
        record_day(tmp_path, fallen.date, CONSTANTS, "now")
        sentences = alerted(tmp_path, channel(hook.url))
        assert "2 messages are kept" in sentences[0]
        assert hook.asked == 1


def test_a_passing_fault_is_tried_again_at_once() -> None:
    with Hook(503) as hook:
        assert send(hook.url, MESSAGE, pauses=(0.01, 0.01)) == "it answered with the status 503"
        assert hook.asked == 3


def test_a_server_that_drips_is_given_up_and_not_tried_again_at_once() -> None:
    with Hook(drip=True) as hook:
        began = time.monotonic()
        failed = send(hook.url, MESSAGE, limit=1.5)
        assert isinstance(failed, SlowSend)
        assert time.monotonic() - began < 60  # it would drip for ever
        assert hook.asked == 1


def test_a_message_unsent_for_two_weeks_is_dropped_and_that_is_said(tmp_path: Path) -> None:
    recorded(tmp_path, 30.0)
    dead = channel(f"json://127.0.0.1:{closed_port()}/")
    alerted(tmp_path, dead)
    recorded(tmp_path, 30.0, start=23)
    sentences = alerted(tmp_path, dead)
    assert sentences[0] == "1 alerts to team that could not be sent for 14 days are dropped."


def test_a_variable_that_is_not_set_is_a_sentence(tmp_path: Path) -> None:
    recorded(tmp_path, 30.0)
    sentences = alerted(tmp_path, channel("${NO_SUCH_URL}"))
    assert (
        "The alert channel team failed: its URL needs the variable NO_SUCH_URL, which is not set"
        in sentences[0]
    )


class _Heard(logging.Handler):
    """What a program's own log would get."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def test_no_secret_is_printed_logged_or_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded(tmp_path, 30.0)
    heard = _Heard()
    monkeypatch.setattr(logging.getLogger(), "handlers", [heard])
    with Hook(403) as hook:
        at = f"127.0.0.1:{hook.port}/{SECRET}"
        urls = (
            f"json://user:{SECRET}@{at}",
            "${HOOK}",
            f"json://127.0.0.1:{closed_port()}/{SECRET}",
            f"nonsense://{SECRET}",
        )
        channels = [channel(url, f"c{number}") for number, url in enumerate(urls)]
        sentences = alerted(tmp_path, *channels, env={"HOOK": f"json://{at}"})
    assert len(sentences) == 4
    written = "".join(path.read_text() for path in (tmp_path / "daily").glob("*alerts*"))
    captured = capfd.readouterr()
    everything = "\n".join([*sentences, repr(channels), written, *heard.lines, captured.out, captured.err])
    assert SECRET not in everything


@pytest.mark.parametrize(
    ("url", "visible"),
    [
        ("json://user:word@hooks.example:8080/path/token", "json://hooks.example:8080"),
        ("mailto://user:word@example.org", "mailto://example.org:25"),
        (SLACK, "slack://"),
        ("ntfy://secrettopic", "ntfy://"),
        ("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "discord://"),
    ],
)
def test_of_an_address_the_scheme_is_shown_and_the_host_where_it_is_one(url: str, visible: str) -> None:
    assert mask_address(url) == visible


def test_whatever_breaks_the_day_goes_on(tmp_path: Path) -> None:
    sentences: list[str] = []
    recorded(tmp_path, 30.0)
    (tmp_path / "daily" / LEDGER).write_text("{}\n")
    alert_after_day(tmp_path, [channel("json://127.0.0.1:9/")], {}, sentences.append)
    assert len(sentences) == 1
    assert "is not a record" in sentences[0]


@pytest.mark.parametrize("broken", ["{", "[" * 200_000, "[]", '{"channels": {"team": 5}}', "\x00", ""])
def test_a_broken_state_is_told_and_keeps_no_alert_back(tmp_path: Path, broken: str) -> None:
    recorded(tmp_path, 30.0)
    (tmp_path / "daily" / ALERTS).write_text(broken)
    with Hook() as hook:
        told, sent = alerted(tmp_path, channel(hook.url))
        assert "is not a state of alerts" in told
        assert (sent, hook.titles) == ("Alert to team: a: COOKED", ["a: COOKED"])


def configured(root: Path, *entries: dict[str, Any]) -> Path:
    path = root / "models.yml"
    models = [{"id": MODEL, "name": f"openai/{MODEL}"}]
    path.write_text(yaml.safe_dump({"models": models, "alerts": list(entries)}), encoding="utf-8")
    return path


def test_channels_are_read_from_models_yml_with_names_that_are_no_secret(tmp_path: Path) -> None:
    path = configured(
        tmp_path,
        {
            "url": "${TEAM_HOOK}",
            "severity": "suspicious, confirmed",
            "hold_days": 2,
            "cool_down_days": 3,
            "models": "gpt-*",
        },
        {"url": SLACK, "link": "https://x.example/watch"},
        {"url": "mailto://u:${WORD}@example.org", "name": "post"},
    )
    variable, slack, post = read_channels(path)
    assert variable == Channel(
        "TEAM_HOOK", "${TEAM_HOOK}", AlertRule(("suspicious", "confirmed"), 2, 3, ("gpt-*",))
    )
    assert (slack.name, slack.link, slack.rule) == ("slack", "https://x.example/watch/", AlertRule())
    assert post.address({"WORD": "w"}) == "mailto://u:w@example.org"
    assert [model.id for model in load_config(path).models] == [MODEL]


@pytest.mark.parametrize(
    ("entry", "sentences"),
    [
        (
            {"url": "json://a", "severity": "coocked"},
            ", alerts[0]: There is no severity `coocked`. Near matches: cooked",
        ),
        ({"url": "json://a", "severity": []}, "`severity` is empty"),
        ({"url": "json://a", "models": []}, "`models` is empty"),
        ({"url": "json://a", "hold_days": 0}, "alerts[0].hold_days"),
        ({"url": "json://a", "hold_dayz": 2}, "did you mean `hold_days`"),
        ({"url": "no address"}, "neither an Apprise URL"),
        ({"severity": "cooked"}, "url"),
    ],
)
def test_a_wrong_entry_is_a_sentence_that_names_it(
    tmp_path: Path, entry: dict[str, Any], sentences: str
) -> None:
    with pytest.raises(UsageError) as error:
        read_channels(configured(tmp_path, entry))
    assert sentences in str(error.value)


def test_two_channels_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two alert channels are called `json`"):
        read_channels(configured(tmp_path, {"url": "json://a"}, {"url": "json://b"}))


def test_a_results_folder_keeps_one_process_at_a_time(tmp_path: Path) -> None:
    """Two days that end together: one message, not two."""
    recorded(tmp_path, 30.0)
    with Hook() as hook:
        config = configured(tmp_path, {"url": hook.url, "severity": "cooked"})
        command = [*PROCESS, "daily", "alerts", "send", "--config", str(config), "--results", str(tmp_path)]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        sentences = sorted(process.communicate(timeout=300)[0] for process in both)
        assert sentences == ["Alert to json: a: COOKED\n", "Nothing to send.\n"]
        assert hook.asked == 1


def test_a_message_whose_sender_is_killed_is_sent_the_next_time(tmp_path: Path) -> None:
    recorded(tmp_path, 30.0)
    with Hook(hang=True) as hook:
        config = configured(tmp_path, {"url": hook.url, "severity": "cooked"})
        process = subprocess.Popen(
            [*PROCESS, "daily", "alerts", "send", "--config", str(config), "--results", str(tmp_path)]
        )
        until = time.monotonic() + 120
        while not hook.asked and time.monotonic() < until:
            time.sleep(0.02)
        process.kill()
        process.wait()
        hook.hang = False
        assert alerted(tmp_path, *read_channels(config)) == ["Alert to json: a: COOKED"]


def test_alert_test_says_which_channel_failed_and_exits_3(tmp_path: Path) -> None:
    with Hook() as hook:
        config = configured(
            tmp_path,
            {"url": hook.url, "name": "good"},
            {"url": f"json://127.0.0.1:{closed_port()}/{SECRET}", "name": "bad"},
        )
        done = _alert("test", config)
        assert (done.returncode, hook.titles) == (3, ["Probatio: a test"])
        assert f"good (json://127.0.0.1:{hook.port}): sent\nbad (json://127.0.0.1:" in done.stdout
        assert done.stdout.endswith("): failed, the connection was refused\n")
        assert done.stderr == "probatio: 1 of 2 alert channels failed: bad.\n"
        assert SECRET not in done.stdout + done.stderr
        assert _alert("test", configured(tmp_path, {"url": hook.url})).returncode == 0


def test_alert_without_channels_says_where_they_belong(tmp_path: Path) -> None:
    done = _alert("test", configured(tmp_path))
    assert (done.returncode, "has no section `alerts:`" in done.stderr) == (2, True)


def _alert(which: str, config: Path, *flags: str) -> Done:
    return probatio("daily", "alerts", which, "--config", config, *flags)


def test_a_real_day_alerts_once_and_a_dead_channel_does_not_stop_it(tmp_path: Path) -> None:
    """`probatio daily` against a model that has forgotten everything, after ten good days."""
    small_suite(tmp_path / "suite", EXTRACTION)
    history(tmp_path, {EXTRACTION: [100.0] * 10})
    with Double(reply=lambda body: "I can't say.") as double, Hook() as hook:
        dead = {"url": "${DEAD_HOOK}", "severity": "suspicious"}
        live = {"url": hook.url, "name": "live", "severity": "suspicious", "link": "https://x.example"}
        config = configured(tmp_path, dead, live)
        env = {**environment(double), "DEAD_HOOK": f"json://127.0.0.1:{closed_port()}/{SECRET}"}

        def run() -> Done:
            words = argv(tmp_path, "--config", str(config))
            return probatio(*words, env=env, cwd=tmp_path)

        done = run()
        assert done.returncode == 0, done.stderr
        assert "The alert channel DEAD_HOOK (json://127.0.0.1:" in done.stdout
        assert f"Alert to live: {MODEL}: COOKED" in done.stdout  # a suite of one use case
        assert f"/falls/{MODEL}-" in hook.on_message[0]["message"]
        configured(tmp_path, live)
        assert run().returncode == 0
        assert hook.asked == 1
        assert SECRET not in done.stdout + done.stderr + json.dumps(state(tmp_path / "results"))


def test_a_wrong_channel_is_found_before_the_day_is_asked(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script()) as double:
        config = configured(tmp_path, {"url": "json://a", "severity": "burnt"})
        command = argv(tmp_path, "--config", str(config))
        done = subprocess.run(
            command, env=environment(double), cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "There is no severity `burnt`" in done.stderr) == (2, True)
        assert not double.served


def test_nothing_acts_in_a_message_and_no_key_is_in_it(request: pytest.FixtureRequest) -> None:
    request.addfinalizer(forget_all)
    know("sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e")
    evil = "\x1b[2J\x07\x9b\u202e\u2066\x00 sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e"
    with Hook() as hook:
        message = AlertMessage(
            "2026-03-01", ("m",), f"m{evil}\nforged: OK", f"why {evil}\nhttps://x.example/", "failure"
        )
        assert send(hook.url, message, pauses=()) is None
    got = hook.on_message[0]
    assert got["title"] == "m\\u001b[2J\\u0007\\u009b\\u202e\\u2066\\u0000 [key]\\nforged: OK"
    assert got["message"] == "why \\u001b[2J\\u0007\\u009b\\u202e\\u2066\\u0000 [key]\nhttps://x.example/"


def test_the_state_is_put_in_place_whole(tmp_path: Path) -> None:
    recorded(tmp_path, 30.0)
    with Hook() as hook:
        alerted(tmp_path, channel(hook.url))
    assert sorted(path.name for path in (tmp_path / "daily").iterdir() if "alerts" in path.name) == [
        ".alerts.json.lock",
        "alerts.json",
    ]
    kept = state(tmp_path)["team"]
    assert kept["day"] == day_at(8)
    assert kept["standings"]["a"]["headline"]["told"] == "COOKED"
