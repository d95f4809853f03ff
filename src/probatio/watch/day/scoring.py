"""Scoring a day: from graded samples to one score per model and use case. Pure; a gap is never a zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Literal

import msgspec

from probatio.core.records import UNCHECKED, DailyScore, Model
from probatio.suites.daily_suite import DailySuite, UseCase
from probatio.watch.day.samples import BASE, FULL, GradedLine, Sample
from probatio.watch.verdict.rule.sampling import EVIDENCE

RE_RUN_EARLIER = "re-run earlier that day"
NEAR_LIMIT = 0.98
"""An answer of at least this share of our own limit was cut by it."""


class DayFacts(msgspec.Struct, frozen=True):
    """What holds for the whole day and every model."""

    date: str
    suite_version: str
    barred: bool = False
    no_judge: str | None = None  # why no judge is used


class ModelFacts(msgspec.Struct, frozen=True):
    """What holds for one model's day."""

    model: Model
    triggers: dict[str, str | None] = {}  # use case → why it ran at full count
    usual_route: str | None = None
    refused: str | None = None  # why it could not be asked to the end
    # Use case → case → its mean of the baseline days, 0–1.
    usual_cases: Mapping[str, Mapping[str, float]] = {}


class DayRoute(msgspec.Struct, frozen=True):
    """Who served a model's day: the provider of most samples. The others are strays."""

    name: str | None
    changed: bool = False  # a sample came from another than the pinned or usual provider
    usual: bool = True  # the provider of most samples is the pinned or usual one
    mixed: bool = False  # too many strays: the day belongs to no route
    strays: frozenset[str] = frozenset()  # providers of the strays


def score_base(
    use_case: UseCase, base: Sequence[GradedLine], usual: Mapping[str, float] | None = None
) -> float | None:
    """The score of the base samples so far, or None. A case without a sample counts with its `usual` mean."""
    usable = [grade for grade in base if not grade.errored]
    if use_case.grading != "deterministic" and _is_unjudged(use_case, usable):
        return None
    return _mean_points([(grade.case, grade.score) for grade in usable], use_case, usual)


def score_model(
    suite: DailySuite,
    use_cases: Sequence[UseCase],
    samples: Sequence[Sample],
    day: DayFacts,
    facts: ModelFacts,
) -> list[DailyScore]:
    """One model's scores of a day, a line per use case."""
    allowed, ladder = suite.manifest.gap_errors, suite.manifest.evidence.ladder.rungs
    providers = Counter(sample.served.provider for sample in samples if sample.served.provider)
    route = find_route(providers, facts.model.route, facts.usual_route, allowed)
    gap = facts.refused or _model_gap(samples, allowed)
    of: dict[str, list[Sample]] = {}
    for sample in samples:
        of.setdefault(suite.cases[sample.graded.case].use_case, []).append(sample)
    return [
        msgspec.structs.replace(
            _score_use_case(use_case, of.get(use_case.id, []), day, facts, gap, allowed, route, ladder),
            routing_changed=route.changed,
            route=route.name,
            mixed=route.mixed,
            stray_only=route.changed and route.usual and not route.mixed,
        )
        for use_case in use_cases
    ]


def find_route(providers: Counter[str], pinned: Sequence[str], usual: str | None, allowed: float) -> DayRoute:
    """The route of a day.

    It has changed if a sample came from another provider than the pinned one. Without a pin, the usual
    provider takes its place; on a first day, the one that served most. Several pinned providers are one
    route.
    """
    if not providers:
        return DayRoute(None)
    home = tuple(pinned) or (usual or providers.most_common(1)[0][0],)
    at_home = {each for each in providers if any(_same_provider(each, name) for name in home)}

    def samples(of: Iterable[str]) -> int:
        return sum(providers[each] for each in of)

    main = max([at_home, *({each} for each in providers if each not in at_home)], key=samples)
    strays = frozenset(providers) - main
    return DayRoute(
        max(sorted(main), key=providers.__getitem__),
        changed=set(providers) != at_home,
        usual=main == at_home,
        mixed=samples(strays) > allowed * providers.total(),
        strays=strays,
    )


