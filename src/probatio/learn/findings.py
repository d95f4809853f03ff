"""Findings of a study, as plain records. The report, the charts and `--json` show these and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from probatio.charts.curves import Point
from probatio.core.statistics.intervals import Rate
from probatio.learn.alike import RunSeen
from probatio.learn.statistics.threshold import STATED
from probatio.learn.trials import AnswerPlace


class Condition(NamedTuple):
    """How a model was asked, for any task."""

    model: str
    dialect: str
    context: str
    n_shot: int

    @property
    def asked_with(self) -> str:
        """The condition without its model, in words."""
        return f"{self.context}, {self.n_shot}-shot, {self.dialect}"

    @property
    def asked_with_slug(self) -> str:
        """The same for names of files and tests."""
        return f"{self.context}-{self.n_shot}shot-{self.dialect.replace('+', '-')}"


class LevelRate(msgspec.Struct, frozen=True):
    """One row of a table of rates: a level of an axis, such as `minimal` of `context`."""

    name: str
    rate: Rate
    unasked: int


class AxisRates(msgspec.Struct, frozen=True):
    """The rates along one axis."""

    name: str
    levels: list[LevelRate]


class CategoryRate(msgspec.Struct, frozen=True):
    """How a model does on one category of tasks under one context."""

    model: str
    category: str
    context: str
    rate: Rate


class Funnel(msgspec.Struct, frozen=True):
    """How many answers of a model came through each level, and what stopped the others."""

    model: str
    asked: int
    level_a: int
    level_b: int
    level_c: int
    passed: int
    unasked: int
    errors: dict[str, int]


class Place(msgspec.Struct, frozen=True):
    """A condition and its tokens."""

    tokens: int
    context: str
    n_shot: int


class Bracket(msgspec.Struct, frozen=True):
    """Where a number of tokens lies: more than `above`, at most `at_most`. Only what was tried is known, so
    it is never one number."""

    above: int | None  # None: the least that was tried is enough
    at_most: int | None  # None: what was tried is not enough

    def __str__(self) -> str:
        ends = [f"more than {self.above:,}"] if self.above is not None else []
        ends += [f"at most {self.at_most:,}"] if self.at_most is not None else []
        return ", ".join(ends)


class Reach(msgspec.Struct, frozen=True):
    """How many tokens of context and examples it takes to reach a share."""

    share: float
    fitted: Place | None  # the smallest condition at which the monotone fit reaches it; None: none does
    alone: Place | None  # by its own rate, whatever larger conditions do
    tokens: Bracket
    interval: Bracket  # from the middle 95 % of resamples
    most: int  # tokens of the largest condition that was tried
    best: float  # the share that the fit reaches with them
    resamples_reaching: float


class LevelSeen(msgspec.Struct, frozen=True):
    """One level: what was asked there, and the share of the suite's tasks that would be right."""

    context: str
    n_shot: int
    tokens: int
    asked: int
    right: int
    share: float
    low: float
    high: float


class Found(msgspec.Struct, frozen=True):
    """What a search tells of a model."""

    model: str
    share: float
    tokens: Bracket
    place: Place | None  # the level that is enough; None if none is
    chance: float  # that the level lies in the bracket
    settled: bool  # False while more questions could tell more
    falls: bool  # the share is reached and lost again with more tokens
    asked: int
    questions: int  # of the whole grid
    levels: list[LevelSeen]

    @property
    def sure(self) -> str:
        return f"{100 * STATED:.0f} % sure" if self.settled else "so far"

    @property
    def best(self) -> LevelSeen:
        return max(self.levels, key=lambda level: level.share)

    @property
    def sentence(self) -> str:
        mark, sure, best = f"{100 * self.share:.0f} %", self.sure, self.best
        if self.place is None and self.tokens.above is not None:
            answer = (
                f"{self.model} has not learned {mark} with up to {self.levels[-1].tokens:,} tokens; "
                f"best {100 * best.share:.0f} % with {best.tokens:,} ({sure})"
            )
        elif self.place is None:
            answer = f"{self.model}: nothing is known yet of the tokens for {mark}"
        else:
            where = f"{self.place.context}, {self.place.n_shot}-shot"
            answer = f"{self.model} takes {self.tokens} tokens for {mark} ({where}; {sure})"
        fall = "; its share falls again with more tokens, so no curve fits it" if self.falls else ""
        more = "" if self.settled else "; not settled yet"
        return f"{answer}{fall}{more}. {self.asked} of {self.questions} questions were asked."


