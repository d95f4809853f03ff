"""What every test may need: the shared material, no keys, the smallest model, and a word where there is no
browser."""

from __future__ import annotations

import atexit
import fcntl
import gc
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

from probatio.jail.workers import Pool

REPOSITORY = Path(__file__).parent.parent
SHARED = REPOSITORY.parent / "shared"
hypothesis.settings.register_profile("probatio", deadline=None)  # a busy machine is no failure
hypothesis.settings.load_profile("probatio")

os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="probatio-tests-")
"""What the developer trusts is neither read nor changed, by no test and no process of one."""
atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], ignore_errors=True)
os.environ.pop("PROBATIO_TRUST", None)
os.environ["PROBATIO_CHECKED_MB"] = "0"  # what a test checks it checks itself, and nothing of it is kept

SMALLEST = "smollm2-135m"
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")
BROWSER_USE_CASE = "web_design"
LONGEST = (
    "builtin/daily/test_proofs.py",
    "site/test_browser.py",
    "watch/day/test_hostile.py",
    "authoring/test_your_watch.py",
    "runs/test_attempts.py",
)
"""Files that take about a minute or more, the longest first."""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses by the markers set here
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts a browser is slow, and is skipped where there is none. So is what is asked about the web
    use case."""
    missing = missing_browser()
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.slow)
            if missing:
                item.add_marker(pytest.mark.skip(reason=missing))
        elif parameter(item, "use_case") == BROWSER_USE_CASE:
            item.add_marker(pytest.mark.slow)
    # The longest files first, then those with most slow tests: left to the end, one worker would do the last
    # of them while the others wait.
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    first = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (first.get(item.path, len(first)), -slow[item.path]))


def pytest_collection_finish() -> None:
    """Six thousand tests and what they import stay until the end: the cycle collector need not walk them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A grader that finds no browser on a machine without one is no failure of the test that called it."""
    from probatio.core.errors import CannotCheck

    try:
        return (yield)
    except CannotCheck as error:
        if missing_browser():
            pytest.skip(str(error))
        raise


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every reason why tests were skipped, and how many: what a machine lacks is seen at the end of a
    run."""
    skipped = [report.longrepr for report in terminalreporter.stats.get("skipped", ())]
    reasons = Counter(
        str(place[2]).removeprefix("Skipped: ") for place in skipped if isinstance(place, (tuple, list))
    )
    if reasons:
        terminalreporter.section(f"{reasons.total()} skipped")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:>5}  {reason}")


def parameter(item: pytest.Item, name: str) -> object:
    """What a parametrised test is given under this name, or None."""
    given = getattr(item, "callspec", None)
    return given.params.get(name) if given else None


def missing_browser() -> str | None:
    """Why no Chromium can be started here, or None. `make test BROWSER=no` names one that does not exist."""
    from probatio.core.errors import CannotCheck
    from probatio.jail.browser.chromium import executable

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
    """No test may spend anybody's money, or leave the machine by its proxy."""
    for name in ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", *PROXIES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def new_user(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], None]:
    """The test begins with a user who trusts nothing, in a process that was told nothing. Called, it makes
    another one."""
    from probatio.core.trust import forget_process

    def begin() -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
        forget_process()

    begin()
    return begin


class Noticed(dict[str, str]):
    """An environment that differs from another in what a check may notice: not in the name of the test, nor
    in keys and addresses of servers."""

    def __ne__(self, other: object) -> bool:
        assert isinstance(other, dict)
        return self._noticed(self) != self._noticed(other)

    @staticmethod
    def _noticed(names: dict[str, str]) -> dict[str, str]:
        differing = ("PYTEST_", "OPENROUTER_", "OPENAI_", "JUDGE_KEY", "XDG_CONFIG_HOME", "PROBATIO_TRUST")
        return {name: value for name, value in names.items() if not name.startswith(differing)}


@pytest.fixture(scope="session", autouse=True)
def kept_workers() -> Iterator[None]:
    """The workers that check answers stay from test to test: new ones cost half a second of CPU."""
    from probatio.jail.workers import choosing

    class KeptPool(Pool):
        def __init__(self, workers: int | None) -> None:
            super().__init__(workers)
            self.env = Noticed(self.env)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choosing, "Pool", KeptPool)
        yield


@pytest.fixture(scope="session")
def smallest() -> Path:
    """The real weights of the smallest embedded model, pulled into the cache folder once per machine."""
    from probatio.ask.embedded import weights
    from probatio.core.errors import ProbatioError

    try:
        return weights.ensure(SMALLEST)
    except ProbatioError as error:
        pytest.skip(f"the weights of {SMALLEST} can't be had here: {error}")


@pytest.fixture(autouse=True)
def one_model_at_a_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """A model takes every core, so two workers never have one each: their answers would come too late for the
    tests."""
    if "smallest" not in request.fixturenames:
        yield
        return
    with (Path(tempfile.gettempdir()) / "probatio-tests-model.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
