"""The question: is what the bets won more than a new draw of the same answers would show?

A day with M at its line, and some of it there the day before, opens the question for `question_days` scored
days. While it is open the proof by draws (`draws.py`) may answer it, and its days stay out of the reference.
Unanswered for so long, while scores are lower than the reference, it leaves the note `lower`: a loss that
can't be proven is told until it ends.

**Not asked.** A stream that not even a total loss could prove is confirmed by its own part of M alone: a few
yes/no cases, answers without texts, texts that never repeat.

**Full count** shows nothing where the further samples are the same answers again: there it is asked on one of
`full_every` days that want it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probatio.core.records import DrawsConstants, EvidenceConstants
from probatio.watch.verdict.evidence.answered_days import (
    NONE,
    AnsweredDays,
    Referred,
    SharedDays,
    Units,
    no_reference_yet,
)
from probatio.watch.verdict.evidence.draws import find_provable, prove, refer
from probatio.watch.verdict.evidence.history import LONG_AGO, History, answered_days
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel

TOGETHER, MOST_ANSWERS = 64, 10**5
"""Models proven at once, and how many answers they may have: their numbers fit into memory then."""


@dataclass(frozen=True, slots=True)
class Question(PerModel):
    """Of each model; M is what the bets have won."""

    provable: Bools  # [m, S] a total loss of the stream could be proven
    fresh: Bools  # [m] the texts of yes/no cases hardly ever repeat
    alone: Floats  # [m] M of the streams of which no proof can be asked
    line_on: Ints  # [m] scored days of the series on the last day that opened the question …
    doubted: Ints  # [m] … and before the first such day of the open question
    lately: Floats  # [m, recovery days] distance of the pool of all from its reference mean
    lower: Bools  # [m] open for long, without proof, and scores are lower
    wanted: Ints  # [m] days that wanted full count since the last one that had it
    repeats: Bools  # [m] on that day the further samples were the same answers
    referred: Referred

    @property
    def silent(self) -> Bools:
        """[m, S] no proof can be asked for."""
        return ~self.provable

    def is_open(self, scored: Ints, constants: DrawsConstants) -> Bools:
        """[m] after so many scored days of the series."""
        return np.asarray(scored - self.line_on < constants.question_days)

    def clear(self, rows: Bools) -> Question:
        """No question is open of these models."""
        return replace(
            self,
            alone=np.where(rows, 0.0, self.alone),
            line_on=np.where(rows, LONG_AGO, self.line_on),
            lower=self.lower & ~rows,
        )


def new_question(models: int, units: Units, constants: EvidenceConstants) -> Question:
    def never() -> Ints:
        return np.full(models, LONG_AGO, dtype=np.int64)

    def no(*shape: int) -> Bools:
        return np.zeros((models, *shape), dtype=bool)

    return Question(
        provable=no(len(units.weights)),
        fresh=no(),
        alone=np.zeros(models),
        line_on=never(),
        doubted=never(),
        lately=np.full((models, constants.recovered_days), np.nan),
        lower=no(),
        wanted=-never(),
        repeats=no(),
        referred=no_reference_yet(models, units),
    )


def allows_full(question: Question, constants: DrawsConstants) -> Bools:
    """[m] full count can show more than the base samples do, or was not asked for long."""
    return np.asarray(~question.repeats | (question.wanted >= constants.full_every))


def count_full(
    question: Question, wanted: Bools, full: Bools, others: Floats, constants: DrawsConstants
) -> Question:
    """After a day: `others` [m] is the share of further samples that were other answers than the base
    samples, of cases with many possible answers; NaN if unknown."""
    return replace(
        question,
        wanted=np.where(full, 0, question.wanted + wanted),
        repeats=np.where(full, others < constants.other_share, question.repeats),
    )


def refer_question(
    question: Question, history: History, rows: Ints, units: Units, constants: EvidenceConstants, lag: Ints
) -> Question:
    """With a new reference of these models: what of them could be proven."""
    draws = constants.draws
    every = answered_days(history, rows, constants, no_reference_yet(len(rows), units))
    fresh, provable = question.fresh.copy(), question.provable.copy()
    fresh[rows] = _find_fresh(every, units, draws)
    provable[rows] = False
    asked = _leave_out(every, fresh[rows], units)
    referred = refer(asked, units, draws, lag)
    if every.member.any():
        whole = replace(asked, referred=replace(asked.referred, shared=referred.shared))
        provable[rows] = find_provable(whole, units, draws)
    return replace(
        question,
        fresh=fresh,
        provable=provable,
        referred=_put_rows(question.referred, rows, referred),
    )


def _put_rows(old: Referred, rows: Ints, new: Referred) -> Referred:
    """`new` in the place of these models; both know as many answers then."""
    most = max(old.answers.shape[2], new.answers.shape[2])
    old, new = (
        replace(each, answers=np.pad(each.answers, ((0, 0), (0, 0), (0, most - each.answers.shape[2]))))
        for each in (old, new)
    )
    where = np.zeros(len(old.upto), dtype=bool)
    where[rows] = True
    return old.put(where, new)


def _find_fresh(days: AnsweredDays, units: Units, draws: DrawsConstants) -> Bools:
    """[m] nearly all late answers of yes/no cases were texts not seen before. Codes count answers as they
    first came."""
    yes_no = ~(units.judged | units.ladders)[units.home]
    if not yes_no.any() or not days.codes.shape[1]:
        return np.zeros(len(days.codes), dtype=bool)
    codes = days.codes[:, :, yes_no]
    before = np.maximum.accumulate(codes, axis=1)
    new = np.ones(codes.shape, dtype=bool)
    new[:, 1:] = codes[:, 1:] > before[:, :-1]
    there = codes[:, -draws.question_days :] != NONE
    count = there.sum(axis=(1, 2))
    late = (new[:, -draws.question_days :] & there).sum(axis=(1, 2))
    return np.asarray((count > 0) & (late >= draws.fresh_share * count))


def _leave_out(days: AnsweredDays, fresh: Bools, units: Units) -> AnsweredDays:
    """Without the yes/no cases of models whose texts hardly ever repeat."""
    if not fresh.any():
        return days
    yes_no = ~(units.judged | units.ladders)[units.home]
    cases = fresh[:, None, None] & ~(units.judged | units.ladders)
    return replace(
        days,
        means=np.where(cases, np.nan, days.means),
        codes=np.where(fresh[:, None, None] & yes_no, NONE, days.codes),
        squares=np.where(cases, 0.0, days.squares),
        other=days.other & ~cases,
    )


def ask(
    question: Question,
    history: History,
    asked: Bools,
    units: Units,
    constants: EvidenceConstants,
    lag: Ints,
) -> tuple[Floats, Floats]:
    """z of each stream [m, S], for a fall and for a rise; a use case's own counts for less. NaN where none is
    asked for."""
    draws = constants.draws
    worse, better = np.full(question.provable.shape, np.nan), np.full(question.provable.shape, np.nan)
    rows = np.flatnonzero(asked)
    margin = np.where(units.own, draws.use_case_margin, 0.0)
    answers = len(units.cases) * question.referred.answers.shape[2]
    together = max(1, min(TOGETHER, MOST_ANSWERS // max(answers, 1)))
    for begin in range(0, len(rows), together):
        part = rows[begin : begin + together]
        referred = question.referred.rows(part)
        days = _leave_out(answered_days(history, part, constants, referred), question.fresh[part], units)

        def share(which: Ints, weights: Floats, part: Ints = part) -> Floats:
            of = part[which]
            every = answered_days(history, of, constants, no_reference_yet(len(of), units))
            return SharedDays.of(_leave_out(every, question.fresh[of], units), lag[of]).beyond(weights)

        found = prove(days, units, draws, share)
        for kept, z in ((worse, found.z), (better, found.better)):
            kept[part] = np.where(question.provable[part], z - margin, np.nan)
    return worse, better


def follow(
    question: Question,
    scored: Ints,
    line: Bools,
    betting: Bools,
    distance: Floats,
    level: Floats,
    tau: Floats,
    confirmed: Bools,
    draws: DrawsConstants,
) -> Question:
    """After a day: open or keep the question, and the note of one that stays without proof.

    `scored` [m]: scored days with today; `line` [m]: M is at its line. Of the pool of all: `distance` [m] of
    the day from the reference mean, that mean `level`, and τ.
    """
    was_open = question.is_open(scored - betting, draws)
    question = replace(
        question,
        line_on=np.where(line, scored, question.line_on),
        doubted=np.where(line & ~was_open, scored - 1, question.doubted),
    )
    shifted = np.concatenate([question.lately[:, 1:], distance[:, None]], axis=1)
    lately = np.where((betting & ~np.isnan(distance))[:, None], shifted, question.lately)
    usual = lately.mean(axis=1)
    long = question.is_open(scored, draws) & (scored - question.doubted >= draws.question_days)
    lower = question.lower | (long & (usual < -draws.band * level))
    return replace(question, lately=lately, lower=lower & ~confirmed & ~(usual >= -tau * level))
