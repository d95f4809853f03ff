"""The digest of code: prose and file names never move it, anything the program does differently does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from probatio.builtin.daily.graders import sources
from probatio.code_digest import PACKAGE, digest_of, imports, module_file, package_digest
from probatio.suite.daily_suite import load_daily

GRADER = '''"""A grader."""

from __future__ import annotations

import re
from math import fsum

from probatio.grade.marks import credit

HALF = 0.5
"""What a near miss earns."""


class Part:
    """One thing that was checked."""

    weight: float = 1.0


def score(parts: list[Part], least: float = 0.0) -> float:
    """The mean."""
    # Why fsum: no rounding.
    total = fsum(credit(part) * part.weight for part in parts)
    return max(least, HALF * total) if re.match("a", f"{total:{len(parts)}}") else least
'''
MARKS = "def credit(part):\n    return 1.0\n"
OTHER_MARKS = "def credit(part):\n    return 2.0\n"
SCRIPT = "(() => {\n  // every element\n  return document.querySelectorAll('*').length;\n})()\n"

GRADER_NAME, MARKS_NAME, OTHER_NAME = "probatio.grade.mean", "probatio.grade.marks", "probatio.grade.other"


def modules(grader: str = GRADER, **more: str) -> dict[str, str]:
    return {GRADER_NAME: grader, MARKS_NAME: MARKS, OTHER_NAME: OTHER_MARKS, **more}


BEFORE = digest_of(modules(), [SCRIPT])


def edited(old: str, new: str) -> str:
    assert GRADER.count(old) >= 1, old
    return GRADER.replace(old, new, 1)


PROSE = {
    "a comment": edited("# Why fsum: no rounding.", "# fsum adds without rounding errors."),
    "no comment": edited("    # Why fsum: no rounding.\n", ""),
    "a comment at the end of a line": edited("HALF = 0.5", "HALF = 0.5  # half"),
    "the docstring of the module": edited("A grader.", "Grades an answer."),
    "the docstring of a class": edited("One thing that was checked.", "A part."),
    "the docstring of a function": edited("The mean.", "The mean of all parts."),
    "no docstring": edited('    """The mean."""\n', ""),
    "a note under a constant": edited('"""What a near miss earns."""\n', ""),
    "a blank line": edited("    # Why", "\n    # Why"),
    "a line broken in two": edited("fsum(credit(part) * part.weight", "fsum(\n        credit(part) * part.weight"),
    "quotes": edited('re.match("a"', "re.match('a'"),
    "imports in another order": edited("import re\nfrom math import fsum", "from math import fsum\nimport re"),
    "an import moved into the function": edited("import re\n", "").replace(
        "    # Why fsum: no rounding.", "    import re\n"
    ),
    "an import moved to where only a type checker reads it": edited(
        "from math import fsum\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from math import fsum\n",
    ),
    "pass": edited('    """The mean."""\n', "    pass\n"),
}

MEANING = {
    "a number": edited("HALF = 0.5", "HALF = 0.51"),
    "a whole number made a decimal": edited("least: float = 0.0", "least: float = 0"),
    "an operator": edited("HALF * total", "HALF + total"),
    "a default": edited("least: float = 0.0", "least: float = 0.1"),
    "no default": edited("least: float = 0.0", "least: float"),
    "a called function": edited("max(least", "min(least"),
    "a text": edited('re.match("a"', 're.match("b"'),
    "the text of a format": edited('f"{total:{len(parts)}}"', 'f"{total:{len(parts)}} "'),
    "a conversion": edited("{total:", "{total!r:"),
    "a type that a decoder reads": edited("weight: float", "weight: int"),
    "a branch": edited(" if re.match", " if not re.match"),
    "a statement more": edited("    return max", "    total = 0\n    return max"),
    "a name from another module of ours": edited("grade.marks", "grade.other"),
    "a name from another foreign module": edited("from math import fsum", "from numpy import fsum"),
    "another name under the same name": edited("import fsum", "import prod as fsum"),
}


@pytest.mark.parametrize("grader", PROSE.values(), ids=PROSE)
def test_prose_and_layout_do_not_move_the_digest(grader: str) -> None:
    assert grader != GRADER
    assert digest_of(modules(grader), [SCRIPT]) == BEFORE


@pytest.mark.parametrize("grader", MEANING.values(), ids=MEANING)
def test_whatever_the_program_does_otherwise_moves_the_digest(grader: str) -> None:
    assert digest_of(modules(grader), [SCRIPT]) != BEFORE


def test_a_renamed_file_does_not_move_the_digest() -> None:
    renamed = {
        "probatio.grade.average": GRADER.replace("grade.marks", "grade.credits"),
        "probatio.grade.credits": MARKS,
        "probatio.grade.rest": OTHER_MARKS,
    }
    assert digest_of(renamed, [SCRIPT]) == BEFORE


def test_the_order_of_files_does_not_move_the_digest() -> None:
    assert digest_of(dict(reversed(modules().items())), [SCRIPT]) == BEFORE


def test_a_module_of_ours_that_is_not_digested_may_be_renamed() -> None:
    outside = "from probatio.suite.daily_suite import Case\n" + MARKS
    renamed = "from probatio.suite.cases import Case\n" + MARKS
    assert digest_of({"probatio.grade.a": outside}) == digest_of({"probatio.grade.a": renamed})


def test_a_name_passed_on_by_another_package_is_seen() -> None:
    """The two packages only pass a name on, so their own bodies are the same; what they pass on differs."""
    passed_on = {
        "probatio.grade.one": "from probatio.grade.marks import credit\n",
        "probatio.grade.two": "from probatio.grade.other import credit\n",
    }
    user = "from probatio.grade.one import credit\n\nprint(credit(1))\n"
    assert digest_of(modules(user, **passed_on)) != digest_of(modules(user.replace("one", "two"), **passed_on))


def test_modules_that_import_each_other_have_a_digest() -> None:
    circle = {"probatio.a": "from probatio.b import g\nf = 1\n", "probatio.b": "from probatio.a import f\ng = 2\n"}
    assert digest_of(circle) != digest_of({**circle, "probatio.b": "from probatio.a import f\ng = 3\n"})


def test_a_relative_import_is_refused_since_it_can_not_be_followed() -> None:
    with pytest.raises(ValueError, match="relative import"):
        digest_of({"probatio.a": "from . import b\n"})


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ("length", "size", True),
        ("'*'", "'p'", True),
        ("  return", "    return", True),
        ("  // every element\n", "", False),
        ("// every element", "// all of them", False),
        ("{\n", "{\n\n", False),
    ],
)
def test_a_script_counts_by_its_lines_without_comment_lines(old: str, new: str, moves: bool) -> None:
    script = SCRIPT.replace(old, new, 1)
    assert script != SCRIPT
    assert (digest_of(modules(), [script]) != BEFORE) is moves


def test_a_script_of_the_daily_suite_is_part_of_its_digest() -> None:
    code, scripts = sources(tuple(load_daily().use_cases))
    survey = next(text for path, text in scripts.items() if path.endswith("survey.js"))
    assert digest_of(code, [survey]) != digest_of(code, [survey.replace("0.2", "0.3", 1)])


def test_imports_name_the_modules_and_what_may_be_one() -> None:
    assert set(imports(GRADER)) == {
        "re", "math", "math.fsum", "probatio.grade.marks", "probatio.grade.marks.credit",
    }  # fmt: skip


def test_a_modules_file_is_found_without_importing_it() -> None:
    assert module_file("probatio.code_digest") == PACKAGE / "code_digest.py"
    assert module_file("probatio.builtin.daily") == PACKAGE / "builtin" / "daily" / "__init__.py"
    assert module_file("probatio.nowhere") is None
    assert module_file("os.path") is None


def test_a_packages_digest_is_that_of_its_modules() -> None:
    names = {f"probatio.suite.{file.stem}": file for file in (PACKAGE / "suite").glob("*.py")}
    names["probatio.suite"] = names.pop("probatio.suite.__init__")
    assert package_digest("probatio.suite") == digest_of({name: file.read_text() for name, file in names.items()})


def other_pythons() -> dict[str, str]:
    """An interpreter of each other version on this machine, on the path or beside ours in a folder of versions."""
    beside = sorted(Path(sys.base_prefix).parent.glob("3.*/bin/python3.1[1-9]"))
    named = [Path(path) for minor in range(11, 20) if (path := shutil.which(f"python3.{minor}"))]
    found = {path.name: str(path) for path in (*named, *beside)}
    return {name: path for name, path in found.items() if name != f"python3.{sys.version_info.minor}"}


@pytest.mark.parametrize("python", other_pythons().values(), ids=other_pythons())
def test_other_python_versions_give_the_same_digest(python: str) -> None:
    """The digester uses the standard library alone, so that it runs in any interpreter that is at hand."""
    script = (
        "import importlib.util, json, sys\n"
        "spec = importlib.util.spec_from_file_location('code_digest', sys.argv[1])\n"
        "digests = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(digests)\n"
        "print(digests.digest_of(json.load(sys.stdin)))\n"
    )
    shipped, _ = sources(tuple(load_daily().use_cases))
    code = {**shipped, GRADER_NAME: GRADER}  # has the nested format that Python 3.12 reads in its own way
    done = subprocess.run(
        [python, "-I", "-c", script, str(PACKAGE / "code_digest.py")],
        input=json.dumps(code),
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode == 127:
        pytest.skip(f"{python} only points to an interpreter that is not chosen here")
    assert done.stdout.strip() == digest_of(code), done.stderr
