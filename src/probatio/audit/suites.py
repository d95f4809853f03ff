"""The suites that recorded days were asked from."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.errors import ProbatioError
from probatio.records import Constants, Day
from probatio.store.days import suite_folder
from probatio.suite.daily_suite import DailySuite, constants_of, load_daily

NO_SUITE = "simulated"
"""The fingerprint of a demo's days: their scores come from a generator."""


class Unavailable(ProbatioError):
    """The suite that a day was asked from is not here."""


class Suites:
    """The suites of the days, each read once, also where it can't be read."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._read: dict[Path | None, DailySuite | ProbatioError] = {}
        self._under: dict[tuple[Path | None, str], DailySuite] = {}

    def of(self, day: Day) -> DailySuite:
        """The day's suite, under the version it recorded."""
        if day.record.suite_fingerprint == NO_SUITE:
            raise Unavailable("no model was asked on a simulated day.")
        folder, asked = suite_folder(self._results, day.record), day.record.suite_version
        if (folder, asked) not in self._under:
            suite = self._suite(folder)
            if suite.version.partition("+")[0] != asked.partition("+")[0]:
                raise Unavailable(f"it was asked from suite version {asked}, here is version {suite.version}.")
            manifest = msgspec.structs.replace(suite.manifest, version=asked)
            self._under[folder, asked] = msgspec.structs.replace(suite, manifest=manifest)
        return self._under[folder, asked]

    def constants(self, day: Day) -> Constants | None:
        try:
            return constants_of(self.of(day).manifest)
        except ProbatioError:
            return None

    def use_cases(self, day: Day) -> dict[str, str] | None:
        """Case → use case."""
        try:
            return {case.id: case.use_case for case in self.of(day).cases.values()}
        except ProbatioError:
            return None

    def _suite(self, folder: Path | None) -> DailySuite:
        if folder not in self._read:
            try:
                self._read[folder] = load_daily(folder)
            except ProbatioError as error:
                self._read[folder] = error
        read = self._read[folder]
        if isinstance(read, ProbatioError):
            raise read
        return read