def _same_provider(served: str, named: str) -> bool:
    """Compare a served provider, which is a title (`DeepInfra`, `Google`), with a pinned slug
    (`deepinfra/fp8`, `google-vertex`)."""
    title, slug = (_letters(name.partition("/")[0]) for name in (served, named))
    return title.startswith(slug) or slug.startswith(title)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _model_gap(samples: Sequence[Sample], allowed: float) -> str | None:
    """Why the whole day is a gap for the model. Failures of the judge or the browser count in their use
    case."""
    unasked = [sample for sample in samples if sample.graded.errored and not _has_answer(sample)]
    if len(unasked) <= allowed * len(samples):
        return None
    return (
        f"{len(unasked)} of {len(samples)} samples errored, more than {allowed:.0%}: "
        f"{_most_frequent(unasked)}"
    )


def _score_use_case(
    use_case: UseCase,
    samples: Sequence[Sample],
    day: DayFacts,
    facts: ModelFacts,
    gap: str | None,
    allowed: float,
    route: DayRoute,
    ladder: int,
) -> DailyScore:
    """The line of one use case: what was served, and its score or its gap."""
    unscored = {case.id for case in use_case.unscored}
    own = [each for each in samples if each.graded.case not in unscored] if unscored else samples
    chosen = _choose_samples(use_case, own, route, allowed)
    judged_kind = use_case.grading != "deterministic"
    unjudged = judged_kind and _is_unjudged(use_case, (sample.graded for sample in chosen.scored))
    gap = gap or _use_case_gap(use_case, chosen.kept, chosen.scored, day, unjudged, allowed)
    trigger = (facts.triggers.get(use_case.id) or RE_RUN_EARLIER) if chosen.full else None
    line = msgspec.structs.replace(
        _describe_served(use_case, samples, day, facts),
        trigger=trigger,
        checked=_mean_points(_list_points(chosen.scored, "checked")) if use_case.grading != "judge" else None,
        judged=_mean_points(_list_points(chosen.scored, "judged")) if judged_kind and not unjudged else None,
        barred=day.barred and judged_kind,
        gap=gap,
        strays=len(own) - len(chosen.kept),
    )
    if gap is not None:
        return line
    usual = facts.usual_cases.get(use_case.id, {})
    line = _add_score(line, use_case, chosen, usual, allowed)
    line = _add_uncut(line, use_case, chosen.scored, usual)
    return _add_further(line, use_case, chosen, ladder) if trigger == EVIDENCE else line


class _Chosen(msgspec.Struct, frozen=True):
    """The samples of a use case that count, and for what."""

    kept: Sequence[Sample]  # all but the strays
    scored: list[Sample]  # graded ones, for the score
    base: list[Sample]  # graded ones, for the base score
    full: bool  # there is a full round …
    powered: bool  # … and the score comes from it


def _choose_samples(use_case: UseCase, samples: Sequence[Sample], route: DayRoute, allowed: float) -> _Chosen:
    """Score the full round if there is one. A re-run that failed decides nothing: the day keeps its base
    score."""
    kept = samples if route.mixed else [each for each in samples if each.served.provider not in route.strays]
    rounds: dict[str, list[Sample]] = {BASE: [], FULL: []}
    for sample in kept:
        rounds[sample.graded.round].append(sample)
    base, full = rounds[BASE], rounds[FULL]
    graded = _drop_errors(full)
    powered = bool(full) and len(graded) >= (1 - allowed) * len(full)
    first = base or [sample for sample in full if sample.graded.sample < use_case.base_samples]
    return _Chosen(
        kept,
        scored=graded if powered or not base else _drop_errors(base),
        base=_drop_errors(first),
        full=bool(full),
        powered=powered,
    )


