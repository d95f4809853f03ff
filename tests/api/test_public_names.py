"""`import probatio`: quick, and its names are functions whatever has been imported before."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys

import probatio
from probatio import api


def test_importing_probatio_loads_nothing_of_weight() -> None:
    told = (
        "import sys; before = set(sys.modules); import probatio; "
        "heavy = ('probatio.', 'duckdb', 'numpy', 'msgspec', 'click'); "
        "ours = sorted(name for name in set(sys.modules) - before if name.startswith(heavy));"
        "print(ours); print(callable(probatio.read), 'duckdb' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    assert out.splitlines() == ["[]", "True False"]


def test_every_public_name_is_the_function_of_that_name() -> None:
    for name in set(vars(probatio)["__all__"]) - {"__version__"}:
        assert getattr(probatio, name) is getattr(api, name), name


def test_the_types_name_every_public_name_and_nothing_else() -> None:
    """`__init__.pyi` is what a type checker and an editor read; `__init__.py` is what runs."""
    stub = (inspect.getfile(probatio)) + "i"
    with open(stub, encoding="utf-8") as lines:  # noqa: PTH123
        typed = {line.split(" as ")[1].strip() for line in lines if " as " in line}
    assert typed == set(vars(probatio)["__all__"]) - {"__version__"}
    assert typed <= set(dir(probatio))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(probatio, "wish")


def test_help_shows_the_arguments() -> None:
    told = pydoc.plain(pydoc.render_doc(probatio.run))
    assert "run(suite: " in told and "max_cost: " in told and "Ask models the tasks of a suite" in told
