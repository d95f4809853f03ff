"""Ready graders: what is expected of an answer, in one line of a case: `expect: {contains: Enterprise}`.

An expectation is read once with its suite; a worker grades by it, whose limits end a pattern that would match
for ever. All is pure but `python`, which runs the answer's code in the jail. `judge` stands in no table of
graders: no code grades by it, and its weight is that of the judge's part.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from probatio.core.records.check_result import CheckResult, Part
from probatio.core.text.names import refuse_unknown_name
from probatio.jail import Choice
from probatio.languages.python.stated_tests import (
    MOST,
    check_stated,
    make_right_answer,
    make_trivial_answer,
    read_tests,
)
from probatio.suites import ready_json
from probatio.suites.rubrics import Rubric, read_rubric

READY = "expect"
"""The name of these graders as the grader of a use case."""
JUDGE = "judge"
"""The expectation that the judge marks; its value is a rubric."""
VERSION = 1
"""Raise it when an answer could get another grade. Suites with expectations have it in their fingerprint."""
LONGEST_PATTERN = 1000
_LONGEST_NUMBER = 60
_MOST_NUMBERS = 100
"""A line with more of them is a list of guesses."""
_SHOWN, _LONGEST_DETAIL = 80, 500
_STEPS = 10
"""Of a likeness: 0.57 is 0.5."""


class Expectation(msgspec.Struct, frozen=True):
    """One thing that is expected of an answer."""

    grader: str
    value: Any
    weight: float = 1.0
    negated: bool = False


class ReadyGrader(NamedTuple):
    """A way to grade. `read` gives the value as it is kept, or raises ValueError with a sentence."""

    read: Callable[[Any], Any]
    grade: Callable[[Any, str, Choice], CheckResult]
    gold: Callable[[Any], str | None] = lambda value: None
    """An answer that is right; None where none can be made."""
    rungs: Callable[[Any], int] = lambda value: 1
    """Steps between wrong and right."""
    only_in_worker: bool = False
    """A pattern may match for ever, and code has to be run."""
    trivial: Callable[[Any], str] | None = None
    """Of a grader that runs the answer: code that runs wherever the jail works."""


def _of_parts(grade: Callable[[Any, str], Sequence[Part]]) -> Callable[[Any, str, Choice], CheckResult]:
    """A way to grade that only reads the answer."""
    return lambda value, text, isolation: CheckResult(tuple(grade(value, text)))


def read_expectations(written: Any) -> tuple[Expectation, ...]:
    """What stands behind `expect:`. Raises ValueError with a sentence."""
    items = written if isinstance(written, list) else [written]
    if not items:
        raise ValueError("`expect` is empty; name a grader, such as {contains: Enterprise}")
    expected = tuple(_read_one(item) for item in items)
    if sum(GRADERS[each.grader].trivial is not None for each in find_checked(expected)) > 1:
        raise ValueError("`python` stands there twice; put all tests into one, which starts the code once")
    if sum(each.grader == JUDGE for each in expected) > 1:
        raise ValueError("`judge` stands there twice; give one a list of criteria, so that it is asked once")
    return expected


def find_rubric(expected: Iterable[Expectation]) -> Rubric | None:
    """What the judge marks an answer by; None if it is not asked."""
    return next((each.value for each in expected if each.grader == JUDGE), None)


def find_checked(expected: Iterable[Expectation]) -> tuple[Expectation, ...]:
    """The expectations that code grades."""
    return tuple(each for each in expected if each.grader != JUDGE)


def weigh_checked(expected: Sequence[Expectation]) -> float:
    """The share of the score that code gives."""
    return sum(each.weight for each in find_checked(expected)) / sum(each.weight for each in expected)


def count_rungs(expected: Iterable[Expectation]) -> int:
    """The rungs of a case: those of all its expectations; 0, no ladder, where it is one yes or no, or where a
    judge marks it."""
    expected = tuple(expected)
    if find_rubric(expected) is not None:
        return 0
    steps = sum(GRADERS[each.grader].rungs(each.value) for each in expected)
    return steps if steps > 1 else 0


def grade_expectations(
    expected: Sequence[Expectation], answer: str, isolation: Choice = "auto"
) -> CheckResult:
    """What code grades: each expectation's parts weigh its weight together. An empty answer earns nothing."""
    text = answer.strip()
    results = [_grade_one(each, text, isolation) for each in find_checked(expected)]
    parts = tuple(part for result in results for part in result.parts)
    return CheckResult(parts, timely=all(result.timely for result in results))