class Dip(msgspec.Struct, frozen=True):
    """Where a curve falls by more than chance would make a curve fall that never does. It has no fit then."""

    before: Place
    after: Place
    rate_before: float
    rate_after: float
    p: float

    @property
    def sentence(self) -> str:
        ends = [
            f"{100 * rate:.0f} % at {place.tokens:,} tokens ({place.context}, {place.n_shot}-shot)"
            for rate, place in ((self.rate_before, self.before), (self.rate_after, self.after))
        ]
        p = "< 0.001" if self.p < 0.001 else f"{self.p:.3f}"
        return (
            f"The rate falls with more context: {ends[0]}, {ends[1]} (p {p}). So no curve is fitted, and no "
            "number of tokens is said to be enough."
        )


class Curve(msgspec.Struct, frozen=True):
    """Pass rate against the prompt tokens of context and examples, for one model in one dialect."""

    model: str
    dialect: str
    tasks: int
    estimated: bool  # tokens estimated from the prompt's length: the run does not record them
    points: list[Point]
    reach: list[Reach]
    contexts: tuple[str, ...] = ()  # those of its points, from least to most
    dip: Dip | None = None


def curve_name(curve: Curve, curves: Sequence[Curve]) -> str:
    """The model, and its dialect if more than one is shown."""
    several = len({other.dialect for other in curves}) > 1
    return f"{curve.model}, {curve.dialect}" if several else curve.model


class Effect(msgspec.Struct, frozen=True):
    """What one level of a factor is worth against the factor's reference level, all else equal."""

    factor: str
    level: str
    reference: str
    odds_ratio: float
    odds_low: float | None  # None if unbounded on this side; both are None …
    odds_high: float | None  # … if all answers of a level are alike
    points: float  # average marginal effect, percentage points
    points_low: float | None  # None where all tasks move alike
    points_high: float | None
    p: float  # of the score test; below 0.05 exactly where the intervals exclude an odds ratio of 1, 0 points


class JointTest(msgspec.Struct, frozen=True):
    """Whether a factor, or the interplay of two, could be left out."""

    terms: tuple[str, ...]
    df: int
    statistic: float
    p: float
    # Of an interplay: the cell farthest from what the factors alone predict, in percentage points.
    departure: float | None = None
    departing: str | None = None


class Factors(msgspec.Struct, frozen=True):
    """What each factor is worth, from a logistic model with errors clustered by task."""

    tasks: int
    trials: int
    effects: list[Effect]
    tests: list[JointTest]
    interplay: list[JointTest]
    notes: list[str]


class HardTask(msgspec.Struct, frozen=True):
    task_id: str
    type: str | None
    category: str | None
    difficulty: str | None
    rate: Rate


class FailedTrial(AnswerPlace, frozen=True):
    """One failing answer in full."""

    error_type: str
    error_detail: str | None
    question: str | None
    answer: str | None


class Repair(msgspec.Struct, frozen=True):
    """What happened after first answers with one class of error."""

    error: str
    rate: Rate  # of them, those that a later attempt put right


class Trying(msgspec.Struct, frozen=True):
    """One model in one run with several attempts."""

    run: str
    model: str
    feedback: str
    within: list[Rate]  # solved within 1, 2, … attempts
    tokens_to_solve: float | None  # mean of tokens in and out until solved, over the trials that were
    tokens_spent: float | None  # mean over all trials
    repairs: list[Repair]
    contexts: dict[str, list[Rate]] = {}  # context → solved within 1, 2, … attempts


