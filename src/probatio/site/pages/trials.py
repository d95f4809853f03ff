"""Pages of trials: paged lists of a model's trials, and the trials in full, dozens to a page, each with an
anchor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from probatio.learn.curves import SHARES
from probatio.site.facts.runs import PACK_BYTES, GradeShort, StudiedRun, TrialText
from probatio.site.pages.curve_charts import model_charts
from probatio.site.paging import count_pages, make_pager
from probatio.site.rendering import (
    PAGE_BYTES,
    NoPage,
    PageReply,
    PageRequest,
    fit,
    html,
    json,
    money,
    printable,
    scrub,
    thousands,
)
from probatio.site.snapshot import Site

ROWS = 300
"""Trials on one page of a list."""
SHARED = 200
"""Characters that prompts must begin with alike to be shown once for all of them."""
_SHORTEST = 200
TEXT, TEXT_POLICY = "text/plain; charset=utf-8", "default-src 'none'"


class TrialGroup(NamedTuple):
    """Neighbouring trials of one condition, and the text that all their prompts begin with."""

    model: str
    slug: str
    condition: str
    shared: str
    trials: list[tuple[TrialText, str | None]]  # each with the rest of its prompt


def trial_address(run: StudiedRun, number: int) -> str:
    """Where a trial is: its page, and its place on it."""
    return f"learnability/{run.name}/trials/{run.pack_of(number)}/#t{number}"


def model_trials(request: PageRequest) -> PageReply:
    """One page of the list of a model's trials."""
    run = request.run
    model = request.find_slug("slug", run.slugs)
    numbers = run.numbers[model]
    at = make_pager(request, count_pages(len(numbers), ROWS))
    first = ROWS * (at.page - 1)
    return html(
        request,
        "trials.html",
        run=run,
        model=model,
        slug=request.names["slug"],
        trials=[trial_row(run, number) for number in numbers[first : first + ROWS]],
        first=first + 1,
        count=len(numbers),
        pager=at,
        charts=model_charts(run, model, request.path) if at.page == 1 else [],
        shares=SHARES,
    )


def pack_page(request: PageRequest) -> PageReply:
    """Trials in full. The address of a trial that is not the first of its page leads to that page."""
    run, number = request.run, int(request.names["number"])
    if number >= len(run.trials):
        raise NoPage
    first = run.pack_of(number)
    if first != number:
        return PageReply(moved=f"../{first}/#t{number}")
    at = run.packs.index(first)
    end = run.packs[at + 1] if at + 1 < len(run.packs) else len(run.trials)
    groups = list(_groups(run, run.texts(range(first, end))))
    return fit(
        request,
        "trial_pack.html",
        PAGE_BYTES,
        _SHORTEST,
        run=run,
        groups=groups,
        facts=_facts,
        first=first,
        last=end - 1,
        before=run.packs[at - 1] if at else None,
        after=end if end < len(run.trials) else None,
        tasks=run.suite.tasks if run.suite else {},
        texts={number for number in range(first, end) if _long(run, number)},
    )


def pack_index(request: PageRequest) -> PageReply:
    """Where the pages of trials begin: from a trial's number to its page, on a host that redirects
    nothing."""
    return json({"trials": len(request.run.trials), "first": request.run.packs})


def trial_text(request: PageRequest) -> PageReply:
    """A trial with long texts in full, as plain text."""
    run, number = request.run, int(request.names["number"])
    texts = run.texts([number]) if number < len(run.trials) and _long(run, number) else []
    if not texts or texts[0].response is None:
        raise NoPage
    text, response = texts[0], texts[0].response
    parts = {
        "Facts": _facts(text),
        "Prompt": response.prompt,
        "Answer": response.response,
        "Diagnostics": scrub(text.grade.error_detail),
    }
    whole = "\n\n".join(f"== {name} ==\n{printable(part or '–')}" for name, part in parts.items())
    return PageReply(
        f"{run.name}, {text.grade.task_id}\n\n{whole}\n".encode("utf-8", "replace"), TEXT, TEXT_POLICY
    )


def every_text(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for trial in run.trials:
            if _long(run, trial.number):
                yield {"run": run.name, "number": str(trial.number)}


def _long(run: StudiedRun, number: int) -> bool:
    """Whether a trial fills a page alone, which may cut it. There are few: not every trial may have its own
    file."""
    answer = run.trials[number].answer
    return answer is not None and answer.size > PACK_BYTES


def every_list(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for slug in run.slugs.values():
            yield {"run": run.name, "slug": slug}


def every_further_list(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for model, slug in run.slugs.items():
            for page in range(2, count_pages(len(run.numbers[model]), ROWS) + 1):
                yield {"run": run.name, "slug": slug, "number": str(page)}


def every_pack(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for first in run.packs:
            yield {"run": run.name, "number": str(first)}


def trial_row(run: StudiedRun, number: int) -> tuple[str, GradeShort, str, str]:
    """A trial in a list: the end of its address, its grade, the levels it came through, how it ended."""
    grade = run.trials[number].grade
    through = zip("ABC", (grade.level_a, grade.level_b, grade.level_c), strict=True)
    levels = " ".join(name for name, came in through if came) or "none"
    outcome = "✓ right" if grade.correct else f"✗ {grade.error_type or 'wrong'}"
    return f"{run.pack_of(number)}/#t{number}", grade, levels, outcome


def _groups(run: StudiedRun, texts: Sequence[TrialText]) -> Iterator[TrialGroup]:
    def condition(text: TrialText) -> tuple[str, str]:
        grade = text.grade
        return grade.model, f"{grade.context}, {grade.n_shot}-shot, {grade.dialect}"

    for (model, named), members in groupby(texts, key=condition):
        group = list(members)
        prompts = [text.response.prompt if text.response else None for text in group]
        shared = _find_shared([prompt for prompt in prompts if prompt])
        rests = [prompt[len(shared) :] if prompt else prompt for prompt in prompts]
        yield TrialGroup(model, run.slugs[model], named, shared, list(zip(group, rests, strict=True)))


def _facts(text: TrialText) -> str:
    """The numbers of a trial on one line. Not in a template: that takes several times as long, and there may
    be a million trials."""
    grade, response = text.grade, text.response
    attempt = f" · attempt {grade.attempt}" if grade.attempt > 1 else ""
    facts = f"trial {text.trial.number} · sample {grade.sample}{attempt} · " + " · ".join(
        f"{level}: {'yes' if through else 'no'}"
        for level, through in (
            ("A typechecks", grade.level_a),
            ("B runs", grade.level_b),
            ("C right output", grade.level_c),
        )
    )
    if response is None:
        return facts
    named = f"as {response.resolved_model}" if response.resolved_model else ""
    by = f"served by {response.provider}" if response.provider else "answered" if named else ""
    served = f" · {by} {named}".rstrip() if by else ""
    tokens = f"{thousands(response.tokens_in)} / {thousands(response.tokens_out)}"
    return (
        f"{facts} · tokens in / out: {tokens} · {thousands(response.latency_ms)} ms · "
        f"{money(response.cost)}{served}"
    )


def _find_shared(prompts: Sequence[str]) -> str:
    """The whole lines that all prompts begin with. Empty if they are short or if there is only one prompt."""
    if len(prompts) < 2:
        return ""
    # What the first and the last in the order of the alphabet share is shared by all of them.
    lines = zip(min(prompts).splitlines(keepends=True), max(prompts).splitlines(keepends=True), strict=False)
    alike = "".join(one for one, _ in takewhile(lambda both: both[0] == both[1], lines))
    return alike if len(alike) >= SHARED else ""
