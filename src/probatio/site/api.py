"""The JSON API: the same addresses live and as files, with an OpenAPI document made from the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from probatio import __version__
from probatio.core.records import ModelVerdict, Status
from probatio.core.statistics.intervals import Rate
from probatio.learn.findings import Study
from probatio.site.facts.effort import DayEffort, list_effort
from probatio.site.facts.falls import FallRecord, measure_falls
from probatio.site.facts.lower import LowerAnswers, find_lower
from probatio.site.facts.repeats import list_repeats
from probatio.site.facts.standing import find_level, list_standings
from probatio.site.pages.bench import BenchScore, measure_bench
from probatio.site.rendering import NoPage, PageReply, PageRequest, json
from probatio.site.snapshot import Change
from probatio.watch.verdict.falls import Fall
from probatio.watch.verdict.reference_level import NO_LEVEL, LevelBefore


class Standing(msgspec.Struct, frozen=True):
    """A model as it stands on the last day. `headline` is the one verdict that every page shows, the worse of
    the published rule (`verdict.status`) and the evidence (`verdict.evidence`)."""

    slug: str
    verdict: ModelVerdict
    bench: BenchScore | None
    headline: Status = "OK"
    label: str = ""  # the headline in words
    since: str | None = None  # of a fall: the day it is dated to, or the day it was first seen
    reason: str = ""  # one plain sentence
    imported: bool = False  # its last day was imported from a file; we asked no model on it
    recovered: bool = False  # it is OK, and was not within the last days
    goes_stale: str | None = None  # when its last answers are too old; None: already, or never
    level: LevelBefore = NO_LEVEL  # what its scores are compared with
    lower: LowerAnswers | None = None  # of a model that is lower without proof: on how many answers


class Leaderboard(msgspec.Struct, frozen=True):
    date: str | None
    suite_version: str
    simulated: bool
    models: list[Standing]
    replayed: bool = False  # dates were set
    ledger_head: str | None = None  # SHA-256 of the ledger's last line
    imported_days: int = 0  # days that were taken in from a file
    withdrawn: Mapping[str, str] = {}  # day that counts no more → who withdrew it, when and why


class UseCaseSeries(msgspec.Struct, frozen=True):
    """One use case day by day; every list is as long as `dates` of the model."""

    score: list[float | None]
    mean: list[float | None]
    sd: list[float | None]
    status: list[str | None]


class ModelSeries(msgspec.Struct, frozen=True):
    """A model with all its days, as columns."""

    model: str
    slug: str
    simulated: bool
    last: ModelVerdict
    dates: list[str]
    status: list[str]
    evidence: list[str]
    evidence_value: list[float | None]
    route: list[str | None]
    suite_version: list[str]
    use_cases: dict[str, UseCaseSeries]
    replayed: bool = False  # dates were set
    ledger_head: str | None = None  # SHA-256 of the ledger's last line
    headline: list[str] = []  # of both layers; `status` is the rule's alone
    confirmed: list[bool] = []
    imported: list[bool] = []  # the day was taken in from a file
    changed_route: list[str | None] = []  # the note beside the headline
    label: list[str] = []  # the headline in words, as every page shows it
    level: LevelBefore = NO_LEVEL  # what the last scores are compared with
    effort: list[DayEffort] = []  # what its answers took; null is not known, never zero
    repeated: list[float | None] = []  # share of answers that the day before gave, too; null: not known
    lower: LowerAnswers | None = None  # of a model that is lower without proof: on how many answers


class FallShort(msgspec.Struct, frozen=True):
    """One fall of a model, and the address of its page, which never changes."""

    slug: str
    page: str
    fall: Fall
    imported: bool = False  # the day it was first seen was imported from a file; we asked no model on it


class Falls(msgspec.Struct, frozen=True):
    """How the alarms came out, and every fall, the newest first."""

    record: FallRecord
    falls: list[FallShort]
    simulated: bool
    replayed: bool = False  # dates were set


class RunShort(msgspec.Struct, frozen=True):
    run: str
    created: str
    suite: str
    models: list[str]
    overall: Rate


class Operation(NamedTuple):
    """One address in the OpenAPI document."""

    address: str
    summary: str
    gives: Any


OPERATIONS = (
    Operation(
        "/api/leaderboard.json",
        "Every tracked model, new falls first, then the worst, with its last verdict and its bench score.",
        Leaderboard,
    ),
    Operation("/api/models/{slug}.json", "One model: the last verdict and all days as columns.", ModelSeries),
    Operation(
        "/api/days/{date}.json", "Every model's verdict on one day, with every number.", list[ModelVerdict]
    ),
    Operation(
        "/api/changes.json",
        "Days on which the headline of a model changed, newest first.",
        list[Change],
    ),
    Operation("/api/falls.json", "How the alarms came out, and every fall, the newest first.", Falls),
    Operation(
        "/api/bench.json", "The bench score of every tracked model that has one.", dict[str, BenchScore]
    ),
    Operation("/api/runs.json", "Runs of the learnability bench.", list[RunShort]),
    Operation("/api/runs/{run}.json", "Everything found in one run.", Study),
)


def moved_page(request: PageRequest) -> PageReply:
    """The addresses are listed on the page of data."""
    return PageReply(moved="../downloads/#api")


def openapi(request: PageRequest) -> PageReply:
    return json(document())


def document() -> dict[str, Any]:
    """The OpenAPI document of these addresses."""
    kinds = [operation.gives for operation in OPERATIONS]
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths = {}
    for operation, schema in zip(OPERATIONS, schemas, strict=True):
        named = [part.split("}")[0] for part in operation.address.split("{")[1:]]
        replies: dict[str, Any] = {
            "200": {"description": "As it stands.", "content": {"application/json": {"schema": schema}}}
        }
        if named:
            replies["404"] = {"description": "Nothing has that name."}
        paths[operation.address] = {
            "get": {
                "summary": operation.summary,
                "operationId": operation.address.removesuffix(".json")
                .strip("/")
                .replace("/", "_")
                .translate(_PLAIN),
                "parameters": [
                    {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                    for name in named
                ],
                "responses": replies,
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "probatio", "version": __version__, "description": "Read-only; no key is needed."},
        "paths": paths,
        "components": {"schemas": components},
    }


_PLAIN = str.maketrans("", "", "{}")


def leaderboard(request: PageRequest) -> PageReply:
    site = request.site
    models = [
        Standing(
            row.model.slug,
            row.verdict,
            measure_bench(site.bench, row.model.id, row.model.resolved),
            row.verdict.shown,
            row.verdict.label,
            row.since,
            row.reason,
            row.verdict.date in row.model.imported,
            row.verdict.well_again,
            row.model.goes_stale.isoformat() if row.model.goes_stale else None,
            find_level(row.model, row.verdict),
            find_lower(site, row.model),
        )
        for row in list_standings(site)
    ]
    return json(
        Leaderboard(
            site.last_date,
            site.manifest.version,
            site.simulated,
            models,
            site.replayed,
            site.head,
            site.imported,
            site.withdrawn,
        )
    )


def model(request: PageRequest) -> PageReply:
    tracked = request.tracked
    columns = {}
    for use_case in tracked.use_cases:
        days = [each for _, each in tracked.series(use_case)]
        columns[use_case] = UseCaseSeries(
            [each.score if each else None for each in days],
            [each.mean if each else None for each in days],
            [each.sd if each else None for each in days],
            [each.status if each else None for each in days],
        )
    verdicts, effort = tracked.verdicts, list_effort(request.site, tracked)
    repeats = list_repeats(request.site, tracked)
    return json(
        ModelSeries(
            model=tracked.id,
            slug=tracked.slug,
            simulated=request.site.simulated,
            last=tracked.last,
            dates=[each.date for each in verdicts],
            status=[each.status for each in verdicts],
            evidence=[each.evidence for each in verdicts],
            evidence_value=[each.evidence_value for each in verdicts],
            route=[each.route for each in verdicts],
            suite_version=[each.suite_version for each in verdicts],
            use_cases=columns,
            replayed=request.site.replayed,
            ledger_head=request.site.head,
            headline=[each.shown for each in verdicts],
            confirmed=[each.confirmed for each in verdicts],
            imported=[each.date in tracked.imported for each in verdicts],
            changed_route=[each.changed_route.note if each.changed_route else None for each in verdicts],
            label=[each.label for each in verdicts],
            level=find_level(tracked, tracked.last),
            repeated=[repeats[each.date].share if each.date in repeats else None for each in verdicts],
            effort=[effort.get(each.date, DayEffort()) for each in verdicts],
            lower=find_lower(request.site, tracked),
        )
    )


def day(request: PageRequest) -> PageReply:
    date = request.names["date"]
    if date not in request.site.records:
        raise NoPage
    return json([model.by_date[date] for model in request.site.tracked.values() if date in model.by_date])


def changes(request: PageRequest) -> PageReply:
    return json(request.site.changes)


def falls(request: PageRequest) -> PageReply:
    site = request.site
    rows = [
        FallShort(model.slug, model.fall_address(fall), fall, fall.first_seen in model.imported)
        for model, fall in site.falls
    ]
    record = measure_falls(fall for _, fall in site.falls)
    return json(Falls(record, rows, site.simulated, site.replayed))


def bench(request: PageRequest) -> PageReply:
    site = request.site
    scores = {
        model.id: measure_bench(site.bench, model.id, model.resolved) for model in site.tracked.values()
    }
    return json({model: score for model, score in scores.items() if score})


def runs(request: PageRequest) -> PageReply:
    return json(
        [
            RunShort(run.name, run.record.created, run.record.suite_name, run.models, run.study.overall)
            for run in request.site.runs.values()
        ]
    )


def run(request: PageRequest) -> PageReply:
    return json(request.run.study)