def need_worker(expected: Iterable[Expectation]) -> bool:
    """Whether no answer may be graded by them outside of a worker."""
    return any(GRADERS[each.grader].only_in_worker for each in find_checked(expected))


def find_trivial(expected: Iterable[Expectation]) -> str | None:
    """Code that runs wherever the jail works, for expectations that run the answer; None for those that read
    it."""
    made = (
        trivial(each.value) for each in find_checked(expected) if (trivial := GRADERS[each.grader].trivial)
    )
    return next(made, None)


def make_gold(expected: Sequence[Expectation]) -> str | None:
    """An answer with full marks, where one can be made of what is expected. No pattern and no code is tried
    here: outside of a worker nothing would end it. Of a judge's wishes none is made."""
    expected = find_checked(expected)
    if not expected:
        return None
    if need_worker(expected):
        (first, *others) = expected
        return None if others or first.negated else GRADERS[first.grader].gold(first.value)
    made = [GRADERS[each.grader].gold(each.value) for each in expected if not each.negated]
    golds = [gold for gold in made if gold]
    tried = (*golds, " ".join(golds), "\n".join(golds))
    return next((gold for gold in tried if grade_expectations(expected, gold).score >= 1), None)


def _read_one(item: Any) -> Expectation:
    if not isinstance(item, dict):
        raise ValueError("an expectation is a grader with its value, such as {contains: Enterprise}")
    rest = {str(key): value for key, value in item.items()}
    weight = rest.pop("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1e9:
        raise ValueError(f"`weight` has to be a number above 0, not {weight!r}")
    negated = False
    if rest.keys() == {"not"} and isinstance(rest["not"], dict):
        rest, negated = {str(key): value for key, value in rest["not"].items()}, True
    if len(rest) != 1:
        raise ValueError("an expectation has one grader (and a `weight`); give several as a list")
    ((name, value),) = rest.items()
    if name.startswith("not-"):
        name, negated = name.removeprefix("not-"), not negated
    name = ALIASES.get(name, name)
    if name != JUDGE and name not in GRADERS:
        raise ValueError(str(refuse_unknown_name("ready grader", name, [*GRADERS, JUDGE, *ALIASES])))
    if name == JUDGE and negated:
        raise ValueError("`judge` has no `not`; say in its criterion what the answer must not have")
    try:
        kept = read_rubric(value) if name == JUDGE else GRADERS[name].read(value)
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from None
    return Expectation(name, kept, float(weight), negated)


def _grade_one(expected: Expectation, text: str, isolation: Choice) -> CheckResult:
    if not text:
        return CheckResult((Part(expected.grader, 0.0, "the answer is empty", expected.weight),))
    result = GRADERS[expected.grader].grade(expected.value, text, isolation)
    parts = result.parts
    if expected.negated:
        said = "; ".join(part.detail for part in parts)
        parts = (Part(f"not {expected.grader}", 1 - result.score, f"not: {said}"),)
    share = expected.weight / sum(part.weight for part in parts)
    weighed = (
        Part(part.name, part.score, part.detail[:_LONGEST_DETAIL], part.weight * share) for part in parts
    )
    return CheckResult(tuple(weighed), timely=result.timely)


def _show(value: str) -> str:
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"


# Texts.


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"the value has to be a text; put {value!r} in quotes")
    if not value.strip():
        raise ValueError("the value is empty")
    return value


def _read_texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError("the value has to be a list of texts")
    return [_read_text(each) for each in value]


def _of_text(name: str, is_right: Callable[[str, str], bool]) -> ReadyGrader:
    """A grader that compares the answer with one text."""

    def grade(value: str, text: str) -> Sequence[Part]:
        detail = f"expected {_show(value)!r}, was {_show(text)!r}"
        return (Part(name, float(is_right(value, text)), detail),)

    return ReadyGrader(_read_text, _of_parts(grade), lambda value: value)


def _of_texts(name: str, enough: Callable[[Iterable[bool]], bool], fold: Callable[[str], str]) -> ReadyGrader:
    """A grader that looks for several texts in the answer."""

    def grade(value: Sequence[str], text: str) -> Sequence[Part]:
        there = fold(text)
        missing = [each for each in value if fold(each) not in there]
        right = enough(each not in missing for each in value)
        detail = f"not there: {', '.join(map(_show, missing))}" if missing else ""
        return (Part(name, float(right), detail),)

    gold = " ".join if enough is all else itemgetter(0)
    return ReadyGrader(_read_texts, _of_parts(grade), gold)


# A pattern.


