"""Which runs may be read together: runs of one suite, and of its versions the questions that are the same.

A question is known by its own content: the digest of its prompt, and that of all its grade depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from probatio.core.errors import UsageError
from probatio.suites.questions import SuiteContent

if TYPE_CHECKING:
    import duckdb

Versions = Literal["same", "pool", "any"]
"""Of other versions of a suite: only the same questions, and others are an error; the same ones, and others
are left out and noted; or any, since they are compared on purpose."""

_VERSIONS = ("suite version", "suite fingerprint", "framework version")
"""What differs where a suite was changed."""

_KEY = "task_id, dialect, context, n_shot"

_FORMS = (("shared", "context, n_shot"), ("graded", "task_id, dialect"), ("question", _KEY))
"""What has to be the same, and for which questions at a time."""

_SHOWN = 5


class Unlike(UsageError):
    """Two sides that have nothing to be compared by, such as another suite version."""


class RunSeen(msgspec.Struct, frozen=True):
    """A run the study read."""

    run: str
    suite: str
    suite_version: str | None
    suite_fingerprint: str | None
    framework_version: str
    created: str | None
    attempts: int = 1
    feedback: str | None = None

    @property
    def asked(self) -> dict[str, str | None]:
        """What was asked, and by which framework."""
        return {
            "suite": self.suite,
            "suite version": self.suite_version,
            "suite fingerprint": self.suite_fingerprint,
            "framework version": self.framework_version,
        }


def bring_together(
    db: duckdb.DuckDBPyConnection,
    runs: Sequence[RunSeen],
    content: Mapping[str, SuiteContent],
    graders: Sequence[str],
    versions: Versions,
    *,
    days: bool,
) -> list[str]:
    """Leave out of the table `graded` what is not the same question, and say so. Raises `Unlike`."""
    first = runs[0]
    differ = [
        (other, what, one, two)
        for other in runs[1:]
        for what, one in first.asked.items()
        if one != (two := other.asked[what])
    ]
    on_purpose = versions == "any"
    named = bool(differ) and not days and _are_questions_named(db, runs, content)
    # The folders of two versions of a language have two names; what they share is their tasks.
    related = on_purpose and named and _share_tasks(runs, content)
    may_differ = (*_VERSIONS, "suite") if related else _VERSIONS
    others = [each for each in differ if each[1] not in may_differ]
    if others or (differ and not on_purpose and not named):
        other, what, one, two = (others or differ)[0]
        chosen = " Choose days of one with :date=FIRST..LAST." if days else ""
        raise Unlike(
            f"{first.run} and {other.run} can't be read together, their {what} differs "
            f"({one} and {two}): nothing is compared across suite versions.{chosen}"
        )
    if len(runs) > 1 and len(graders) > 1 and not (days and on_purpose):
        raise Unlike(
            f"The runs were graded by different graders ({', '.join(graders)}); "
            "grade them again with `probatio grade RUN` to bring them together."
        )
    if versions == "pool":
        _leave_out_reused(db)  # but where runs are compared, each keeps its own
    return [] if on_purpose or not differ else _pool(db, runs, content, versions)


def _are_questions_named(
    db: duckdb.DuckDBPyConnection, runs: Sequence[RunSeen], content: Mapping[str, SuiteContent]
) -> bool:
    """Whether the runs say what each question was; older ones do not."""
    silent = db.execute(
        "select 1 from graded where coalesce(question, '') = '' or coalesce(graded, '') = '' limit 1"
    ).fetchone()
    return silent is None and all(run.run in content for run in runs)


def _share_tasks(runs: Sequence[RunSeen], content: Mapping[str, SuiteContent]) -> bool:
    return bool(set.intersection(*(set(content[run.run].tasks) for run in runs)))


def _leave_out_reused(db: duckdb.DuckDBPyConnection) -> None:
    """An answer that one run took over from another counts once where both are read."""
    same = " and ".join(
        f"other.{name} = graded.{name}" for name in (*_KEY.split(", "), "model", "sample", "attempt")
    )
    db.execute(
        "delete from graded where reused is not null and "
        f"exists (select 1 from graded as other where other.run = graded.reused and {same})"
    )


def _pool(
    db: duckdb.DuckDBPyConnection,
    runs: Sequence[RunSeen],
    content: Mapping[str, SuiteContent],
    versions: Versions,
) -> list[str]:
    """Of a question that was asked in two forms, that of the run named last counts."""
    _list_forms(db, runs, content)
    for form, of_one in _FORMS:
        db.execute(
            f"create or replace table forms as select * from forms "
            f"qualify {form} = last_value({form}) over (partition by {of_one} order by place "
            "range between unbounded preceding and unbounded following)"
        )
    left = db.execute(
        f"select run, count(*), count(*) filter (kept is null) from graded left join "
        f"(select run, {_KEY}, 1 as kept from forms) using (run, {_KEY}) where attempt = 1 group by run"
    ).fetchall()
    counts = {run: (asked, lost) for run, asked, lost in left if lost}
    notes, last = [], runs[-1].run
    for name, (asked, lost) in counts.items():
        changed = describe_changes(content[name], content[last])
        what = f"{lost} of {asked} trials of {name} are other questions now ({changed})"
        if versions == "same":
            raise Unlike(f"{what}: nothing is compared across suite versions.")
        if lost == asked:
            raise Unlike(f"{name} and {last} share no question ({changed}), so there is nothing to pool.")
        notes.append(f"{what} and are left out; `probatio study compare {name} {last}` compares them.")
    db.execute(
        "delete from graded where not exists (select 1 from forms where forms.run = graded.run and "
        + " and ".join(f"forms.{name} = graded.{name}" for name in _KEY.split(", "))
        + ")"
    )
    return notes


def _list_forms(
    db: duckdb.DuckDBPyConnection, runs: Sequence[RunSeen], content: Mapping[str, SuiteContent]
) -> None:
    """The table `forms`: each question of each run, in which form it was asked."""
    places = {run.run: place for place, run in enumerate(runs)}
    conditions = [
        (run, places[run], context, n_shot, " ".join(content[run].shared_part(context, n_shot)))
        for run, context, n_shot in db.execute("select distinct run, context, n_shot from graded").fetchall()
    ]
    db.execute(
        "create table conditions "
        "(run VARCHAR, place INTEGER, context VARCHAR, n_shot INTEGER, shared VARCHAR)"
    )
    db.executemany("insert into conditions values (?, ?, ?, ?, ?)", conditions)
    db.execute(
        f"create table forms as select distinct run, place, {_KEY}, shared, graded.graded, question "
        "from graded join conditions using (run, context, n_shot) where attempt = 1"
    )


def describe_changes(one: SuiteContent, two: SuiteContent) -> str:
    """The parts of a suite that differ: `context basic; tasks first, second`."""
    parts = [
        _describe_changed(kind, before, after)
        for kind, before, after in (
            ("context", one.contexts, two.contexts),
            ("example", one.examples, two.examples),
            ("task", one.tasks, two.tasks),
        )
    ]
    parts += [
        words
        for words, before, after in (
            ("the introduction", one.introduction, two.introduction),
            ("the wording of questions", one.questions, two.questions),
            ("commands or settings of the language", one.language, two.language),
        )
        if before != after
    ]
    return "; ".join(filter(None, parts)) or "a checker or runner"


def list_changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The names that both have, with another content."""
    return [name for name, digest in before.items() if name in after and after[name] != digest]


def _describe_changed(kind: str, before: dict[str, str], after: dict[str, str]) -> str:
    changed = list_changed(before, after)
    more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
    return f"{kind}{'s' if len(changed) > 1 else ''} {', '.join(changed[:_SHOWN])}{more}" if changed else ""
