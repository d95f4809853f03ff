"""What every test may need: the shared material, no keys, the smallest model, and a word where there is no browser."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

REPOSITORY = Path(__file__).parent.parent
SHARED = REPOSITORY.parent / "shared"
hypothesis.settings.register_profile("probatio", deadline=None)  # a busy machine is no failure
hypothesis.settings.load_profile("probatio")

os.environ["PROBATIO_CHECKED_MB"] = "0"  # what a test checks it checks itself, and nothing of it is kept

SMALLEST = "smollm2-135m"
BROWSER_USE_CASE = "web_design"
SLOW_FILES = frozenset(
    (
        "test_pool.py",
        "test_hosts.py",
        "test_hostile_server.py",
        "test_hostile_day.py",
        "test_hostile.py",
        "test_outlive.py",
    )
)
"""Files that start processes for nearly every claim."""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses by the markers set here
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts a browser is slow, and is skipped where there is none. So is what is asked about the web use case."""
    missing = missing_browser()
    for item in items:
        if item.path.name in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.slow)
            if missing:
                item.add_marker(pytest.mark.skip(reason=missing))
        elif parameter(item, "use_case") == BROWSER_USE_CASE:
            item.add_marker(pytest.mark.slow)
    # Files with most slow tests first: left to the end, one worker would do the last of them while the others wait.
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A grader that finds no browser on a machine without one is no failure of the test that called it."""
    from probatio.errors import CannotCheck

    try:
        return (yield)
    except CannotCheck as error:
        if missing_browser():
            pytest.skip(str(error))
        raise


def parameter(item: pytest.Item, name: str) -> object:
    """What a parametrised test is given under this name, or None."""
    given = getattr(item, "callspec", None)
    return given.params.get(name) if given else None


def missing_browser() -> str | None:
    """Why no Chromium can be started here, or None. `make test BROWSER=no` names one that does not exist."""
    from probatio.browser.chromium import executable
    from probatio.errors import CannotCheck

    try:
        executable()
    except CannotCheck as error:
        return str(error)
    return None


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the shared material is not beside this clone")
    return SHARED


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may spend anybody's money."""
    for name in ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def smallest() -> Path:
    """The real weights of the smallest embedded model, pulled into the cache folder once per machine."""
    from probatio.embedded import weights
    from probatio.errors import ProbatioError

    try:
        return weights.ensure(SMALLEST)
    except ProbatioError as error:
        pytest.skip(f"the weights of {SMALLEST} can't be had here: {error}")


@pytest.fixture(autouse=True)
def one_model_at_a_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """A model takes every core, so two workers never have one each: their answers would come too late for the tests."""
    if "smallest" not in request.fixturenames:
        yield
        return
    with (Path(tempfile.gettempdir()) / "probatio-tests-model.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