def _read_pattern(value: Any) -> str:
    pattern = _read_text(value)
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"a pattern has at most {LONGEST_PATTERN} characters")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{pattern!r} is no pattern: {error}") from None
    return pattern


def _grade_pattern(value: str, text: str) -> Sequence[Part]:
    return (Part("regex", float(re.search(value, text) is not None), f"pattern {_show(value)}"),)


# A number.

_MARKS = "$€£¥"
"""Units that stand before the number."""
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-−+]?)(?P<mark>[{_MARKS}]?)"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)(?P<power>[eE][-+]?\d{1,3}(?!\w))?"
)
_DIGIT = re.compile(r"\d")
_GIVEN = re.compile(r"[-+]?\d{1,60}(?:\.\d{1,60})?(?:[eE][-+]?\d{1,3})?")


def _read_number(value: Any) -> dict[str, Any]:
    given = dict(value) if isinstance(value, dict) else {"value": value}
    if unknown := sorted(map(str, given.keys() - {"value", "tolerance", "unit"})):
        raise ValueError(f"unknown key `{unknown[0]}`; the keys are value, tolerance, unit")
    if "value" not in given:
        raise ValueError("it needs a `value`")
    tolerance = str(given.get("tolerance", 0))
    amount = _read_amount(tolerance.removesuffix("%"))
    if amount.startswith("-"):
        raise ValueError("`tolerance` is not below 0")
    unit = given.get("unit", [])
    return {
        "value": _read_amount(given["value"]),
        "tolerance": amount + ("%" if tolerance.endswith("%") else ""),
        "units": [_read_text(each) for each in (unit if isinstance(unit, list) else [unit])],
    }


def _read_amount(value: Any) -> str:
    text = str(value)
    if isinstance(value, bool) or not _GIVEN.fullmatch(text):
        raise ValueError(f"{text!r} is no number")
    return text


def _grade_number(value: Mapping[str, Any], text: str) -> Sequence[Part]:
    """Every number of the last line that has one counts, so that naming several gains nothing; of a
    calculation in it, what stands behind the last `=`."""
    found: list[Fraction | None] = []
    for line in filter(_DIGIT.search, reversed(text.split("\n"))):
        for piece in (line.rpartition("=")[2], line):
            if found := _find_numbers(piece, value["units"]):
                break
        if found:
            break
    wanted, tolerance = Fraction(value["value"]), value["tolerance"]
    near = Fraction(tolerance.removesuffix("%"))
    if tolerance.endswith("%"):
        near *= abs(wanted) / 100
    right = bool(found) and all(each is not None and abs(each - wanted) <= near for each in found)
    unit = f" {' or '.join(value['units'])}" if value["units"] else ""
    around = f" ± {tolerance}" if near else ""
    return (Part("number", float(right), f"expected {value['value']}{unit}{around}, was {_show(text)!r}"),)


def _find_numbers(text: str, units: Sequence[str]) -> list[Fraction | None]:
    """The numbers with one of the units; None for one that is longer than any number."""
    found: list[Fraction | None] = []
    for match in _NUMBER.finditer(text):
        if units and match["mark"] not in units and not _has_unit(text, match.end(), units):
            continue
        digits = match["digits"].replace(",", "") + (match["power"] or "")
        number = Fraction(digits) if len(digits) <= _LONGEST_NUMBER else None
        if len(found) == _MOST_NUMBERS:
            return [None]
        found.append(-number if number is not None and match["sign"] in {"-", "−"} else number)
    return found


def _has_unit(text: str, at: int, units: Sequence[str]) -> bool:
    """Whether one of the units stands there. m is no unit of 5 m/s."""
    rest = text[at : at + 200].lstrip()
    return any(rest.startswith(unit) and not re.match(r"[\w/^²³]", rest[len(unit) :]) for unit in units)


def _gold_number(value: Mapping[str, Any]) -> str:
    number, units = value["value"], value["units"]
    if not units:
        return str(number)
    return f"{units[0]}{number}" if units[0] in _MARKS else f"{number} {units[0]}"


# One of several names.


