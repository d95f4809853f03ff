"""The budget: at most one answer past the limit, and never stuck before it."""

from probatio.ask.budget import Budget


def test_without_a_limit_everything_is_admitted() -> None:
    budget = Budget()
    budget.count_sent()
    assert budget.admits()


def test_the_first_request_goes_alone_because_its_cost_is_not_known() -> None:
    budget = Budget(1.0)
    assert budget.admits()
    budget.count_sent()
    assert not budget.admits()
    budget.count_returned(0.1)
    assert budget.admits()


def test_requests_in_flight_count_with_the_mean_cost() -> None:
    budget = Budget(1.0, spent=0.5, answers=5)
    for _ in range(5):
        assert budget.admits()
        budget.count_sent()
    assert not budget.admits()


def test_a_hundred_at_once_overshoot_by_one_answer_at_most() -> None:
    budget, flying = Budget(1.0), 0
    while budget.admits() or flying:
        while budget.admits() and flying < 100:
            budget.count_sent()
            flying += 1
        budget.count_returned(0.03)
        flying -= 1
    assert 1.0 <= budget.spent < 1.03 + 1e-9


def test_a_failed_request_costs_nothing_and_frees_its_place() -> None:
    budget = Budget(1.0)
    budget.count_sent()
    budget.count_returned(None)
    assert (budget.spent, budget.admits()) == (0.0, True)