def _describe_served(
    use_case: UseCase, samples: Sequence[Sample], day: DayFacts, facts: ModelFacts
) -> DailyScore:
    """A line without a score: who served the use case, how fast, at what cost."""
    costs = [sample.served.cost for sample in samples if sample.served.cost is not None]
    latencies = [sample.served.latency_ms for sample in samples if not sample.served.error]
    return DailyScore(
        date=day.date,
        model=facts.model.id,
        use_case=use_case.id,
        grading=use_case.grading,
        suite_version=day.suite_version,
        score=None,
        errored=sum(sample.graded.errored for sample in samples),
        unchecked=sum(sample.graded.error_type == UNCHECKED for sample in samples),
        judged_share=round(1 - use_case.checked_weight, 6) if use_case.grading == "hybrid" else None,
        providers=_count_values(sample.served.provider for sample in samples),
        resolved_models=_count_values(sample.served.resolved_model for sample in samples),
        fingerprints=_count_values(sample.served.system_fingerprint for sample in samples),
        truncated=sum(sample.served.finish_reason == "length" for sample in samples),
        refused=sum(sample.graded.error_type == "refusal" for sample in samples),
        hours=_count_values(sample.served.timestamp[11:13] for sample in samples),
        latency_ms=round(median(latencies), 1) if latencies else None,
        tokens_in=sum(sample.served.tokens_in for sample in samples),
        tokens_out=sum(sample.served.tokens_out for sample in samples),
        cost=round(sum(costs), 8) if costs else None,
    )


def _add_score(
    line: DailyScore, use_case: UseCase, chosen: _Chosen, usual: Mapping[str, float], allowed: float
) -> DailyScore:
    """The line with its score and its base score, which is None if too many cases have no base sample."""
    scored, base = chosen.scored, chosen.base
    base_score = score = _mean_points(_list_points(scored), use_case, usual)
    if base != scored:  # mostly they are the same samples
        enough = len(_find_missing(use_case, base)) <= allowed * len(use_case.cases)
        base_score = _mean_points(_list_points(base), use_case, usual) if enough else None
    return msgspec.structs.replace(
        line,
        score=score,
        base_score=base_score,
        n=len(scored),
        base_n=len(base),
        full_power=chosen.powered,
        cases=_case_means(scored if line.trigger == EVIDENCE else base),
        answers=_list_answers(base),
        filled=tuple(sorted(_find_missing(use_case, scored) & usual.keys())),
    )


def _add_uncut(
    line: DailyScore, use_case: UseCase, scored: Sequence[Sample], usual: Mapping[str, float]
) -> DailyScore:
    """The line with the number of answers cut off below our own limit, and the score without them."""
    limit = NEAR_LIMIT * use_case.max_tokens  # servers count a few tokens more or less than we do
    ended = [each for each in scored if each.served.finish_reason == "length"]
    cut = {id(each) for each in ended if 0 < each.served.tokens_out < limit}
    if not cut:
        return line
    points = _list_points(each for each in scored if id(each) not in cut)
    points += [
        (case, usual[case]) for each in scored if id(each) in cut and (case := each.graded.case) in usual
    ]
    return msgspec.structs.replace(line, cut=len(cut), uncut_score=_mean_points(points, use_case, usual))


def _add_further(line: DailyScore, use_case: UseCase, chosen: _Chosen, ladder: int) -> DailyScore:
    """The line with its further samples, and how many of them gave another answer."""
    further = _find_further(chosen.base, chosen.scored, use_case, ladder)
    other = _count_other(chosen.base, further, use_case)
    return msgspec.structs.replace(line, further=len(further), further_other=other)


def _find_missing(use_case: UseCase, samples: Sequence[Sample]) -> set[str]:
    """Cases without a sample."""
    return {case.id for case in use_case.cases} - {sample.graded.case for sample in samples}


def _use_case_gap(
    use_case: UseCase,
    samples: Sequence[Sample],
    counts: Sequence[Sample],
    day: DayFacts,
    unjudged: bool,
    allowed: float,
) -> str | None:
    if not samples:
        return f"no judge: {day.no_judge}" if use_case.grading == "judge" and day.no_judge else "not asked"
    failed = [sample for sample in samples if sample.graded.errored and _has_answer(sample)]
    if len(failed) > allowed * len(samples):
        return (
            f"{len(failed)} of {len(samples)} answers could not be graded, more than {allowed:.0%}: "
            f"{_most_frequent(failed)}"
        )
    if not counts:
        return f"every sample errored: {_most_frequent(samples)}"
    lost, every = len(_find_missing(use_case, counts)), len(use_case.cases)
    if lost > allowed * every:
        return f"{lost} of {every} cases have no score, more than {allowed:.0%}: {_most_frequent(samples)}"
    return f"no judge: {day.no_judge or 'these answers were not judged'}" if unjudged else None


