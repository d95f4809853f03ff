"""A run that nobody watches sample by sample: of a rehearsal and of an import only the days are shown."""

from __future__ import annotations

from probatio.records import Grade, Response
from probatio.run.engine import Engine


class Unwatched:
    def trial(self, response: Response, grade: Grade) -> None:
        pass

    def say(self, sentence: str) -> None:
        pass

    def tick(self) -> None:
        pass

    def stopping(self, reason: str, in_flight: int) -> None:
        pass


def unwatched(engine: Engine) -> Unwatched:
    return Unwatched()
