"""`analysis.md`: a study of one run or several, written beside the results it is computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from probatio.config import Config
from probatio.errors import UsageError
from probatio.extras import installed_extras
from probatio.store.files import put
from probatio.store.layout import ANALYSIS
from probatio.study.attempts import attempts
from probatio.study.curves import learning_curves
from probatio.study.factors import factors
from probatio.study.failures import failures
from probatio.study.findings import Study
from probatio.study.narrative import Narrative, narrate, section, unasked
from probatio.study.prices import prices
from probatio.study.rates import axes, funnels, hardest, overall
from probatio.study.report import report
from probatio.study.telling import told
from probatio.study.tokens import shared_parts
from probatio.study.trials import Trials, open_trials
from probatio.suite.language_suite import Suite

PICTURE = "analysis-{name}.png"

CHART_TRIALS = 40
"""Fewer trials than this make a table that is read faster than a chart is drawn."""


def write_analysis(folder: Path, suite: Suite | None = None) -> Path:
    """Study a run and write its analysis. Asks no model and needs no network. `suite` is the run's, where it was read before."""
    return write_study(study_of([folder], suite), folder)[0]


def study_of(folders: Sequence[Path], suite: Path | Suite | None = None) -> Study:
    """Everything there is to find in these runs, which must have asked the same suite."""
    with open_trials(folders, suite) as trials:
        return _study(trials)


def write_study(
    study: Study, target: Path, config: Config | None = None, env: Mapping[str, str] | None = None
) -> tuple[Path, Narrative]:
    """Write analysis.md and its pictures into the folder; with a config its analyst adds the narrative."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        computed = report(study, _pictures(study, target))
        narrative = unasked(computed, target) if config is None else narrate(computed, config, env or {}, target)
        put(target / ANALYSIS, f"{computed}\n{section(narrative, computed)}".encode())
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror}; name another folder with --out.") from None
    return target / ANALYSIS, narrative


def _study(trials: Trials) -> Study:
    rate = overall(trials)
    tokens = shared_parts(trials) if rate.asked else {}
    curves, no_curves = learning_curves(trials, tokens)
    worth, no_worth = factors(trials) if rate.asked else (None, "No answer has been graded yet.")
    unasked_trials, controls = trials.rows(
        "select count(*) filter (not asked), count(*) filter (asked and control) from trials"
    )[0]
    trying, worth_of_feedback = attempts(trials)
    return Study(
        runs=trials.runs,
        graders=trials.graders,
        notes=trials.notes,
        overall=rate,
        unasked=unasked_trials,
        controls=controls,
        axes=axes(trials),
        funnels=funnels(trials),
        curves=curves,
        no_curves=no_curves,
        factors=worth,
        no_factors=no_worth,
        hardest=hardest(trials),
        failures=failures(trials, tokens),
        trying=trying,
        feedback_worth=worth_of_feedback,
        prices=prices(trials, tokens),
        told=told(trials),
    )


def _pictures(study: Study, target: Path) -> dict[str, str]:
    """Draw what there is to draw; pictures of an earlier analysis do not outlive it."""
    for stale in target.glob(PICTURE.format(name="*")):
        stale.unlink()
    if study.overall.asked < CHART_TRIALS or not (study.curves or len(study.funnels) > 1):
        return {}
    if not installed_extras()["charts"]:
        return {}
    from probatio.charts.png import write_png
    from probatio.study.pictures import pictures_of

    names = {}
    for name, svg in pictures_of(study).items():
        names[name] = PICTURE.format(name=name)
        write_png(svg, target / names[name])
    return names