def _is_unjudged(use_case: UseCase, grades: Iterable[GradedLine]) -> bool:
    """Whether one of them waits for the judge. It marks all cases of a use case with a rubric, and else those
    that expect it."""
    waiting = {grade.case for grade in grades if grade.judged is None}
    return bool(waiting) and any(case.id in waiting for case in use_case.judged_cases)


def _has_answer(sample: Sample) -> bool:
    """Whether there is an answer, even if it could not be checked or judged."""
    return sample.graded.level_a or sample.graded.error_type == UNCHECKED


def _drop_errors(samples: Iterable[Sample]) -> list[Sample]:
    return [sample for sample in samples if not sample.graded.errored]


def _list_points(
    samples: Iterable[Sample], part: Literal["score", "checked", "judged"] = "score"
) -> list[tuple[str, float]]:
    """Case and points of each sample: of its whole grade, or of one part."""
    return [
        (each.graded.case, points) for each in samples if (points := getattr(each.graded, part)) is not None
    ]


def _mean_points(
    values: Sequence[tuple[str, float]],
    use_case: UseCase | None = None,
    usual: Mapping[str, float] | None = None,
) -> float | None:
    """0–100: the mean over cases of each case's mean, so that an errored sample does not change a case's
    weight.

    A missing case counts with its usual mean: a day without the hard cases is no better, one without the easy
    cases no worse.
    """
    cases: dict[str, list[float]] = {}
    for case, value in values:
        cases.setdefault(case, []).append(value)
    if not cases:
        return None
    missing = [case.id for case in use_case.cases if case.id not in cases] if use_case else []
    means = [
        *map(_mean, cases.values()),
        *(usual[case] for case in missing if usual is not None and case in usual),
    ]
    return round(100 * fmean(means), 4)


def _case_means(samples: Sequence[Sample]) -> dict[str, float]:
    cases: dict[str, list[float]] = {}
    for sample in samples:
        cases.setdefault(sample.graded.case, []).append(sample.graded.score)
    return {case: round(_mean(values), 6) for case, values in cases.items()}


def _list_answers(base: Sequence[Sample]) -> dict[str, tuple[tuple[str, float], ...]]:
    found: dict[str, tuple[tuple[str, float], ...]] = {}
    for each in sorted(base, key=lambda sample: sample.graded.sample):
        known = each.served.answer, round(each.graded.score, 6)
        found[each.graded.case] = (*found.get(each.graded.case, ()), known)
    return found


def _find_further(
    base: Sequence[Sample], counts: Sequence[Sample], use_case: UseCase, ladder: int
) -> list[Sample]:
    """The samples beyond the base ones, of cases with many possible answers: where these repeat, nothing is
    learned from asking again."""
    cases = {
        case.id for case in use_case.cases if case.rungs >= ladder or use_case.grading != "deterministic"
    }
    known = {(each.graded.case, each.graded.sample) for each in base}
    return [
        each
        for each in counts
        if each.graded.case in cases
        and (each.graded.case, each.graded.sample) not in known
        and (each.served.answer or use_case.grading == "deterministic")
    ]


def _count_other(base: Sequence[Sample], further: Sequence[Sample], use_case: UseCase) -> int:
    """How many of these gave another answer than all base samples of their case. An answer of a ladder is
    known by its score."""
    by_score = use_case.grading == "deterministic"

    def identify(sample: Sample) -> tuple[str, str | float]:
        return sample.graded.case, round(sample.graded.score, 6) if by_score else sample.served.answer

    known = {identify(each) for each in base}
    return sum(identify(each) not in known for each in further)


def _mean(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else fmean(values)  # most cases are asked once a day


def _count_values(values: Iterable[str | None]) -> dict[str, int]:
    there = [value for value in values if value]
    if there and there.count(there[0]) == len(there):  # nearly always
        return {there[0]: len(there)}
    return dict(Counter(there).most_common())


def _most_frequent(samples: Sequence[Sample]) -> str:
    reasons = Counter(sample.graded.error_detail or "unknown" for sample in samples if sample.graded.errored)
    return reasons.most_common(1)[0][0] if reasons else "unknown"
