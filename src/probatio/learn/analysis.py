"""`analysis.md`: a study of one run or several, written next to the results it is computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from probatio.core.config import Config
from probatio.core.errors import UsageError
from probatio.core.extras import list_installed
from probatio.core.files import put
from probatio.learn.attempts import fit_tried_curves, measure_attempts
from probatio.learn.curves import fit_curves
from probatio.learn.factors import measure_factors
from probatio.learn.failures import pick_failures
from probatio.learn.findings import Study
from probatio.learn.prices import measure_prices
from probatio.learn.rates import (
    count_funnels,
    count_variants,
    find_hardest,
    find_uneven,
    measure_axes,
    measure_categories,
    measure_inferred,
    measure_overall,
)
from probatio.learn.report.narrative import Narrative, explain_missing, format_narrative, narrate
from probatio.learn.report.sections import format_report
from probatio.learn.report.tables import name_axis
from probatio.learn.rules import measure_rules
from probatio.learn.search import list_found
from probatio.learn.tokens import count_shared_parts
from probatio.learn.trials import Trials, open_trials
from probatio.runs.store.layout import ANALYSIS
from probatio.suites.language_suite import Suite

PICTURE = "analysis-{name}.png"

CHOSEN = (
    "A search chose its questions, those that are hard to tell: its rates are of what was asked. The share "
    "of all tasks at each level stands under the search."
)

VARIANTS = (
    "The {} tasks are variants of {}. What variants of one task have in common is no evidence twice, so "
    "every interval, test and count of tasks takes them as one task."
)

UNEVEN = (
    "Levels of {} were not asked under the same conditions and tasks, so their rates also differ by what "
    "else was asked. What each factor is worth holds the other factors equal, and `probatio study compare` "
    "pairs what was asked alike."
)

CHART_TRIALS = 40
"""Fewer trials than this make a table that is read faster than a chart is drawn."""


def write_analysis(folder: Path, suite: Suite | None = None) -> Path:
    """Study a run and write its analysis. Asks no model and needs no network. `suite`: the suite of the run,
    if it was read before."""
    return write_study(study_of([folder], suite), folder)[0]


def study_of(folders: Sequence[Path], suite: Path | Suite | None = None) -> Study:
    """Everything there is to find in these runs. They must have asked the same suite."""
    with open_trials(folders, suite) as trials:
        return _study(trials)


def write_study(
    study: Study, target: Path, config: Config | None = None, env: Mapping[str, str] | None = None
) -> tuple[Path, Narrative]:
    """Write analysis.md and its pictures into the folder; with a config its analyst adds the narrative."""
    with fill_folder(target):
        computed = format_report(study, _pictures(study, target))
        narrative = (
            explain_missing(computed, target)
            if config is None
            else narrate(computed, config, env or {}, target)
        )
        put(target / ANALYSIS, f"{computed}\n{format_narrative(narrative, computed)}".encode())
    return target / ANALYSIS, narrative


@contextmanager
def fill_folder(target: Path) -> Iterator[None]:
    """Write into a folder, made if need be. A folder that can't be written is a mistake of the user."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise UsageError(
            f"{target} can't be written: {error.strerror}; name another folder with --out."
        ) from None


def write_pictures(target: Path, form: str, draw: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    """Write pictures as PNG, if the extra is there, and delete those of an earlier analysis. Name → file."""
    for stale in target.glob(form.format(name="*")):
        stale.unlink()
    if not list_installed()["charts"]:
        return {}
    from probatio.charts.figure import write_png

    names = {}
    for name, svg in draw().items():
        names[name] = form.format(name=name)
        write_png(svg, target / names[name])
    return names


def _study(trials: Trials) -> Study:
    rate = measure_overall(trials)
    tokens = count_shared_parts(trials) if rate.asked else {}
    curves, no_curves = fit_curves(trials, tokens)
    worth, no_worth = measure_factors(trials) if rate.asked else (None, "No answer has been graded yet.")
    unasked_trials, controls = trials.rows(
        "select count(*) filter (not asked and not control), count(*) filter (asked and control) from trials"
    )[0]
    variants = count_variants(trials)
    trying, worth_of_feedback = measure_attempts(trials)
    found = list_found(trials)
    notes = [CHOSEN] if found else []
    uneven = [] if found else find_uneven(trials)  # a search says by itself that it chooses
    notes += [UNEVEN.format(" and ".join(map(name_axis, uneven)))] if uneven else []
    notes += [VARIANTS.format(variants, rate.tasks)] if variants else []
    return Study(
        runs=trials.runs,
        graders=trials.graders,
        notes=[*trials.notes, *notes],
        overall=rate,
        unasked=unasked_trials,
        controls=controls,
        axes=measure_axes(trials),
        funnels=count_funnels(trials),
        curves=curves,
        no_curves=no_curves,
        factors=worth,
        no_factors=no_worth,
        hardest=find_hardest(trials),
        failures=pick_failures(trials, tokens),
        trying=trying,
        feedback_worth=worth_of_feedback,
        categories=measure_categories(trials),
        tried_curves=fit_tried_curves(trials, tokens),
        prices=measure_prices(trials, tokens),
        told=measure_inferred(trials),
        found=found,
        rules=measure_rules(trials, tokens),
        variants=variants,
        control_rate=measure_overall(trials, controls=True) if controls else None,
    )


def _pictures(study: Study, target: Path) -> dict[str, str]:
    """The pictures there is data for."""

    def draw() -> dict[str, str]:
        if study.overall.asked < CHART_TRIALS or not (study.curves or len(study.funnels) > 1):
            return {}
        from probatio.learn.report.pictures import draw_study

        return draw_study(study)

    return write_pictures(target, PICTURE, draw)
