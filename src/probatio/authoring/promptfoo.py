"""A config of promptfoo as cases: its prompts with the variables of its tests, and the assertions that mean
the same here. What does not is named with its count."""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from probatio.authoring.brought import Brought, BroughtCase
from probatio.core.errors import UsageError
from probatio.core.jsonfile import decode
from probatio.core.records import Turn
from probatio.core.text.visible import make_one_line
from probatio.core.yamlfile import YamlFile, explain_fault, parse_value, read_again
from probatio.suites.ready_graders import JUDGE, read_expectations
from probatio.suites.variables import fill, show

_OF_TEXT = ("equals", "contains", "icontains", "starts-with", "regex")
_OF_TEXTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
_OF_JSON = ("is-json", "contains-json")
_OF_A_JUDGE = "llm-rubric"
TAKEN = (*_OF_TEXT, *_OF_TEXTS, *_OF_JSON, _OF_A_JUDGE)
"""Assertions that mean the same here."""
_OTHERS = (
    "agent-rubric", "answer-relevance", "bleu", "classifier", "contains-html", "contains-sql",
    "contains-xml", "context-faithfulness", "context-recall", "context-relevance", "conversation-relevance",
    "cost", "factuality", "finish-reason", "g-eval", "gleu", "guardrails", "is-html", "is-refusal",
    "is-sql", "is-valid-function-call", "is-valid-openai-function-call", "is-valid-openai-tools-call",
    "is-xml", "javascript", "latency", "levenshtein", "meteor", "model-graded-closedqa",
    "model-graded-factuality", "moderation", "perplexity", "perplexity-score", "pi", "python", "rouge-n",
    "ruby", "search-rubric", "similar", "similar:cosine", "similar:dot", "similar:euclidean", "skill-used",
    "tool-call-f1", "trace-error-spans", "trace-span-count", "trace-span-duration",
    "trajectory:goal-success", "trajectory:step-count", "trajectory:tool-args-match",
    "trajectory:tool-sequence", "trajectory:tool-used", "webhook", "word-count",
)  # fmt: skip
"""The other names that may stand before the colon in a cell: text before another colon is only text."""
_CELL = re.compile(
    rf"(?P<kind>(?:not-)?(?:{'|'.join(sorted(map(re.escape, (*TAKEN, *_OTHERS)), key=len, reverse=True))}))"
    r"(?:\(\d+(?:\.\d+)?\))?(?::(?P<value>.*))?",
    re.DOTALL,
)
_LEGACY = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}

_READ = ("prompts", "tests", "defaultTest", "description", "$schema")
_READ_OF_A_TEST = ("vars", "assert", "options", "threshold", "description")
_CHANGES_THE_TEST = ("assertScoringFunction", "prompts", "providerOutput")
_READ_OF_OPTIONS = ("prefix", "suffix")
_CHANGES_THE_ANSWER = (
    "disableDefaultAsserts",
    "disableVarExpansion",
    "postprocess",
    "transform",
    "transformVars",
)
_FILE = re.compile(
    r"file://.*|exec:.*|\w+://\S+|\S+\.(txt|jsonl?|ya?ml|md|j2|csv|[cm]?[jt]s|py|rb|sh|exe)(:\w+)?", re.DOTALL
)
_CHAT = re.compile(r'\s*(\[\s*\{|-\s+"?role"?\s*:)')


_TEMPLATE = re.compile(r"\{[%#]")
"""What else promptfoo would fill in a text; `{{` is looked at where it is filled."""
_MOST_CASES = 10_000
"""Of one test: lists of values multiply."""


