"""A rehearsal: simulated days of a suite, through the real asking, grading, scoring, ledger, verdicts and alerts.

Only the models are not real: they answer with the suite's own proofs, and one of them is worse from a chosen day on. Every day
is marked simulated, and a results folder holds simulated days or real ones, never both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import msgspec

from probatio.alerts.channels import Channel
from probatio.alerts.delivery import alert
from probatio.alerts.episodes import Message
from probatio.ask.client import ChatClient
from probatio.ask.routes import Route
from probatio.authoring.rehearsed import RehearsalServer, script_of
from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.day.preparation import DayRequest, PreparedDay, grader_remarks, suite_place
from probatio.day.unwatched import unwatched
from probatio.day.work import DayWork
from probatio.errors import Incomplete, Say, UsageError
from probatio.ledger.ledger import recorded_days
from probatio.records import Answer, DayRecord, Model, ModelVerdict, Prompt, Sampling
from probatio.run.clock import now_text
from probatio.run.session import carry_out
from probatio.run.versions import git_sha, versions
from probatio.sandbox import Choice, isolation
from probatio.store.layout import DAILY
from probatio.suite.daily_suite import DailySuite, constants_of, load_daily
from probatio.verdict.verdicts import verdicts

PROVIDER = "rehearsal"
LATENCY_MS = 500.0
SHOWN = Channel("alert", "")
"""Where messages go that have no channel: they are shown."""


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be rehearsed."""

    suite: Path
    results: Path
    days: int = 40
    worse_from: int = 35
    models: int = 3
    share: float = 1.0
    noise: float = 0.0
    until: date
    sandbox: Choice = "auto"


class RehearsedDay(msgspec.Struct, frozen=True):
    """What one day came to: model → its headline, and the messages it called for."""

    number: int
    date: str
    headlines: dict[str, str]
    alerts: tuple[str, ...] = ()


Watch = Callable[[RehearsedDay], None]


class EvenClient(ChatClient):
    """Answers take the same time every day: how long a server on loopback takes says nothing about a model."""

    async def ask(self, route: Route, prompt: Prompt, sampling: Sampling) -> Answer:
        return msgspec.structs.replace(await super().ask(route, prompt, sampling), latency_ms=LATENCY_MS)


def model_names(count: int) -> list[str]:
    """`model-1` and so on; the last one is made worse."""
    return [f"model-{number}" for number in range(1, count + 1)]


def rehearse(
    wanted: Rehearsal, channels: Sequence[Channel], env: Mapping[str, str], watch: Watch, say: Say, *, send: bool
) -> list[RehearsedDay]:
    """Live through the days; gives what each came to. Without `send` alerts are shown and never leave."""
    suite = load_daily(wanted.suite)
    require_graders(suite)
    for remark in grader_remarks(suite.use_cases.values()):
        say(remark)
    if any(map(starts_processes, suite.use_cases.values())):
        isolation(wanted.sandbox)
    _require_new(wanted.results)
    if not 1 <= wanted.worse_from <= wanted.days:
        raise UsageError(f"--worse-from {wanted.worse_from}: a day from 1 to {wanted.days}.")
    names = model_names(wanted.models)
    script = script_of(suite, {f"{PROVIDER}/{names[-1]}": wanted.worse_from}, wanted.share, wanted.noise)
    lived: list[RehearsedDay] = []
    with RehearsalServer(script) as server:
        for number in range(1, wanted.days + 1):
            server.day = number
            day = (wanted.until - timedelta(days=wanted.days - number)).isoformat()
            prepared = _prepared(wanted, suite, names, day, server.base_url)
            work = DayWork(prepared)
            ending = carry_out(work, env, unwatched, lambda sentence: None, EvenClient)
            if not work.closed:
                raise Incomplete(f"{day}: {ending.stop_reason or 'not every sample could be asked'}.")
            heard = _alerts(wanted.results, channels, env, say, send=send)
            lived.append(RehearsedDay(number, day, _headlines(wanted.results, suite, day), tuple(heard)))
            watch(lived[-1])
    return lived


def _prepared(wanted: Rehearsal, suite: DailySuite, names: Sequence[str], day: str, base_url: str) -> PreparedDay:
    models = tuple(Model(id=name, name=f"{PROVIDER}/{name}", provider=PROVIDER, base_url=base_url) for name in names)
    fingerprint = daily_fingerprint(suite)
    record = DayRecord(
        date=day,
        created=now_text(),
        suite_version=suite.version,
        suite_fingerprint=fingerprint,
        grader_version=fingerprint,
        models=models,
        sampling=suite.sampling,
        suite=suite_place(wanted.suite, wanted.results),
        git_sha=git_sha(),
        versions=versions(),
        simulated=True,
    )
    # The judge is rehearsed too; that is no other suite, so the record keeps the fingerprint of the real one.
    judge = msgspec.structs.replace(
        suite.manifest.judge, provider=PROVIDER, base_url=base_url, api_key_env=None, route=()
    )
    manifest = msgspec.structs.replace(suite.manifest, judge=judge)
    asked = msgspec.structs.replace(suite, manifest=manifest)
    request = DayRequest(suite=wanted.suite, sandbox=wanted.sandbox)
    return PreparedDay(wanted.results, record, asked, tuple(asked.use_cases.values()), request, None)


def _alerts(results: Path, channels: Sequence[Channel], env: Mapping[str, str], say: Say, *, send: bool) -> list[str]:
    """What the day's verdicts call for, sent or shown; the titles."""
    heard: list[str] = []

    def sent(sentence: str) -> None:
        heard.append(sentence)
        say(sentence)

    def shown(channel: Channel, message: Message) -> None:
        heard.append(message.title)
        say(f"{message.date}: to {channel.name}, shown and not sent: {message.title}")
        say("\n".join(f"    {line}" for line in message.body.splitlines()))

    if send:
        alert(results, channels, env, sent)
    else:
        alert(results, channels or (SHOWN,), env, say, shown=shown)
    return heard


def _headlines(results: Path, suite: DailySuite, day: str) -> dict[str, str]:
    days = recorded_days(results, until=day)
    made: list[ModelVerdict] = verdicts(days, constants_of(suite.manifest), dates={day})
    return {verdict.model: verdict.label for verdict in made}


def _require_new(results: Path) -> None:
    if (results / DAILY).is_dir() and any((results / DAILY).iterdir()):
        raise UsageError(
            f"{results} holds days already; a rehearsal begins in a folder of its own, named with --results."
        )
