"""The daily suite, read from its folder: manifest with all constants, use cases, cases and rubrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal

import msgspec

from probatio.core.errors import UsageError
from probatio.core.records import (
    AttributionConstants,
    Constants,
    Conversation,
    EvidenceConstants,
    Form,
    Grading,
    RuleConstants,
    Sampling,
    Turn,
)
from probatio.core.text.names import make_file_name
from probatio.core.values import (
    SET_WHEN_READ,
    Address,
    Count,
    Effort,
    Name,
    NotNegative,
    Positive,
    Share,
    Variable,
)
from probatio.core.yamlfile import YamlFile, as_record, explain_fault, open_yaml, read_yaml
from probatio.suites.grader_entry import PYTHON_FILE, GraderCommand, OwnGrader, grader_of_entry
from probatio.suites.language_suite import BUILT_IN, digest
from probatio.suites.own_manifest import OwnConstant, complete, own_constants
from probatio.suites.reachable import unreachable
from probatio.suites.ready_graders import (
    READY,
    Expectation,
    count_rungs,
    find_rubric,
    read_expectations,
    weigh_checked,
)
from probatio.suites.requests import mark_untrusted
from probatio.suites.rubrics import Rubric
from probatio.suites.written_cases import EarlierTurn, WrittenCase, list_turns, name_case, read_written

DAILY = BUILT_IN / "daily"
MANIFEST = "suite.yml"
RUBRIC_FILE = "rubric.yml"


class JudgeEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The judge, pinned to a dated version, and how far its marks may shift."""

    id: Name
    name: Name
    provider: Name
    max_tokens: Positive
    bar: Annotated[float, msgspec.Meta(gt=0, le=4, description="a shift of marks, more than 0 and at most 4")]
    route: tuple[Name, ...] = ()
    base_url: Address | None = None
    api_key_env: Variable | None = None


class _SamplingEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    temperature: NotNegative
    seed: int | None
    reasoning: Effort | None


class _UseCaseEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    title: Name
    grading: Grading
    max_tokens: Positive
    checked: float | None = None
    cases: dict[str, Count] | None = None
    """The ids in their order, each with the number of its rungs (0: no ladder)."""
    grader: str | GraderCommand | None = None
    """A built-in use case, a Python file of the folder, or a command."""


class _SampleCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    deterministic: tuple[Positive, Positive]
    hybrid: tuple[Positive, Positive]
    judge: tuple[Positive, Positive]

    def __post_init__(self) -> None:
        for base, full in (self.deterministic, self.hybrid, self.judge):
            if base > full:
                raise ValueError(f"{full} samples at full power are fewer than {base} at first")


WHOLE = "whole"
"""The name of no form: all of the suite."""


class _FormEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cases: tuple[str, ...]
    samples: int = 1


class DailyManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`suite.yml` of a daily suite, completed by the built-in one."""

    name: Name
    version: Name
    sampling: _SamplingEntry
    judge: JudgeEntry
    gap_errors: Share
    samples: _SampleCounts
    use_cases: tuple[_UseCaseEntry, ...]
    rule: RuleConstants
    evidence: EvidenceConstants
    attribution: AttributionConstants
    forms: dict[Name, _FormEntry] = {}
    """Parts of the suite; `small` is for models on this machine, which are slow. They are not in the
    fingerprint: another form begins a new series of the models that are asked it, and of no others."""
    fingerprint: str | None = None


class Case(msgspec.Struct, frozen=True):
    """One test case: what is asked, and the gold that the use case's own grader reads."""

    id: Name
    prompt: Name
    use_case: Annotated[str, SET_WHEN_READ] = ""
    difficulty: int = 2  # 1 easy, 2 middle, 3 hard
    gold: dict[str, Any] = {}
    rungs: Count = 0
    """Of the ladder this case is: steps of the same job from trivial to beyond reach; 0: no ladder."""
    expect: tuple[Expectation, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the ready graders expect of an answer. Not set, it is in no digest."""
    system: str | msgspec.UnsetType = msgspec.UNSET
    """The system prompt. Not set, it is in no digest."""
    earlier: tuple[EarlierTurn, ...] | msgspec.UnsetType = msgspec.UNSET
    """The turns before this one, each a case of its own."""
    unscored: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether it is a turn of which nothing is expected."""

    @property
    def after(self) -> str | msgspec.UnsetType:
        """The case that is the turn before."""
        return self.earlier[-1].id if self.earlier else msgspec.UNSET

    def converse(self, answers: Iterable[str] = ()) -> Conversation:
        """All that is said before a model answers; `answers`: its own to the turns before."""
        turns = [] if self.system is msgspec.UNSET else [Turn("system", self.system)]
        for before, answer in zip(self.earlier or (), answers, strict=True):
            turns += [Turn("user", before.prompt), Turn("assistant", answer)]
        return Conversation((*turns, Turn("user", self.prompt)))

    @property
    def written(self) -> tuple[str, ...]:
        """The texts of the suite that are sent, in their order."""
        system = () if self.system is msgspec.UNSET else (self.system,)
        return (*system, *(each.prompt for each in self.earlier or ()), self.prompt)


class UseCase(msgspec.Struct, frozen=True):
    """One use case with everything its folder holds."""

    id: str
    title: str
    grading: Grading
    base_samples: int
    full_samples: int
    max_tokens: int
    checked_weight: float  # 1 for deterministic, 0 for judge; the mean of its cases where they say it
    cases: tuple[Case, ...]
    """Those that are scored."""
    rubric: Rubric | None  # of all its cases; None where none is judged, or each by what it expects
    folder: Path
    grader: str | OwnGrader | None = None
    """A built-in grader by its name, or the user's; None: the built-in one with the name of the use case."""
    unscored: tuple[Case, ...] = ()
    """Turns that are asked before those cases, and of which nothing is expected."""

    @property
    def asked(self) -> tuple[Case, ...]:
        """All that is asked, scored or not."""
        return (*self.unscored, *self.cases)

    @property
    def kind(self) -> Grading:
        """Which thresholds apply: hybrid use cases count as judged."""
        return "deterministic" if self.grading == "deterministic" else "judge"

    def rubric_of(self, case: Case) -> Rubric | None:
        """What the judge marks an answer to this case by; None where code alone grades it."""
        return self.rubric or find_rubric(case.expect or ())

    def checked_weight_of(self, case: Case) -> float:
        """The share of the code in the score of this case."""
        return self.checked_weight if self.rubric or not case.expect else weigh_checked(case.expect)

    @property
    def judged_cases(self) -> tuple[Case, ...]:
        """The cases that the judge marks, alone or beside code."""
        return tuple(case for case in self.cases if self.rubric_of(case) is not None)


class DailySuite(msgspec.Struct, frozen=True, dict=True):
    """What is asked every day."""

    folder: Path
    manifest: DailyManifest
    use_cases: dict[str, UseCase]

    @property
    def version(self) -> str:
        return self.manifest.version

    @property
    def sampling(self) -> Sampling:
        entry = self.manifest.sampling
        return Sampling(temperature=entry.temperature, seed=entry.seed)

    @property
    def forms(self) -> dict[str, Form]:
        """Name → the form of that name."""
        return {name: self._form(name, entry) for name, entry in self.manifest.forms.items()}

    def _form(self, name: str, entry: _FormEntry) -> Form:
        cases = {
            use_case.id: tuple(case.id for case in use_case.cases if case.id in entry.cases)
            for use_case in self.use_cases.values()
        }
        return Form(name, {use_case: own for use_case, own in cases.items() if own}, entry.samples)

    def is_judged(self, case: Case) -> bool:
        """Whether a judge marks its answers, alone or beside code."""
        return self.use_cases[case.use_case].rubric_of(case) is not None

    @cached_property  # it is looked into for every answer
    def cases(self) -> dict[str, Case]:
        return {case.id: case for use_case in self.use_cases.values() for case in use_case.asked}


class SuiteFault(msgspec.Struct, frozen=True):
    """What keeps a suite that can be read from being used."""

    claim: Literal["ids", "cooked"]
    sentence: str


def load_daily(folder: Path | None = None) -> DailySuite:
    """The daily suite in `folder`, or the built-in one, which is read once."""
    return _load_built_in() if folder is None else _load(folder)


@cache
def _load_built_in() -> DailySuite:
    return _load(DAILY)


def _load(folder: Path) -> DailySuite:
    suite, faults = read_daily(folder)
    if faults:
        raise UsageError(faults[0].sentence)
    return suite


def read_daily(folder: Path | None = None) -> tuple[DailySuite, list[SuiteFault]]:
    """The daily suite in `folder`, and what is wrong with it as a whole."""
    root = folder or DAILY
    manifest = read_manifest(root)
    use_cases: dict[str, UseCase] = {}
    taken: dict[str, str] = {}
    faults: list[SuiteFault] = []
    for entry in manifest.use_cases:
        if entry.id in use_cases:
            faults.append(SuiteFault("ids", f"{root / MANIFEST}: the use case `{entry.id}` is listed twice."))
            continue
        use_case = use_cases[entry.id] = _use_case(root, manifest, entry)
        for case in use_case.asked:
            if case.id in taken:
                told = f"{use_case.folder}: the case id `{case.id}` is already taken by {taken[case.id]}."
                faults.append(SuiteFault("ids", told))
            taken[case.id] = entry.id
    _require_forms(root, manifest, {case.id: case for each in use_cases.values() for case in each.asked})
    if why := unreachable(manifest.rule, [use_case.grading for use_case in use_cases.values()]):
        told = (
            f"{root / MANIFEST}: by its rule no model could ever be COOKED: {why}. Change the suite's "
            "numbers."
        )
        faults.append(SuiteFault("cooked", told))
    return DailySuite(root, manifest, use_cases), faults


def _require_forms(root: Path, manifest: DailyManifest, known: Mapping[str, Case]) -> None:
    for name, form in manifest.forms.items():
        where = f"{root / MANIFEST}: the form `{name}`"
        if name == WHOLE:
            raise UsageError(f"{where} has the name of the whole suite; choose another.")
        for case in form.cases:
            if case not in known:
                raise UsageError(f"{where} names the case `{case}`, which no use case has.")
            if known[case].unscored:
                raise UsageError(f"{where} names the turn `{case}`, which has no score; name the scored one.")
            for before in known[case].earlier or ():
                if not known[before.id].unscored and before.id not in form.cases:
                    raise UsageError(f"{where} names the turn `{case}` without `{before.id}` before it.")
        if not form.cases or form.samples < 1:
            raise UsageError(f"{where} needs at least one case and at least one sample.")


def read_manifest(folder: Path | None = None) -> DailyManifest:
    """The manifest alone, where only its constants are needed."""
    root = folder or DAILY
    file = written = _open(root)
    if root != DAILY:
        file = file._replace(data=complete(file.data, _open(DAILY).data, root))
    manifest = as_record(file, DailyManifest)
    if root != DAILY:
        _refuse_below_zero(file, own_constants(file.data, msgspec.to_builtins(read_manifest())))
        entries = tuple(
            _with_expectations(root, entry, given)
            for entry, given in zip(manifest.use_cases, written.data["use_cases"], strict=True)
        )
        manifest = msgspec.structs.replace(manifest, use_cases=entries)
    return manifest


def _with_expectations(root: Path, entry: _UseCaseEntry, given: str | Mapping[str, Any]) -> _UseCaseEntry:
    """The entry with what its expectations make: rungs, and how it is graded where a judge is among them. The
    verdict reads both here."""
    if not _cases_file(root, entry.id).exists():
        return entry
    cases = _read_cases(root, entry.id)
    if not any(case.expect for case in cases):
        return entry
    cases = [case for case in cases if not case.unscored]
    if entry.cases is None:
        entry = msgspec.structs.replace(entry, cases={case.id: case.rungs for case in cases})
    judged = next((case for case in cases if find_rubric(case.expect or ())), None)
    if judged is None:
        return entry
    if root.is_dir() and (root / entry.id / RUBRIC_FILE).exists():
        raise UsageError(
            f"{_cases_file(root, entry.id)}: the case `{judged.id}` has `judge`, and its use case a "
            f"{RUBRIC_FILE}: remove one of the two."
        )
    if root.is_dir() and not isinstance(given, str) and not {"grading", "checked"}.isdisjoint(given):
        raise UsageError(
            f"{root / MANIFEST}: take `grading` and `checked` out of the use case `{entry.id}`: its case "
            f"`{judged.id}` has `judge`, so the weights of its cases say both."
        )
    share = fmean(weigh_checked(case.expect) if case.expect else 0.0 for case in cases)
    grading: Grading = "hybrid" if share > 0 else "judge"
    return msgspec.structs.replace(entry, grading=grading, checked=round(share, 6) if share else None)


def _refuse_below_zero(file: YamlFile, own: Iterable[OwnConstant]) -> None:
    """Refuse a number below zero where the built-in suite has none: a day, a share or a floor."""
    for constant in own:
        own_one, built_in = constant.value, constant.built_in
        numbers = isinstance(own_one, int | float) and isinstance(built_in, int | float)
        if numbers and built_in >= 0 and not own_one >= 0:  # .nan is neither
            sentence = f"`{constant.key}` has to be a number that is not below 0."
            raise explain_fault(file, tuple(constant.key.split(".")), sentence)


def constants_of_its_own(folder: Path | None) -> tuple[OwnConstant, ...]:
    """The constants in which the suite in `folder` differs from the built-in one."""
    if folder is None or folder == DAILY:
        return ()
    return own_constants(_open(folder).data, msgspec.to_builtins(read_manifest()))


def _open(root: Path) -> YamlFile:
    """The manifest as it is written: a table. A file of cases is a suite of one use case with its name; its
    version is the digest of its cases, since no one raises it by hand."""
    if root.is_file():
        name = make_file_name(root.stem, "prompts")
        entry = {"id": name, "title": root.stem, "grading": "deterministic"}
        version = digest(msgspec.to_builtins(_read_cases(root, name), str_keys=True))
        return YamlFile(root, b"", {"name": root.stem, "version": version, "use_cases": [entry]})
    file = open_yaml(root / MANIFEST, root)
    as_record(file, dict[str, Any])
    return file


def constants_of(manifest: DailyManifest) -> Constants:
    """The constants of the verdict. Rungs are those that the manifest lists."""
    rungs = tuple(
        (case, count) for entry in manifest.use_cases for case, count in (entry.cases or {}).items() if count
    )
    return Constants(manifest.rule, manifest.evidence, manifest.attribution, rungs)


def _find_grader(root: Path, entry: _UseCaseEntry, cases: Sequence[Case]) -> str | OwnGrader | None:
    expecting = [case for case in cases if case.expect]
    if expecting:
        where = f"{_cases_file(root, entry.id)}: the case `{expecting[0].id}` has `expect`"
        if silent := next((case for case in cases if not case.expect), None):
            raise UsageError(f"{where} and `{silent.id}` has not; in a use case all cases have it, or none.")
        if entry.grader is not None or (root / entry.id / PYTHON_FILE).exists():
            raise UsageError(f"{where}, and its use case has a grader: remove one of the two.")
        if entry.grading == "judge" and not find_rubric(expecting[0].expect or ()):
            raise UsageError(f"{where}, and its use case only a judge: give it `grading: hybrid`.")
        return READY
    if root.is_file():
        raise UsageError(
            f"{root}: the case `{cases[0].id}` has no `expect`, such as {{contains: Enterprise}}."
        )
    grader = grader_of_entry(root, entry.id, entry.grading, entry.grader, DAILY)
    return mark_untrusted(grader, root) if isinstance(grader, OwnGrader) else grader


def _cases_file(root: Path, use_case: str) -> Path:
    """Where the cases of a use case stand: in its folder, or in the file that is the whole suite."""
    return root if root.is_file() else root / use_case / "cases.yml"


def _read_cases(root: Path, use_case: str) -> list[Case]:
    path = _cases_file(root, use_case)
    folder = path.parent if root.is_file() else root
    file = open_yaml(path, folder)
    return [
        _read_case(file, number, case, use_case)
        for number, each in read_written(file, folder)
        for case in list_turns(file, number, each)
    ]


def _read_case(file: YamlFile, number: int, written: WrittenCase, use_case: str) -> Case:
    expect: tuple[Expectation, ...] | msgspec.UnsetType = msgspec.UNSET
    rungs = written.rungs
    if written.expect is not msgspec.UNSET:
        at = ("cases", number, "expect")
        if rungs:
            raise explain_fault(file, ("cases", number, "rungs"), "`rungs` come of `expect`; leave them out.")
        try:
            expect = read_expectations(written.expect)
        except ValueError as error:
            raise explain_fault(file, at, f"{str(error).rstrip('.')}.") from None
        rungs = count_rungs(expect)
    prompt = written.prompt or ""  # it has one, or turns that have
    name = written.id or name_case(prompt)
    return Case(
        name,
        prompt,
        use_case,
        written.difficulty,
        written.gold,
        rungs,
        expect,
        written.system,
        written.earlier,
        written.unscored,
    )


def _use_case(root: Path, manifest: DailyManifest, entry: _UseCaseEntry) -> UseCase:
    folder = root if root.is_file() else root / entry.id
    every = _read_cases(root, entry.id)
    cases = [case for case in every if not case.unscored]
    expecting = [each for each in cases if find_rubric(each.expect or ())]
    judged = expecting or (every if entry.grading != "deterministic" else [])
    if turn := next((each for each in judged if each.earlier), None):
        raise UsageError(
            f"{_cases_file(root, entry.id)}: the case `{turn.id}` is one of several turns, and the judge of "
            f"`{entry.id}` is shown one question alone: have it graded without a judge."
        )
    found = {case.id: case.rungs for case in cases}
    if entry.cases is not None and list(entry.cases.items()) != list(found.items()):
        raise UsageError(
            f"{_cases_file(root, entry.id)} has the cases {found}, the manifest lists {entry.cases} for "
            f"`{entry.id}`."
        )
    rubric = None
    if entry.grading != "deterministic" and not expecting:
        rubric = read_yaml(folder / RUBRIC_FILE, Rubric, root)
    if entry.grading == "hybrid" and (entry.checked is None or not 0 < entry.checked < 1):
        raise UsageError(
            f"{root / MANIFEST}: the hybrid use case `{entry.id}` needs `checked`, between 0 and 1."
        )
    base, full = getattr(manifest.samples, entry.grading)
    weight = {"deterministic": 1.0, "judge": 0.0, "hybrid": entry.checked or 0.0}[entry.grading]
    return UseCase(
        id=entry.id,
        title=entry.title,
        grading=entry.grading,
        base_samples=base,
        full_samples=full,
        max_tokens=entry.max_tokens,
        checked_weight=weight,
        cases=tuple(cases),
        unscored=tuple(case for case in every if case.unscored),
        rubric=rubric,
        folder=folder,
        grader=None if root == DAILY else _find_grader(root, entry, cases),
    )