def read_config(file: YamlFile) -> Brought:
    """The tests of a config, each with each prompt."""
    file = read_again(file)
    config, not_taken = file.data, Counter[str]()
    for key in config:
        if key not in _READ and not str(key).startswith("x-"):
            not_taken[f"`{key}`"] += _count(config[key])
    prompts = list(_read_prompts(file, not_taken))
    default = _read_default(file, not_taken)
    tests = config.get("tests")
    if tests is None:
        raise explain_fault(file, (), "there are no `tests`.")
    if isinstance(tests, str):
        tests = [tests]
    if not isinstance(tests, list):
        raise explain_fault(file, ("tests",), "`tests` has to be a list.")
    cases: list[BroughtCase] = []
    left_out: list[str] = []
    for number, test in enumerate(tests):
        if isinstance(test, str):
            not_taken["tests of a file"] += 1
            continue
        where = f"test {number + 1}"
        if not isinstance(test, dict):
            raise explain_fault(file, ("tests", number), f"{where} has to be a table.")
        if test.get("description"):
            where += f" ({make_one_line(str(test['description']))})"
        try:
            found = _read_test(file, ("tests", number), default, test, prompts, where, not_taken)
            cases += found
        except _LeftOutError as error:
            left_out.append(f"{where}: {error}")
    return Brought(cases, not_taken, left_out)


class _Asked(NamedTuple):
    """A prompt of the config."""

    prompt: str
    system: str | None = None
    chat: bool = False


class _LeftOutError(Exception):
    """Why a test can't be taken."""


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else 1


def _read_prompts(file: YamlFile, not_taken: Counter[str]) -> Iterator[tuple[str, _Asked]]:
    """The name of its use case, and what is asked, of each prompt that is written in the config."""
    if "prompts" not in file.data:
        raise explain_fault(file, (), "there are no `prompts`.")
    written = file.data["prompts"]
    given = written if isinstance(written, list) else [written]
    texts = [each.get("raw", each.get("id")) if isinstance(each, dict) else each for each in given]
    found = False
    for number, (each, text) in enumerate(zip(given, texts, strict=True), 1):
        if not isinstance(text, str | list) or not text or (isinstance(text, str) and not text.strip()):
            raise explain_fault(file, ("prompts", number - 1), f"prompt {number} is no text.")
        of_file = isinstance(each, dict) and "raw" not in each
        if isinstance(text, str) and (of_file or _FILE.fullmatch(text.strip())):
            not_taken["prompts of a file"] += 1
            continue
        asked = _read_chat(text, file) if isinstance(text, list) or _CHAT.match(text) else _Asked(text)
        if asked is None:
            not_taken["prompts that are a chat of other messages than `system` and `user`"] += 1
            continue
        label = str(each.get("label") or "") if isinstance(each, dict) else ""
        found = True
        yield label or (file.path.stem if len(given) == 1 else f"prompt {number}"), asked
    if not found:
        raise explain_fault(
            file, ("prompts",), "no prompt is written in the config itself; write them into `prompts`."
        )


def _read_chat(written: str | list[Any], file: YamlFile) -> _Asked | None:
    """A list of messages, as JSON or YAML; None if it is more than a system prompt and a question. Its texts
    are filled after it is read, so a value can't break out of its message."""
    try:
        messages = parse_value(written, file.path) if isinstance(written, str) else written
        chat = [msgspec.convert(each, Turn) for each in messages]
    except (ValueError, TypeError, UsageError):
        return None
    if [each.role for each in chat] not in (["user"], ["system", "user"]):
        return None
    *system, user = (each.content for each in chat)
    return _Asked(user, system[0] if system else None, chat=True) if all((*system, user)) else None


def _read_default(file: YamlFile, not_taken: Counter[str]) -> dict[str, Any]:
    default = file.data.get("defaultTest") or {}
    if isinstance(default, str):
        not_taken["`defaultTest` of a file"] += 1
        return {}
    if not isinstance(default, dict):
        raise explain_fault(file, ("defaultTest",), "`defaultTest` has to be a table.")
    return default


