"""`import probatio`: quick, and its names are functions whatever has been imported before."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from operator import attrgetter

import probatio
from probatio.api import asking, grading, reading, studying


def test_importing_probatio_loads_nothing_of_weight() -> None:
    told = (
        "import sys; before = set(sys.modules); import probatio; "
        "heavy = ('probatio.', 'duckdb', 'numpy', 'msgspec', 'click'); "
        "ours = sorted(name for name in set(sys.modules) - before if name.startswith(heavy));"
        "print(ours); print(callable(probatio.read), 'duckdb' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.splitlines() == ["[]", "True False"]


def test_a_name_that_is_a_package_too_stays_both() -> None:
    for module in ("probatio.grade.extract", "probatio.run.plan", "probatio.study.rates"):
        import_module(module)
    assert attrgetter("run.plan.Plan.__name__")(probatio) == "Plan"
    for name, function in (("run", asking.run), ("grade", grading.grade), ("study", studying.study)):
        public = getattr(probatio, name)
        assert callable(public)
        assert inspect.signature(public) == inspect.signature(function)
        assert inspect.getdoc(public) == inspect.getdoc(function)


def test_the_types_name_every_public_name_and_nothing_else() -> None:
    """`__init__.pyi` is what a type checker and an editor read; `__init__.py` is what runs."""
    stub = (inspect.getfile(probatio)) + "i"
    with open(stub, encoding="utf-8") as lines:  # noqa: PTH123
        typed = {line.split(" as ")[1].strip() for line in lines if " as " in line}
    assert typed == set(vars(probatio)["__all__"]) - {"__version__"}
    assert typed <= set(dir(probatio))
    assert probatio.read is reading.read


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(probatio, "wish")