def _read_choice(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or value.keys() != {"right", "of"}:
        raise ValueError("it has the keys `right` and `of`, such as {right: Pro, of: [Free, Pro]}")
    right, names = _read_text(value["right"]), _read_texts(value["of"])
    folded = [name.casefold() for name in names]
    if right.casefold() not in folded or len(set(folded)) != len(names):
        raise ValueError("`of` names each choice once, and `right` is one of them")
    return {"right": right, "of": names}


def _grade_choice(value: Mapping[str, Any], text: str) -> Sequence[Part]:
    """Right where the answer names this choice and no other, as whole words in any case."""
    longest_first = sorted((name.casefold() for name in value["of"]), key=len, reverse=True)
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
    named = set(re.findall(pattern, text.casefold()))
    right = named == {value["right"].casefold()}
    detail = f"expected {value['right']}, named {', '.join(sorted(named)) or 'none'}"
    return (Part("choice", float(right), detail),)


# A likeness.

_WORD = re.compile(r"\w+")


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


MEASURES: Mapping[str, Callable[[str], Counter[Any]]] = MappingProxyType(
    {"words": lambda text: Counter(_words(text)), "pairs": lambda text: Counter(pairwise(_words(text)))}
)
"""What two texts share: their words, or their pairs of words in a row. The likeness is the F1 of it."""


def _read_similar(value: Any) -> dict[str, str]:
    given = dict(value) if isinstance(value, dict) else {"to": value}
    measure = given.setdefault("measure", "words")
    if given.keys() != {"to", "measure"} or measure not in MEASURES:
        raise ValueError(f"it is a text, or {{to: TEXT, measure: {' or '.join(MEASURES)}}}")
    if not MEASURES[measure](_read_text(given["to"])):
        raise ValueError(f"the reference text has no {measure}")
    return given


def _grade_similar(value: Mapping[str, str], text: str) -> Sequence[Part]:
    wanted, there = MEASURES[value["measure"]](value["to"]), MEASURES[value["measure"]](text)
    shared, both = (wanted & there).total(), wanted.total() + there.total()
    detail = f"{shared} of {wanted.total()} {value['measure']} shared, {there.total()} there"
    return (Part("similar", 2 * _STEPS * shared // both / _STEPS, detail),)


# Code.


def _read_code_tests(value: Any) -> dict[str, list[str]]:
    """One test, several, or {tests: …}."""
    if isinstance(value, dict) and value.keys() != {"tests"}:
        raise ValueError('it has the key `tests`, such as {tests: ["add(1, 2) == 3"]}')
    given = value["tests"] if isinstance(value, dict) else value
    tests = _read_texts([given] if isinstance(given, str) else given)
    if len(tests) > MOST:
        raise ValueError(f"there are at most {MOST} tests, not {len(tests)}")
    if twice := next((test for test, count in Counter(tests).items() if count > 1), None):
        raise ValueError(f"the test {_show(twice)} stands there twice")
    read_tests(tests)
    return {"tests": tests}


def _count_code_tests(value: Mapping[str, Sequence[str]]) -> int:
    return len(value["tests"])


GRADERS: Mapping[str, ReadyGrader] = MappingProxyType(
    {
        "exact": _of_text("exact", lambda value, text: text == value.strip()),
        "contains": _of_text("contains", lambda value, text: value in text),
        "icontains": _of_text("icontains", lambda value, text: value.casefold() in text.casefold()),
        "starts-with": _of_text("starts-with", lambda value, text: text.startswith(value)),
        "contains-all": _of_texts("contains-all", all, str),
        "contains-any": _of_texts("contains-any", any, str),
        "icontains-all": _of_texts("icontains-all", all, str.casefold),
        "icontains-any": _of_texts("icontains-any", any, str.casefold),
        "regex": ReadyGrader(_read_pattern, _of_parts(_grade_pattern), only_in_worker=True),
        "number": ReadyGrader(_read_number, _of_parts(_grade_number), _gold_number),
        "choice": ReadyGrader(_read_choice, _of_parts(_grade_choice), itemgetter("right")),
        "json": ReadyGrader(
            ready_json.read_json,
            _of_parts(ready_json.grade_json),
            ready_json.gold_json,
            ready_json.count_fields,
        ),
        "contains-json": ReadyGrader(ready_json.read_schema, _of_parts(ready_json.grade_contained)),
        "is-json": ReadyGrader(ready_json.read_schema, _of_parts(ready_json.grade_whole)),
        "similar": ReadyGrader(
            _read_similar, _of_parts(_grade_similar), itemgetter("to"), lambda value: _STEPS
        ),
        "python": ReadyGrader(
            _read_code_tests,
            lambda value, text, isolation: check_stated(read_tests(value["tests"]), text, isolation),
            lambda value: make_right_answer(read_tests(value["tests"])),
            _count_code_tests,
            only_in_worker=True,
            trivial=lambda value: make_trivial_answer(read_tests(value["tests"])),
        ),
    }
)
ALIASES: Mapping[str, str] = MappingProxyType({"equals": "exact"})
"""Other names that mean the same."""