def _read_test(
    file: YamlFile,
    at: tuple[str | int, ...],
    default: Mapping[str, Any],
    test: Mapping[str, Any],
    prompts: Iterable[tuple[str, _Asked]],
    where: str,
    not_taken: Counter[str],
) -> list[BroughtCase]:
    tables: dict[str, dict[str, Any]] = {}
    for key in ("vars", "options"):
        own, given = test.get(key) or {}, default.get(key) or {}
        for place, table in ((at, own), (("defaultTest",), given)):
            if isinstance(table, str) or (key == "vars" and isinstance(table, list)):
                raise _LeftOutError(f"its `{key}` are of a file")
            if not isinstance(table, dict):
                raise explain_fault(file, (*place, key), f"`{key}` has to be a table.")
        tables[key] = {**given, **own}
    asserts: list[Any] = []
    for place, of in ((("defaultTest",), default), (at, test)):
        written = of.get("assert") or []
        if not isinstance(written, list):
            raise explain_fault(file, (*place, "assert"), "`assert` has to be a list.")
        for number, each in enumerate(written):
            if not isinstance(each, dict) or not isinstance(each.get("type", each.get("$ref")), str):
                raise explain_fault(
                    file, (*place, "assert", number), "an assertion is a table with a `type`."
                )
        asserts += written
    merged = {**default, **test}
    for key in merged:
        if key in _CHANGES_THE_TEST:
            raise _LeftOutError(f"`{key}` has no meaning here")
        if key not in _READ_OF_A_TEST:
            not_taken[f"`{key}` of a test"] += 1
    options = tables["options"]
    for key in options:
        if key in _CHANGES_THE_ANSWER:
            raise _LeftOutError(f"its option `{key}` has no meaning here")
        if key not in _READ_OF_OPTIONS:
            not_taken[f"option `{key}` of a test"] += 1
    threshold = merged.get("threshold")
    if threshold is not None and threshold != 1:
        not_taken["`threshold` of a test (the score is the same)"] += 1
    try:
        cases = _make_cases(where, prompts, asserts, tables["vars"], options, not_taken)
    except ValueError as error:
        raise _LeftOutError(str(error)) from None
    if not all(case.written["expect"] for case in cases):
        raise _LeftOutError("no assertion is left")
    return cases


def _make_cases(
    where: str,
    prompts: Iterable[tuple[str, _Asked]],
    asserts: Iterable[Mapping[str, Any]],
    variables: Mapping[str, Any],
    options: Mapping[str, Any],
    not_taken: Counter[str],
) -> list[BroughtCase]:
    """A case of each prompt with each combination of values. Raises ValueError for what can't be filled."""
    cases = []
    counted: Counter[str] = Counter()
    for values in _combine(variables):
        counted = Counter()  # once for a test, however many cases it is
        expect = take(asserts, values, counted)
        for use_case, asked in prompts:
            if asked.chat and (options.get("prefix") or options.get("suffix")):
                counted["chats that a `prefix` or `suffix` would stand around"] += 1
                continue
            cases.append(BroughtCase(where, use_case, {**_write(asked, options, values), "expect": expect}))
    if not cases:
        raise ValueError("its `prefix` or `suffix` would stand around a chat")
    not_taken.update(counted)
    return cases


