"""A rehearsal: simulated days of a suite, with the real asking, grading, scoring, ledger, verdicts and
alerts.

Only the models are not real: they answer with the suite's own proofs, and one of them is worse from a chosen
day on. Every day is marked simulated, and a results folder holds simulated days or real ones, never both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import msgspec

from probatio.ask.client import ChatClient
from probatio.ask.routes import Route
from probatio.authoring.rehearsal_script import RehearsalServer, write_script
from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.core.clock import now_text
from probatio.core.errors import Incomplete, Say, UsageError
from probatio.core.records import Answer, DayRecord, Model, Prompt, Sampling
from probatio.core.trust import note_named
from probatio.jail import Choice, find_isolation
from probatio.runs.record import git_sha, versions
from probatio.runs.session import carry_out
from probatio.runs.store.layout import DAILY
from probatio.suites.daily_suite import DailySuite, constants_of, load_daily
from probatio.watch.alerts.channels import Channel
from probatio.watch.alerts.delivery import alert
from probatio.watch.alerts.episodes import AlertMessage
from probatio.watch.day.job import DayJob, show_nothing
from probatio.watch.day.preparation import DayRequest, PreparedDay, grader_remarks, suite_place
from probatio.watch.ledger.ledger import read_recorded_days
from probatio.watch.simulate.days import case_chances
from probatio.watch.simulate.faults import SimulatedFault
from probatio.watch.simulate.profiles import Profile
from probatio.watch.verdict.verdicts import verdicts

PROVIDER = "rehearsal"
LATENCY_MS = 500.0
SHOWN = Channel("alert", "")
"""The channel of messages that are only shown."""


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
    """The outcome of one day: model → its headline, and the alerts."""

    number: int
    date: str
    headlines: dict[str, str]
    alerts: tuple[str, ...] = ()


Watch = Callable[[RehearsedDay], None]


class EvenClient(ChatClient):
    """Answers take the same time every day: how long a server on loopback takes says nothing about a
    model."""

    async def ask(self, route: Route, prompt: Prompt, sampling: Sampling) -> Answer:
        return msgspec.structs.replace(await super().ask(route, prompt, sampling), latency_ms=LATENCY_MS)


def rehearse(
    wanted: Rehearsal,
    channels: Sequence[Channel],
    env: Mapping[str, str],
    watch: Watch,
    say: Say,
    *,
    send: bool,
) -> list[RehearsedDay]:
    """Run the simulated days; gives the outcome of each. Without `send` alerts are only shown."""
    suite = load_daily(wanted.suite)
    require_graders(suite, wanted.sandbox)
    note_named(wanted.suite)
    for remark in grader_remarks(suite.use_cases.values()):
        say(remark)
    if any(map(starts_processes, suite.use_cases.values())):
        find_isolation(wanted.sandbox)
    if (wanted.results / DAILY).is_dir() and any((wanted.results / DAILY).iterdir()):
        raise UsageError(
            f"{wanted.results} holds days already; a rehearsal begins in a folder of its own, named with "
            "--results."
        )
    if not 1 <= wanted.worse_from <= wanted.days:
        raise UsageError(f"--worse-from {wanted.worse_from}: a day from 1 to {wanted.days}.")
    names = [f"model-{number}" for number in range(1, wanted.models + 1)]  # the last one is made worse
    script = write_script(suite, _plan_chances(wanted, suite, names))
    lived: list[RehearsedDay] = []
    with RehearsalServer(script) as server:
        for number in range(1, wanted.days + 1):
            server.day = number
            day = (wanted.until - timedelta(days=wanted.days - number)).isoformat()
            prepared = _prepare(wanted, suite, names, day, server.base_url)
            job = DayJob(prepared)
            ending = carry_out(job, env, show_nothing, lambda sentence: None, EvenClient)
            if not job.closed:
                raise Incomplete(f"{day}: {ending.stop_reason or 'not every sample could be asked'}.")
            alerts = _send_alerts(wanted.results, channels, env, say, send=send)
            days = read_recorded_days(wanted.results, until=day)
            made = verdicts(days, constants_of(suite.manifest), dates={day})
            headlines = {verdict.model: verdict.label for verdict in made}
            lived.append(RehearsedDay(number, day, headlines, tuple(alerts)))
            watch(lived[-1])
    return lived


def _plan_chances(
    wanted: Rehearsal, suite: DailySuite, names: Sequence[str]
) -> dict[str, list[dict[str, float]]]:
    """Model → per day, case → the chance of a good answer. The last model loses a share of its cases for
    good."""
    cases = {use_case.id: [case.id for case in use_case.cases] for use_case in suite.use_cases.values()}
    profile = Profile("rehearsed", rate=1 - wanted.noise)
    worse = SimulatedFault("a share of the cases is answered badly", reach=None, dead_share=wanted.share)
    return {
        f"{PROVIDER}/{name}": case_chances(
            profile,
            cases,
            wanted.days,
            number,
            fault=worse if name == names[-1] else None,
            fault_day=wanted.worse_from - 1,
        )
        for number, name in enumerate(names)
    }


def _prepare(
    wanted: Rehearsal, suite: DailySuite, names: Sequence[str], day: str, base_url: str
) -> PreparedDay:
    models = tuple(
        Model(id=name, name=f"{PROVIDER}/{name}", provider=PROVIDER, base_url=base_url) for name in names
    )
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


def _send_alerts(
    results: Path, channels: Sequence[Channel], env: Mapping[str, str], say: Say, *, send: bool
) -> list[str]:
    """Send or show the alerts of the day. Gives their titles."""
    titles: list[str] = []

    def note(sentence: str) -> None:
        titles.append(sentence)
        say(sentence)

    def show(channel: Channel, message: AlertMessage) -> None:
        titles.append(message.title)
        say(f"{message.date}: to {channel.name}, shown and not sent: {message.title}")
        say("\n".join(f"    {line}" for line in message.body.splitlines()))

    if send:
        alert(results, channels, env, note)
    else:
        alert(results, channels or (SHOWN,), env, say, shown=show)
    return titles
