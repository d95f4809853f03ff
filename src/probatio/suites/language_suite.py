"""The suite of a language, read from its folder: language, contexts, tasks, examples and questions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import list_inside, read_inside
from probatio.core.records import Compare, Example, Task, TaskType
from probatio.core.text.blanks import find_wrong_blank
from probatio.core.text.names import refuse_unknown_name
from probatio.core.trust import find_untrusted, refuse
from probatio.core.yamlfile import NOTE, YamlFile, as_record, explain_fault, open_yaml
from probatio.languages.contract import TWISTED, Language, LanguageSpec, twist_of
from probatio.languages.finding import BUILT_IN as IMPLEMENTED
from probatio.languages.finding import find_language
from probatio.suites.language_file import FILE, LanguageFile, read_language_file
from probatio.suites.ranked import RankedContext, join_sections, name_level, read_ranked, split_level
from probatio.suites.requests import requests_of_language
from probatio.suites.rules import require_known_rules, take_marks
from probatio.suites.task_types import FIELDS, KINDS
from probatio.suites.twists import TwistFile, read_twists

BUILT_IN = Path(__file__).parent.parent / "builtin"
DEFAULT_SUITE = next(iter(IMPLEMENTED))
NO_CONTEXT = "examples-only"
"""The one context of a folder that has none: nothing is shown but examples."""
BLANK = "___"
"""What marks the missing part of a template."""

_Named = TypeVar("_Named", Task, Example)
_TASK_NAMES = {"input": "material", "expected_completion": "solution"}
"""Names of the first task files, read in every language."""


class Suite(msgspec.Struct, frozen=True):
    """All that is asked about a language."""

    name: str
    version: str | None
    folder: Path
    introduction: str
    spec: LanguageSpec
    host: LanguageSpec | None
    contexts: dict[str, str]
    """Templates by name, from least to most."""
    tasks: dict[str, Task]
    examples: tuple[Example, ...]
    questions: dict[TaskType, str]
    pinned: str | None
    twists: dict[str, TwistFile] = {}
    """What the tasks are under each twist of the language that the folder has."""
    compare: Compare = msgspec.UNSET
    """When the output of an example counts as what it says."""
    rules: dict[str, str] = {}
    """The decisions of the language, with a sentence each."""
    tells: dict[str, frozenset[str]] = {}
    """Those that each context tells."""
    ranked: dict[str, RankedContext] = {}
    """Contexts whose sections are ranked: each has levels (ranked.py)."""

    @property
    def levels(self) -> tuple[str, ...]:
        """The contexts from least to most, with the levels of those that have some."""
        names: list[str] = []
        for context in self.contexts:
            if ranked := self.ranked.get(context):
                first = [0] if ranked.sections[0].text.strip() else []
                names += [name_level(context, rank) for rank in [*first, *ranked.ranks[:-1]]]
            names.append(context)
        return tuple(names)

    def template(self, context: str) -> tuple[str, frozenset[str]]:
        """The text of a context or of a level of one, and the rules it tells."""
        if context in self.contexts:
            return self.contexts[context], self.tells.get(context, frozenset())
        name, rank, without = split_level(context) or ("", 0, None)
        ranked = self.ranked.get(name)
        if ranked is None or rank not in (0, *ranked.ranks) or without not in (None, *ranked.ranks):
            raise UsageError(
                f"The suite {self.name} has no context `{context}`; it has {', '.join(self.levels)}."
            )
        return join_sections(ranked.tell(rank, without))

    @property
    def language(self) -> Language:
        return find_language(self.spec)

    @property
    def twisted_dialects(self) -> tuple[str, ...]:
        return tuple(f"{words}{TWISTED}{twist}" for words in self.language.dialects for twist in self.twists)

    def task(self, task_id: str, dialect: str) -> Task:
        """A task as it is asked in a dialect: under a twist, with the output or program that is right
        there."""
        task, twist = self.tasks[task_id], twist_of(dialect)
        if not twist:
            return task
        if twist not in self.twists:
            raise UsageError(f"The suite {self.name} has no tasks under the twist `{twist}`.")
        return self.twists[twist].task(task)

    def rules_told(self, context: str, n_shot: int) -> frozenset[str]:
        """The rules that a prompt tells, by its context or an example."""
        shown = (rule for example in self.examples[:n_shot] for rule in example.rules or ())
        return self.template(context)[1].union(shown)

    def answer_language(self, task: Task) -> LanguageSpec:
        """The language an answer to the task is written in."""
        return _answer_language(task, self.spec, self.host)

    def trivial_program(self, spec: LanguageSpec) -> str:
        """The shortest program that the suite shows in a language: if that can't be checked, nothing can.
        Empty where it shows none."""
        ours = spec == self.spec
        shown = [each.program if ours else each.host for each in self.examples]
        material = "program" if ours else "host program"
        shown += [task.material for task in self.tasks.values() if KINDS[task.type].material == material]
        return min(filter(None, shown), key=len, default="")

    @property
    def categories(self) -> list[str]:
        return sorted({task.category for task in self.tasks.values()})


class _TaskFile(msgspec.Struct):
    """A file of tasks, before their names are ours."""

    tasks: list[dict[str, Any]] = []


class _ExampleFile(msgspec.Struct):
    """A file of examples, before their names are ours."""

    examples: list[dict[str, Any]] = []


def list_built_in_suites() -> tuple[str, ...]:
    """The languages that come with Probatio."""
    return tuple(sorted(file.parent.name for file in BUILT_IN.glob(f"*/{FILE}")))


def find_suite_folder(which: Path | str | None) -> Path:
    """The folder of a suite: one that is there, else a built-in one of that name."""
    if which is None:
        return BUILT_IN / DEFAULT_SUITE
    folder = Path(which)
    if not folder.exists() and folder.name == str(which):
        if str(which) in list_built_in_suites():
            return BUILT_IN / str(which)
        raise refuse_unknown_name(
            "suite", str(which), list_built_in_suites(), "as a folder or among the built-in ones"
        )
    return folder


def load_suite(which: Path | str | None = None, *, lacking_outputs: bool = False) -> Suite:
    """The suite in a folder, a built-in one by its name, or the default. `lacking_outputs`: tasks need not
    say what is expected."""
    root = find_suite_folder(which)
    files = list_inside(root / "tasks", "*.y*ml", root)
    if not files:
        raise UsageError(f"{root} is not a suite: it has no tasks/*.yml.")
    written = [open_yaml(file, root) for file in files]
    raw = [(file, as_record(file, _TaskFile).tasks) for file in written]
    about = _language(
        root, (str(name) for _, tasks in raw for task in tasks for name in (task.get("type"), *task))
    )
    spec, host = about.spec(root), about.host_spec(root)
    refuse(find_untrusted(root, requests_of_language(spec, host, root)))
    tasks: dict[str, Task] = {}
    for file, listed in raw:
        for task in _tasks(listed, about, file, lacking_outputs=lacking_outputs):
            if task.id in tasks:
                raise UsageError(
                    f"{file.path}: the task id `{task.id}` is already taken by another task of the suite."
                )
            _require_material(task, spec, host, file.path)
            _require_input(task, spec, host, file.path)
            if task.compare is msgspec.UNSET:
                task = msgspec.structs.replace(task, compare=about.compare)
            tasks[task.id] = task
    contexts, tells, ranked = _contexts(root, about)
    return Suite(
        name=root.resolve().name,
        version=about.version,
        folder=root,
        introduction=about.introduction.strip(),
        spec=spec,
        host=host,
        contexts=contexts,
        tasks=tasks,
        examples=tuple(_examples(root, about, spec)),
        questions=_questions(root, about.aliases),
        pinned=about.fingerprint,
        twists=read_twists(root),
        compare=about.compare,
        rules=about.rules,
        tells=tells,
        ranked=ranked,
    )


def _language(root: Path, names: Iterable[str]) -> LanguageFile:
    """The content of language.yml. Without one, a built-in language whose names the task files use."""
    if (root / FILE).exists():
        return read_language_file(root)
    used = set(names)
    for name in list_built_in_suites():
        about = read_language_file(BUILT_IN / name)
        if used & about.aliases.keys():
            there = {file.stem for file in list_inside(root / "contexts", "*.md", root)}
            contexts = [each for each in about.contexts if each in there]
            contexts += sorted(there.difference(contexts))
            return msgspec.structs.replace(about, contexts=tuple(contexts), version=None, fingerprint=None)
    raise UsageError(
        f"{root} has no {FILE}, which says what the language is called and how its programs are checked and "
        "run. `probatio suite new DIR` writes an example."
    )


def _contexts(
    root: Path, about: LanguageFile
) -> tuple[dict[str, str], dict[str, frozenset[str]], dict[str, RankedContext]]:
    """The texts by name, the rules that each tells, and those with ranked sections."""
    folder = root / "contexts"
    there = [file.stem for file in list_inside(folder, "*.md", root)]
    if missing := [name for name in about.contexts if name not in there]:
        raise UsageError(
            f"{root / FILE} lists the context `{missing[0]}`, but there is no contexts/{missing[0]}.md."
        )
    if unlisted := [name for name in there if name not in about.contexts]:
        raise UsageError(
            f"contexts/{unlisted[0]}.md is not in the list `contexts` of {root / FILE}, which gives their "
            "order."
        )
    texts: dict[str, str] = {}
    tells: dict[str, frozenset[str]] = {}
    ranked: dict[str, RankedContext] = {}
    for name in about.contexts:
        path = folder / f"{name}.md"
        written = _read_text(path, root)
        if sections := read_ranked(written, about.rules, path):
            ranked[name] = sections
            texts[name], tells[name] = join_sections(sections.tell())
            continue
        text, tells[name] = take_marks(written, about.rules, path)
        texts[name] = text.strip()
    return texts or {NO_CONTEXT: ""}, tells, ranked


def _read_text(path: Path, root: Path) -> str:
    try:
        return read_inside(path, root).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text: byte {error.start} can't be read. Save it as UTF-8."
        ) from None


def _tasks(
    listed: list[dict[str, Any]], about: LanguageFile, file: YamlFile, *, lacking_outputs: bool
) -> Iterator[Task]:
    aliases = about.aliases
    names = {**_TASK_NAMES, **aliases}
    other = [name for name, field in names.items() if field in (*Task.__struct_fields__, "program")]
    for number, given in enumerate(listed):
        fields: dict[str, Any] = {}
        for name, value in given.items():
            fields.setdefault(names.get(name, name), value)
        of = f", task `{given.get('id', '?')}`"
        kind = str(fields.get("type"))
        fields["type"] = aliases.get(kind, kind)
        if fields["type"] not in KINDS:
            known = [*KINDS, *(alias for alias, name in aliases.items() if name in KINDS)]
            sentence = str(refuse_unknown_name("type of task", kind, known))
            raise explain_fault(file, ("tasks", number, "type"), sentence, of)
        program = fields.pop("program", None)
        if program is not None and (
            "material" not in fields or "program" in (KINDS[fields["type"]].material or "")
        ):
            fields["material"] = program
        task = as_record(file._replace(data=fields), Task, ("tasks", number), of, other)
        given_outputs = ("expected_output" in fields) + ("tests" in fields)
        if given_outputs == 2 or (given_outputs == 0 and not lacking_outputs):
            sentence = (
                "give either `expected_output` or `tests` (and not both); `probatio suite check --fill` "
                "writes what its program prints."
            )
            raise explain_fault(file, ("tasks", number), sentence, of)
        require_known_rules(task.rules, about.rules, file, ("tasks", number), of)
        yield task


def _examples(root: Path, about: LanguageFile, spec: LanguageSpec) -> Iterator[Example]:
    aliases = about.aliases
    other = [name for name, field in aliases.items() if field in Example.__struct_fields__]
    for path in list_inside(root / "examples", "*.y*ml", root):
        file = open_yaml(path, root)
        for number, given in enumerate(as_record(file, _ExampleFile).examples):
            fields = {aliases.get(name, name): value for name, value in given.items()}
            of = f", example `{given.get('id', '?')}`"
            example = as_record(file._replace(data=fields), Example, ("examples", number), of, other)
            if example.stdin and not find_language(spec).takes_input:
                sentence = f"it gives standard input, which programs of {spec.name} can't read here."
                raise explain_fault(file, ("examples", number, "stdin"), sentence, of)
            require_known_rules(example.rules, about.rules, file, ("examples", number), of)
            yield example


def _questions(root: Path, aliases: Mapping[str, str]) -> dict[TaskType, str]:
    """The questions of every type, own wording first."""
    questions = {kind: about.question for kind, about in KINDS.items()}
    if not (root / "questions.yml").exists():
        return questions
    file = open_yaml(root / "questions.yml", root)
    if file.data is None:  # all of it is commented out
        return questions
    table = as_record(file, dict[str, Any])
    ours = {name: text for name, text in table.items() if not name.startswith(NOTE)}
    for given, text in as_record(file._replace(data=ours), dict[str, str]).items():
        kind = next((each for each in KINDS if each == aliases.get(given, given)), None)
        if kind is None:
            raise explain_fault(file, (given,), str(refuse_unknown_name("type of task", given, list(KINDS))))
        if wrong := find_wrong_blank(text, FIELDS):
            raise explain_fault(
                file,
                (given,),
                f"`{wrong[:60]}` can't be filled in. A question may name {', '.join(sorted(FIELDS))} in "
                "braces, and nothing more in them; a brace itself is written twice.",
                f", `{given}`",
            )
        questions[kind] = text.rstrip("\n")
    return questions


def _require_material(task: Task, spec: LanguageSpec, host: LanguageSpec | None, file: Path) -> None:
    """Refuse a task that lacks the text its type asks about: it would be an empty question."""
    kind = KINDS[task.type]
    place = f"{file}: task `{task.id}` ({task.type})"
    if kind.needs_host and host is None:
        raise UsageError(f"{place} needs a host language; name it under `host` in {FILE}.")
    material = (task.material or "").strip() or (spec.whole and task.material)
    if kind.material and not material:
        raise UsageError(f"{place} has no `material`: the {kind.material} it asks about.")
    if kind.material == "template" and BLANK not in (task.material or ""):
        raise UsageError(f"{place} has no blank `{BLANK}` in its `material`.")
    if kind.judged == "text" and len(task.runs) != 1:
        raise UsageError(f"{place} asks for one output; give one test or `expected_output`.")


def _answer_language(task: Task, spec: LanguageSpec, host: LanguageSpec | None) -> LanguageSpec:
    return host if host is not None and KINDS[task.type].judged == "host program" else spec


def _require_input(task: Task, spec: LanguageSpec, host: LanguageSpec | None, file: Path) -> None:
    """Refuse standard input where nothing could read it."""
    judged = _answer_language(task, spec, host)
    if any(test.stdin for test in task.runs) and not find_language(judged).takes_input:
        raise UsageError(
            f"{file}: task `{task.id}` gives standard input, which programs of {judged.name} can't read here."
        )


def without_filing(each: _Named) -> _Named:
    """A task or example as it is digested: its rules, and the task it is a variant of, reach neither prompt
    nor grade."""
    filed = {"origin": msgspec.UNSET} if isinstance(each, Task) else {}
    return msgspec.structs.replace(each, rules=msgspec.UNSET, **filed)


def digest(*parts: object) -> str:
    """A short, stable fingerprint of plain data."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:16]
