"""`probatio study compare` and `study plan`: paired comparisons, and the chance to see a difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from probatio.cli import options
from probatio.core.errors import UsageError


@click.command()
@click.argument("sides", nargs=-1, required=True, metavar="A B...", shell_complete=options.complete_runs)
@click.option(
    "--each",
    metavar="AXIS",
    help="Compare all levels of this axis in one run, such as every model with every other.",
)
@click.option("--to-first", is_flag=True, help="Of several sides, compare each with the first only.")
@click.option(
    "--fail-on",
    type=click.Choice(["worse"]),
    help="Exit code 1 if B is worse than A: the whole interval of the difference lies below 0. Also if that "
    "can't be told: too few tasks, too old, another suite, answers missing.",
)
@click.option(
    "--by",
    type=click.FloatRange(0, 99),
    metavar="POINTS",
    help="Tolerate a loss of so many points: the whole interval has to lie below it.  [default: 0]",
)
@click.option(
    "--rule-out",
    type=click.FloatRange(0, 100, min_open=True),
    metavar="POINTS",
    help="Pass only if a loss of so many points is ruled out by the interval.  [default: 20 more than --by]",
)
@click.option(
    "--max-age",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Pass only if A is not older.  [default: any age]",
)
@click.option(
    "--across-versions",
    is_flag=True,
    help="Of days and with --fail-on: compare other questions too, such as before and after prompts were "
    "changed; paired by task, and said so.",
)
@options.value_option(
    "--format",
    click.Choice(["text", "markdown"]),
    "text",
    "How it is printed; markdown is for the comment of a pull request.",
)
@options.path_option(
    "--junit", "With --fail-on: also write JUnit XML, for a CI server.", only="file", metavar="FILE.xml"
)
@options.results
@options.recorded_suite
@options.as_json
@click.pass_context
def compare(
    ctx: click.Context,
    sides: tuple[str, ...],
    each: str | None,
    to_first: bool,
    results: Path,
    suite: Path | None,
    fail_on: str | None,
    by: float | None,
    rule_out: float | None,
    max_age: int | None,
    across_versions: bool,
    format: str,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Compare B with A, paired by trial: the difference with its interval, a p, and the tasks whose
    result changed.

    A and B are PATH[:KEY=VALUE,…]. PATH is a run's id, folder or address (s3://…, gs://…), a folder of days
    (`daily` means those of --results), or a baseline: a name that `study baseline` gave. Keys of a run are
    model, context, n_shot, dialect, type, category, difficulty, task and sample; keys of days are model,
    use_case, task, sample and date. Globs are allowed, and a key given twice selects both values. With more
    than two sides every two are compared, and the p-values are corrected for that (Holm).

    \b
    Examples:
      probatio study compare monday tuesday                                     two runs
      probatio study compare monday:model=gpt-4o monday:model=gpt-4o-mini       two models of one run
      probatio study compare monday --each model                                every two models of one run
      probatio study compare monday:context=minimal monday:context=basic monday:context=complete --to-first
      probatio study compare monday tuesday --fail-on worse      for CI: exit code 1 if tuesday is worse
      probatio study compare monday tuesday --fail-on worse --by 2                  … by more than 2 points
      probatio study compare main tuesday --fail-on worse --format markdown > comment.md
      probatio study compare daily:date=2026-10-01..2026-10-07 daily:date=2026-10-08..2026-10-14
    """
    from probatio.core.clock import today
    from probatio.learn.compare import compare_all, list_sides
    from probatio.learn.gate import judge_build, make_rule
    from probatio.learn.report.comparison import list_comparison, list_comparisons
    from probatio.learn.selection import locate, parse_selection

    if each is not None:
        if len(sides) > 1:
            raise UsageError(
                f"--each {each} takes one run and compares what is in it; {len(sides)} were given."
            )
        sides = tuple(list_sides(sides[0], each, results, suite))
    elif len(sides) < 2:
        raise UsageError("Name two sides to compare, or one run with --each model.")
    if format == "markdown" and (as_json or len(sides) > 2):
        raise UsageError("--format markdown shows two sides, and goes without --json.")
    gate = None
    if fail_on is None:
        if by is not None or rule_out is not None or max_age is not None:
            raise UsageError("--by, --rule-out and --max-age go with --fail-on worse.")
        if junit is not None:
            raise UsageError("--junit goes with --fail-on worse: the gate is the test that passes or fails.")
        for side in sides:
            if change := locate(parse_selection(side), results).describe_change():
                options.warn(change)
        compared = compare_all(sides, results, suite, to_first=to_first, across_versions=across_versions)
    else:
        if len(sides) > 2:
            raise UsageError(f"--fail-on worse compares one side with another; {len(sides)} were given.")
        found, gate = judge_build(
            sides,
            results,
            suite,
            make_rule(by or 0.0, rule_out, max_age),
            today(),
            across_versions=across_versions,
        )
        compared = [found] if found else []
        if junit is not None:
            from probatio.learn.exports.junit import write_gate_junit

            write_gate_junit(found, gate, sides, junit)
    if format == "markdown":
        from probatio.learn.report.comment import list_comment

        for line in list_comment(compared[0] if compared else None, gate):
            click.echo(line)
    elif as_json and len(compared) > 1:
        options.print_event("comparisons", corrected="holm", comparisons=compared)
    elif as_json:
        options.print_event("comparison", compared[0] if compared else None, gate=gate)
    else:
        for line in list_comparisons(compared) if len(compared) > 1 else ():
            click.echo(line)
        for line in list_comparison(compared[0]) if len(compared) == 1 else ():
            click.echo(line)
        if gate:
            click.echo(f"Gate: {gate.sentence}")
    if gate and not gate.passed:
        ctx.exit(1)


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@click.option("--as", "name", required=True, metavar="NAME", help="The name of the baseline.")
@options.results
@options.as_json
def baseline(run: str, name: str, results: Path, as_json: bool) -> None:
    """Pin a run, or what is selected of it or of days, under a name to compare with. It is kept in
    baselines.json of --results.

    A baseline never moves by itself: another one takes its place only if you pin it, days that come later do
    not come in, and a digest of answers and grades is kept. If they change, `study compare` says so, and no
    gate passes.

    \b
    Examples:
      probatio study baseline monday --as main        then: probatio study compare main tuesday
      probatio study baseline monday:model=gpt-4o,context=basic --as main
      probatio study baseline daily:date=2026-10-01..2026-10-14 --as october
    """
    from probatio.core.clock import today
    from probatio.learn.baselines import read_baselines
    from probatio.learn.selection import pin_baseline

    before = read_baselines(results).get(name)
    pinned = pin_baseline(name, run, results, today())
    if as_json:
        options.print_event("baseline", pinned, name=name, before=before)
        return
    click.echo(f"Baseline {name}: {pinned.selection}{f' (before: {before.selection})' if before else ''}")