class FeedbackWorth(msgspec.Struct, frozen=True):
    """What one feedback is worth against another, over the same trials. Differences are `b` less `a`."""

    model: str
    a: str
    b: str
    attempts: int
    pairs: int
    points: tuple[float, float, float]  # difference of the share solved, its interval; percentage points
    tokens: tuple[float, float, float] | None  # difference of tokens per trial, and its interval
    within: list[tuple[float, float, float]] = []  # the points within 1, 2, … attempts


class TriedCurves(msgspec.Struct, frozen=True):
    """What documentation is worth alone, and with what is said of wrong answers: two curves of one model over
    the same trials."""

    feedback: str
    attempts: int
    alone: Curve  # of first answers
    tried: Curve  # of what is solved within all attempts


class Inferred(msgspec.Struct, frozen=True):
    """The trials of a model in one context: those whose prompt shows all that the task needs, and those in
    which something must be inferred."""

    model: str
    context: str
    shown: Rate
    inferred: Rate
    lacking: dict[str, int]  # name or rule → trials that lack it


class Diagnosis(msgspec.Struct, frozen=True):
    """What several failures have in common."""

    text: str
    count: int


class RuleCost(msgspec.Struct, frozen=True):
    """How a model does on the tasks that take one rule of the language."""

    model: str
    rule: str
    sentence: str
    tasks: int
    told: Rate  # where the context or an example tells the rule
    untold: Rate
    lost: float | None  # percentage points, against the other tasks of the same difficulty; None without any
    low: float | None
    high: float | None
    reach: Reach | None  # by the curve of the rule's tasks; None where there is none
    failures: int
    diagnoses: list[Diagnosis]  # the most frequent


class PriceAt(msgspec.Struct, frozen=True):
    """What a rule costs under one condition."""

    context: str
    n_shot: int
    tokens: int | None  # of context and examples, under the twist
    estimated: bool
    plain: Rate
    twisted: Rate
    lost: float  # percentage points, without the twist less with it
    low: float
    high: float


class Price(msgspec.Struct, frozen=True):
    """What one exchanged rule costs a model."""

    model: str
    dialect: str
    twist: str
    rule: str
    tasks: int
    pairs: int
    plain: Rate
    twisted: Rate
    lost: float
    low: float
    high: float
    conditions: list[PriceAt]  # by their tokens
    regained: Place | None  # None where it is not, or where the tokens are not known
    control_tasks: int
    control: tuple[float, float, float] | None  # points lost on tasks the rule doesn't touch, and interval


class Study(msgspec.Struct, frozen=True):
    """Everything computed from one run or from several runs of one suite."""

    runs: list[RunSeen]
    graders: list[str]
    notes: list[str]
    overall: Rate  # without controls
    unasked: int
    controls: int
    axes: list[AxisRates]
    funnels: list[Funnel]
    curves: list[Curve]
    no_curves: str | None
    factors: Factors | None
    no_factors: str | None
    hardest: list[HardTask]
    failures: list[FailedTrial]
    trying: list[Trying] = []
    feedback_worth: list[FeedbackWorth] = []
    tried_curves: list[TriedCurves] = []
    categories: list[CategoryRate] = []
    prices: list[Price] = []
    told: list[Inferred] = []
    found: list[Found] = []  # by searches, which choose their questions
    rules: list[RuleCost] = []
    variants: int = 0  # tasks asked, if some are variants of one; every count of tasks takes those as one
    control_rate: Rate | None = None  # of tasks in the host language, in no other rate; None without any

    def __str__(self) -> str:
        from probatio.learn.report.sections import summarise

        return "\n".join(summarise(self))

    def __repr__(self) -> str:
        first = str(self).partition("\n")[0]
        return f"<Study of {', '.join(run.run for run in self.runs)}: {first}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary and the tables."""
        from probatio.learn.exports.study import format_html_study

        return format_html_study(self)
