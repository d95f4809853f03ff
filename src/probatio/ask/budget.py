"""The budget: no request is sent that would take the run past what it may cost."""

from __future__ import annotations

from dataclasses import dataclass

from probatio.ask.prices import check_cost


@dataclass(slots=True)
class Budget:
    """Money spent and money on its way, against an optional limit in US dollars.

    A request in flight counts with the mean cost so far, so a hundred of them can't overshoot together. The
    first is sent alone, because its cost is the first that is known. At most one answer can pass the limit.
    """

    limit: float | None = None
    spent: float = 0.0
    answers: int = 0
    in_flight: int = 0

    def admits(self) -> bool:
        """Whether one more request may leave now."""
        if self.limit is None or not self.in_flight:
            return not self.reached
        if not self.answers:
            return False
        return self.spent + (self.in_flight + 1) * self.spent / self.answers <= self.limit

    @property
    def reached(self) -> bool:
        return self.limit is not None and self.spent >= self.limit

    def count_sent(self) -> None:
        self.in_flight += 1

    def count_returned(self, cost: float | None) -> None:
        self.in_flight -= 1
        self.recall(cost)

    def recall(self, cost: float | None) -> None:
        """Money that an answer has cost. An impossible cost counts as unknown."""
        if (known := check_cost(cost)) is not None:
            self.spent += known
            self.answers += 1

    def pay(self, cost: float | None) -> None:
        """Money that an answer cost beyond its own request, such as a judge's reply on it."""
        self.spent += check_cost(cost) or 0.0
