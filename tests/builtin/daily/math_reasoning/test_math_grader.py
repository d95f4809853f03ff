"""Math & Reasoning compares values, not texts: every honest way to write a value counts, and no list of
candidates does."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.math_reasoning.algebra import same_expression
from probatio.builtin.daily.math_reasoning.grader import check
from probatio.suites.daily_suite import Case


def credit(gold: dict[str, Any], answer: str) -> float:
    return check(Case("c", "", gold={"answers": [{"label": "A", "name": "it", **gold}]}), answer).score


def number(value: str, **more: Any) -> dict[str, Any]:
    return {"kind": "number", "value": value, **more}


def quantity(value: str, unit: str, **more: Any) -> dict[str, Any]:
    return {"kind": "quantity", "value": value, "unit": unit, **more}


def expression(value: str, *variables: str) -> dict[str, Any]:
    return {"kind": "expression", "value": value, "variables": list(variables)}


@pytest.mark.parametrize(
    "answer",
    [
        "A: 12", "A: 12.", "A:12", "a line\nA: 12\nbye", "**A:** 12", "**A**: **12**", "**A: 12**", "- A: 12",
        "1. A: 12", "> A: 12",
        "A = 12", "A) 12", "(A): 12", "| A | 12 |", "`A: 12`", "```\nA: 12\n```", "A: `12`", "A: $12$",
        r"A: \(12\)",
        r"A: \boxed{12}",
        r"\boxed{A: 12}", r"$\boxed{12}$", "A:\n12", "A:\n\n$$\n12\n$$", r"\textbf{A:} 12", "A: 12 ways",
        "A: 12 cm²", "A: 12 m",
        "A: The number is 12.",
        "A: 3 * 4 = 12", "A: x = 12", "A: 12.0", "A: +12", "A: 12 (twelve)", "A: 12 (= 24/2)", "A: g(2) = 12",
        r"A: 1.2 \times 10^1", "A: 11\nWait, that is wrong.\nA: 12",
        "First A: 5, then more.\nFinal: A: 12; done",
        "Result: A: 12, the rest is unknown", "A: 1200%", "A: 1.2e1", r"A: $1.2 \cdot 10^{1}$",
    ],
)  # fmt: skip
def test_the_final_value_is_found_in_whatever_it_is_wrapped(answer: str) -> None:
    assert credit(number("12"), answer) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "", "12", "A:", "A: twelve", "A: 12 or 13", "A: 13 or 12", "A: 12, 13", "A: 12; 13", "A: 12/13",
        "A: 12-13",
        "A: 12 to 13",
        "A: 12 (or 13)", "A: 12 13", "A: between 11 and 12", "A: 12\nA: 13", "A: not 12 but 13", "A: 12 + 1",
        "A: -12", "A: 12%",
        "A: 1 2", "A: 12.0001", "A: 120", "A: 0x0C", "A: 12!", "A: 12^2", "A: one of {10, 11, 12}", "B: 12",
        r"\boxed{11} \boxed{12}",
        "A: 12 ≠ 13", "A: 13 (= 24/2)", "A: 24/2", r"A: \frac{24}{2}", "A: sqrt(144)", "A: 2^3 + 4",
        "A: 3 * 4", "A: 3 * 4 = ?", "A: ln(12)", "A: f (12)", "A: 12x", "A: 12 x^2", r"A: \sqrt{12}",
        "A: √12",
        "A: 1,2", "A: 12e1",
    ],
)  # fmt: skip
def test_another_value_and_several_values_earn_nothing(answer: str) -> None:
    assert credit(number("12"), answer) == 0


@pytest.mark.parametrize(
    "value, answer",
    [
        ("3/4", "A: 0.75"), ("3/4", "A: 3/4"), ("3/4", r"A: \frac{3}{4}"), ("3/4", r"A: $\dfrac34$"),
        ("3/4", "A: 75%"),
        ("3/4", r"A: $75\%$"), ("3/4", "A: 75 percent"), ("3/4", "A: 6/8"), ("3/4", "A: 0,75"),
        ("3/4", "A: .75"),
        ("3/4", "A: 3/4 (75%)"),
        ("3/4", "A: 3/4 = 0.75"), ("3/11", "A: 3/11 ≈ 0.27"),
        ("3/11", r"A: $\frac{60}{220} = \frac{3}{11} \approx 0.27$"),
        ("97/44", "A: 2 9/44"), ("97/44", r"A: $2\frac{9}{44}$"), ("-8", "A: −8"),
        ("-3/4", r"A: $-\frac{3}{4}$"),
        ("3514637592", "A: 3,514,637,592"), ("3514637592", "A: 3 514 637 592"),
        ("3514637592", r"A: 3{,}514{,}637{,}592"),
        ("3514637592", "A: 3.514.637.592"), ("3514637592", "A: 3'514'637'592"),
        ("3514637592", r"A: 3\,514\,637\,592"),
        ("1234.5", "A: 1,234.5"), ("1234.5", "A: 1.234,5"), ("1234", "A: 1,234"), ("5.40", "A: €5.40"),
        ("5.40", "A: 5.40 euros"),
        ("5.40", "A: 5,40 €"), ("5.40", "A: $5.40"), ("5.40", "A: $5.40$"), ("5.40", "A: 5.4"),
        ("5.40", "A: about 5.40"),
    ],
)  # fmt: skip
def test_a_number_counts_however_it_is_written(value: str, answer: str) -> None:
    assert credit(number(value), answer) == 1


def test_a_comma_before_three_digits_is_one_of_thousands() -> None:
    assert credit(number("1.234"), "A: 1,234") == 0


def test_a_value_without_end_earns_half_where_it_is_rounded_to_three_decimals() -> None:
    assert credit(number("3/11"), "A: 0.273") == 0.5
    assert credit(number("3/11"), "A: 0.27") == 0
    assert credit(number("3/11"), "A: 0.272") == 0


def test_percent_may_be_bare_only_where_percent_was_asked_for() -> None:
    for answer in ("A: 12.5", "A: 12.5%", "A: 12,5 %", r"A: $12.5\%$"):
        assert credit(number("12.5%", bare_percent=True), answer) == 1
    assert credit(number("12.5%", bare_percent=True), "A: 0.125") == 0
    assert credit(number("3/4"), "A: 75") == 0


@pytest.mark.parametrize(
    "answer, worth",
    [
        ("90 km/h", 1), ("90 kilometres per hour", 1), ("90 kilometers/hour", 1), ("25 m/s", 1),
        ("90 Km/h", 1),
        ("90 kmh", 1),
        (r"$90\,\text{km/h}$", 1), (r"$90\ \frac{km}{h}$", 1), ("126 km / 1.4 h = 90 km/h", 1),
        ("90 km/h (25 m/s)", 1), ("90 km h^-1", 1),
        ("90 km/h on average", 1), ("90", 0.5), ("90 m/s", 0.25), ("90 kg", 0.25), ("90 bananas", 0.25),
        ("90 km", 0.25),
        ("90 km/h or 80 km/h", 0), ("91 km/h", 0), ("25 km/h", 0), ("25", 0), ("90 km/h, 25 km/h", 0),
    ],
)  # fmt: skip
def test_a_unit_counts_by_what_it_means(answer: str, worth: float) -> None:
    assert credit(quantity("90", "km/h"), f"A: {answer}") == worth


def test_the_unit_that_was_asked_for_is_the_one_that_counts_whole() -> None:
    asked = quantity("25", "m/s", this_unit=True)
    assert [credit(asked, f"A: {answer}") for answer in ("25 m/s", "25 metres per second", "90 km/h")] == [
        1,
        1,
        0.25,
    ]


@pytest.mark.parametrize(
    "answer, worth",
    [
        ("132 min", 1), ("132 minutes", 1), ("2.2 h", 1), ("2 h 12 min", 1), ("2 hours and 12 minutes", 1),
        ("2h12min", 1), ("7920 s", 1),
        ("2 hours, 12 minutes (132 minutes)", 1), ("132 min = 2 h 12 min", 1), ("2 h 13 min", 0),
        ("12 min 2 h", 0),
        ("2 h 12 kg", 0),
        ("132", 0.5),
    ],
)  # fmt: skip
def test_a_duration_may_come_in_steps(answer: str, worth: float) -> None:
    assert credit(quantity("132", "min"), f"A: {answer}") == worth


@pytest.mark.parametrize(
    "answer, worth",
    [
        ("855/11 km/h", 1), ("77.73 km/h", 1), ("77.727 km/h", 1), ("855/11 ≈ 77.73 km/h", 1),
        ("77 8/11 km/h", 1),
        (r"$\frac{855}{11}\ \text{km/h} \approx 77.73$ km/h", 1), ("77.73", 0.5), ("77.7 km/h", 0),
        ("77.72 km/h", 0),
        ("78 km/h", 0),
    ],
)  # fmt: skip
def test_a_rounding_must_be_right_in_every_digit_it_shows(answer: str, worth: float) -> None:
    assert credit(quantity("855/11", "km/h", places=2), f"A: {answer}") == worth


@pytest.mark.parametrize(
    "answer",
    [
        "x e^{-3x}(2 - 3x)", "f'(x) = (2x - 3x^2)e^{-3x}", "2x*exp(-3x) - 3x**2*exp(-3*x)",
        "$-x(3x-2)e^{-3x}$",
        "x(2-3x)/e^{3x}",
        r"\frac{x(2-3x)}{e^{3x}}", r"$f'(x) = x e^{-3x} \left(2 - 3x\right)$", "`x*e^(-3*x)*(2 - 3*x)`",
        "2xe^{-3x} - 3x²e^{-3x}",
        r"\frac{2x - 3x^2}{\exp(3x)}",
    ],
)  # fmt: skip
def test_an_expression_counts_however_it_is_arranged(answer: str) -> None:
    assert credit(expression("(2x - 3x^2) e^(-3x)", "x"), f"A: {answer}") == 1


@pytest.mark.parametrize(
    "answer", ["2x e^{-3x}", "(2x + 3x^2)e^{-3x}", "(2x - 3x^2)e^{3x}", "(2x - 3x^2)e^{-3x} + 0.001",
    "(2y - 3y^2)e^{-3y}", "0",
               "(2x - 3x^2) e^(-3x) or 2x", "the derivative", "1/0", "x/(x-x)"],
)  # fmt: skip
def test_another_expression_earns_nothing(answer: str) -> None:
    assert credit(expression("(2x - 3x^2) e^(-3x)", "x"), f"A: {answer}") == 0


def test_an_exact_value_counts_in_any_form_and_its_rounding_does_not() -> None:
    integral, sine = expression("(e^2 + 1)/4"), expression("(sqrt(6) + sqrt(2))/4")
    for answer in (
        r"\frac{e^2+1}{4}",
        r"\frac14(e^2+1)",
        "(1/4)(e^2+1) ≈ 2.097",
        "0.25(e²+1)",
        "(exp(2)+1)/4",
    ):
        assert credit(integral, f"A: {answer}") == 1, answer
    for answer in (
        r"\frac{\sqrt{6}+\sqrt{2}}{4}",
        "(√6 + √2)/4",
        "(sqrt(3)+1)/(2*sqrt(2))",
        r"\frac{\sqrt{2+\sqrt{3}}}{2}",
    ):
        assert credit(sine, f"A: {answer}") == 1, answer
    assert credit(integral, "A: 2.09726") == credit(sine, "A: 0.9659") == 0


@pytest.mark.parametrize(
    "answer, worth",
    [
        ("-3, -2, 2, 3", 1), ("3, 2, -2, -3", 1), (r"x = \pm 2, \pm 3", 1), ("±2, ±3", 1),
        ("x = -3, x = -2, x = 2, and x = 3", 1),
        (r"$x \in \{-3,-2,2,3\}$", 1), ("x_1 = -3, x_2 = -2, x_3 = 2, x_4 = 3", 1), ("2, 3", 0.5),
        ("2, 2, 2, 2", 0.25),
        ("-3, -2, -1, 0, 1, 2, 3", 4 / 7), ("4, 9", 0), ("2 and 3 and a complex one", 0.5),
    ],
)  # fmt: skip
def test_a_set_earns_its_share_and_what_is_too_much_costs(answer: str, worth: float) -> None:
    assert credit({"kind": "values", "values": ["-3", "-2", "2", "3"]}, f"A: {answer}") == pytest.approx(
        worth
    )


def test_a_name_counts_alone() -> None:
    who = {"kind": "word", "value": "Cleo", "options": ["Ada", "Cleo", "Dan"]}
    answers = (
        "Cleo",
        "**cleo** sits there",
        "It is Cleo.",
        "Cleo or Dan",
        "Ada, Cleo, Dan",
        "Cleopatra",
        "nobody",
    )
    assert [credit(who, f"A: {answer}") for answer in answers] == [1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9", "9**9**9", "(((9^99)^99)^99)^99", "9^{9^{9}}", "exp(exp(exp(99)))", r"\exp(\exp(99))",
        "9^999999",
        "2^(99*99*99)",
        "e^(e^(e^99))", "x" * 500, "(" * 200 + "x" + ")" * 200, "__import__('os')", "x.__class__",
        "lambda: x",
        "open(x)", "[x]", "x!",
        "factorial(99999)", "9" * 40, "sqrt", "sin x", "2 3", "x)", ")x(", "()", "", "x_1", "x==x", "x;x",
        "10^10^10",
        "9^-9^-9", "√",
    ],
)  # fmt: skip
def test_what_could_hang_or_run_is_not_read_at_all(text: str) -> None:
    start = time.process_time()
    assert same_expression(text, "x", ("x",)) is None
    assert time.process_time() - start < 2


def test_one_case_may_not_stop_another_by_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    answers = [rf"A: \frac{{x^2 + {n}x}}{{{n}}}" for n in range(1, 9)] * 3
    with ThreadPoolExecutor(4) as pool:
        credits = list(pool.map(lambda answer: credit(expression("x^2/3 + x", "x"), answer), answers))
    assert credits == [float("{3}" in answer) for answer in answers]


GOLD = {
    "answers": [
        {"label": "A", "name": "number", **number("12")},
        {"label": "B", "name": "quantity", **quantity("90", "km/h", places=2)},
        {"label": "C", "name": "expression", **expression("x^2", "x")},
        {"label": "D", "name": "set", "kind": "values", "values": ["1", "2"]},
        {"label": "E", "name": "name", "kind": "word", "value": "Ada", "options": ["Ada", "Ben"]},
    ]
}
PIECES = st.sampled_from(
    ["A:", "B: ", "C: ", "D: ", "E: ", "\n", "12", "90 km/h", "x^2", "1, 2", "Ada", "\\frac{", "}{", "}",
    "{", "$",
    "\\boxed{", "**", "(",
     ")", "^", "/", "=", "≈", "±", ",", ".", "%", "e", "x", "sqrt(", "√", "0", "9", "-", "```", "|", " ",
     "or", "and",
     "²", "٣", "½", "\\"]
)  # fmt: skip


@given(st.text(max_size=300) | st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=400, deadline=None)
def test_grading_never_raises_and_stays_within_its_range(answer: str) -> None:
    case = Case("c", "", gold=GOLD)
    for text in (answer, "".join(f"{label}: {answer}\n" for label in "ABCDE")):
        assert 0 <= check(case, text).score <= 1


@pytest.mark.parametrize(
    "piece",
    ["\n", " ", "A:", "A: 1\n", "**", "A: **", "`", "```\n", "1,", "(", "\\boxed{", "\\text{", "9",
    "A: 9 or ", "=", "≈", "|"],
)  # fmt: skip
def test_a_long_hostile_text_costs_little(piece: str) -> None:
    case = Case("c", "", gold=GOLD)
    text = piece * (30_000 // len(piece))
    check(case, "B: 1 km/h\nC: x")
    start = time.process_time()
    for answer in (text, f"A: {text}", f"B: {text}", f"C: {text}", f"D: {text}", f"E: {text}"):
        check(case, answer)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "answer",
    [
        "sin(5*pi/12)",
        "cos(pi/12)",
        "0.965925826289068",
        "0.683012701892219*sqrt(2)",
        "sin(5*pi/12)*sqrt(4)/2",
        r"\sin{(5\pi/12)}",
    ],
)
def test_a_value_asked_for_in_square_roots_counts_in_square_roots(answer: str) -> None:
    asked = {**expression("(sqrt(6) + sqrt(2))/4"), "roots": True}
    assert credit(asked, f"A: {answer}") == 0
    assert credit(asked, r"A: \frac{\sqrt{6}+\sqrt{2}}{4}") == credit(asked, "A: sqrt(2 + sqrt(3))/2") == 1


@pytest.mark.parametrize(
    "answer",
    [
        "sqrt((999999999999999^(12*12))^(12*12)+1)", r"\sqrt{(999999999999999^{12*12})^{12*12}+1}",
        "1/((999999999999999^(12*12))^(12*12)+1)", "exp(exp(exp(9)))", "(x^999)^999", "sin(9^999)",
    ],
)  # fmt: skip
def test_a_power_of_absurd_size_is_unreadable_at_once(answer: str) -> None:
    start = time.process_time()
    assert credit(expression("x", "x"), f"A: {answer}") == 0
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    "answer", ["90 km dB", "90 dB^2", "90 dB/h", "90 Np km", "90 km degC", "2 decade 3 octave", "2 h 3 dB"]
)
def test_units_that_no_quantity_has_are_wrong_and_no_error(answer: str) -> None:
    assert credit(quantity("90", "km/h"), f"A: {answer}") in (0, 0.25)