@click.command()
@click.argument("pilot", nargs=-1, metavar="[RUN | A B]")
@click.option(
    "--delta",
    type=click.FloatRange(-100, 100),
    required=True,
    metavar="POINTS",
    help="The difference, B minus A.",
)
@click.option(
    "--tasks", type=click.IntRange(1), help="Tasks in the comparison.  [default: those of the pilot]"
)
@click.option("--samples", type=click.IntRange(1), help="Answers per trial.  [default: 1, or as the pilot]")
@click.option(
    "--conditions",
    type=click.IntRange(1),
    help="Under how many conditions both sides answer each task, such as contexts times n-shots.  [default: "
    "1, or as the pilot]",
)
@options.value_option(
    "--between", click.Choice(["model", "context", "dialect"]), "model", "What will be compared."
)
@click.option(
    "--rate",
    type=click.FloatRange(0, 100),
    metavar="%",
    help="How often A passes.  [default: 50, or as the pilot]",
)
@click.option(
    "--sides",
    type=click.IntRange(2),
    help="How many sides will be compared; their p-values are corrected together.  [default: 2, or those of "
    "the pilot]",
)
@click.option("--to-first", is_flag=True, help="Of several sides, each is compared with the first only.")
@options.value_option("--chance", click.FloatRange(10, 99), 80, "The chance to plan for.", metavar="%")
@options.results
@options.as_json
def plan(pilot: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Tell the chance that a comparison will show a difference of so many points, and how many tasks it
    takes.

    The comparison is paired and clustered by task, as `probatio study compare` does it, and several are
    corrected together. Without a pilot,
    rates are stated and answers to one task are taken to be as alike as usual. RUN takes both from a run with
    several models, contexts or dialects; A B from two sides as `probatio study compare` takes them.

    \b
    Examples:
      probatio study plan --delta 5 --tasks 95 --samples 1
      probatio study plan --delta 5 --tasks 95 --conditions 20 --rate 80        each task under 20 conditions
      probatio study plan --delta 5 --tasks 95 --sides 4                        every two of four models
      probatio study plan monday --delta 5 --between context                    from a pilot run
      probatio study plan monday:model=a tuesday:model=b --delta -3 --chance 90
    """
    from probatio.learn.planning import list_power, plan_power

    if len(pilot) > 2:
        raise UsageError(f"A pilot is one run or two sides; {len(pilot)} were given.")
    plan = plan_power(pilot, **given)
    if as_json:
        options.print_event("power", plan)
        return
    for line in list_power(plan):
        click.echo(line)