def _write(asked: _Asked, options: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    """What is asked, filled, as a case has it."""
    around = options.get("prefix", ""), options.get("suffix", "")
    system = {} if asked.system is None else {"system": _fill(asked.system, values)}
    return {**system, "prompt": _fill(f"{around[0]}{asked.prompt}{around[1]}", values)}


def _combine(given: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The values of the variables: a list stands for each of its values."""
    lists = {str(name): value if isinstance(value, list) else [value] for name, value in given.items()}
    if empty := [name for name, values in lists.items() if not values]:
        raise ValueError(f"its variable `{empty[0]}` is an empty list")
    if (cases := math.prod(map(len, lists.values()))) > _MOST_CASES:
        raise ValueError(f"its variables make {cases:,} cases; the most is {_MOST_CASES:,}")
    for chosen in itertools.product(*lists.values()):
        values = {name: show(value) for name, value in zip(lists, chosen, strict=True)}
        for name, value in values.items():
            if value.startswith("file://"):
                raise ValueError(f"its variable `{name}` is a file")
            if "{{" in value or _TEMPLATE.search(value):
                raise ValueError(f"its variable `{name}` is a template")
        yield values


def _fill(text: str, values: Mapping[str, str]) -> str:
    if _TEMPLATE.search(text):
        raise ValueError("only {{name}} is filled, no other template")
    return fill(text, values)


def take(
    asserts: Iterable[Mapping[str, Any]], values: Mapping[str, str] | None, not_taken: Counter[str]
) -> list[dict[str, Any]]:
    """The expectations that mean the same as the assertions; None: what they say is filled already. Raises
    ValueError for what can't be filled."""
    taken: list[dict[str, Any]] = []
    criteria: list[dict[str, Any]] = []
    for each in asserts:
        kind = str(each.get("type", "$ref"))
        plain = kind.removeprefix("not-")
        if plain not in TAKEN or kind == f"not-{_OF_A_JUDGE}":
            not_taken[f"assertion `{kind}`"] += 1
            continue
        if "transform" in each:
            not_taken[f"assertion `{kind}` with a `transform`"] += 1
            continue
        if each.get("weight") == 0:
            not_taken[f"assertion `{kind}` of weight 0"] += 1
            continue
        value = _read_value(plain, each.get("value"), values)
        if value is None:
            not_taken[f"assertion `{kind}` of a file, a function or another kind of value"] += 1
            continue
        expected = {JUDGE if plain == _OF_A_JUDGE else kind: value}
        if each.get("weight", 1) != 1:
            expected["weight"] = each["weight"]
        try:
            read_expectations(expected)
        except ValueError as error:
            not_taken[f"assertion {error}"] += 1
            continue
        for key in each.keys() - {"type", "value", "weight"}:
            not_taken[f"`{key}` of an assertion"] += 1
        if plain == _OF_A_JUDGE:
            criteria.append({"question": value, "weight": each.get("weight", 1)})
        else:
            taken.append(expected)
    return [*taken, *_join_criteria(criteria)]


def _join_criteria(criteria: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One question to the judge for all that it marks; it weighs what its criteria weigh together."""
    if not criteria:
        return []
    weight = sum(each["weight"] for each in criteria)
    joined = {JUDGE: criteria[0]["question"] if len(criteria) == 1 else criteria}
    return [{**joined, "weight": weight} if weight != 1 else joined]


def _read_value(plain: str, value: Any, values: Mapping[str, str] | None) -> Any:
    """The value as the ready grader has it; None where it has no such value."""
    if isinstance(value, str):
        value = value if values is None else _fill(value, values)
        if value.startswith(("file://", "package:")):
            return None
    if plain in _OF_JSON:
        return _read_schema(value)
    if plain in _OF_TEXTS:
        value = split_texts(value) if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(each, str | int | float) for each in value):
            return None
        return [show(each) if values is None else _fill(show(each), values) for each in value]
    return show(value) if isinstance(value, str | int | float) else None


def _read_schema(value: Any) -> Any:
    if value is None or value == "":
        return True
    if isinstance(value, str):
        try:
            value = decode(value)
        except msgspec.DecodeError:
            return None
    return value if isinstance(value, dict) else None


def split_texts(text: str) -> list[str]:
    """Texts between commas; one in quotes may have commas in it."""
    found = next(csv.reader([text.replace("\n", " ")], skipinitialspace=True), [])
    return [each.strip() for each in found if each.strip()]


def is_expected_column(name: str) -> bool:
    return re.fullmatch(r"__expected\d*", name) is not None


def parse_assertion(cell: str) -> dict[str, Any]:
    """The assertion of a cell such as `contains: Paris`. Text without a kind has to be the answer."""
    before, colon, _ = cell.partition(":")
    if colon and before in _LEGACY:
        return {"type": _LEGACY[before], "value": cell[len(before) + 1 :].strip()}
    if cell.startswith("file://"):
        return {"type": "equals", "value": cell}
    if not (match := _CELL.fullmatch(cell)):
        return {"type": "equals", "value": cell}
    return {"type": match["kind"], "value": (match["value"] or "").strip()}
