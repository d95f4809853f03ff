"""Worked answers to the ladders of Math & Reasoning. What each is worth is counted here, never by the grader."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from case_files import Proof


class Task(NamedTuple):
    """One labelled value of a ladder."""

    label: str
    question: str
    gold: dict[str, Any]


def value(task: Task, thousands: bool = False) -> str:
    if "values" in task.gold:
        return " ".join(map(str, task.gold["values"]))
    return f"{int(task.gold['value']):,}" if thousands else str(task.gold["value"])


def plain(tasks: list[Task]) -> str:
    return "\n".join(f"{task.label}: {value(task)}" for task in tasks)


def proofs(case: str, prompt: str, tasks: list[Task], rungs: int) -> list[Proof]:
    low = [task for task in tasks if task.gold["rung"] <= 2 * rungs // 3]
    easy = [task for task in tasks if task.gold["rung"] <= rungs // 3]
    found = [
        Proof(case, "gold", {"score": 1.0}, "as asked", plain(tasks)),
        Proof(
            case,
            "adversarial",
            {"score": 1.0},
            "bold labels, thousands, a preamble and a closing remark",
            _dressed(tasks),
        ),
        Proof(case, "adversarial", {"score": 1.0}, "a table", _table(tasks)),
        Proof(
            case,
            "adversarial",
            {"score": 1.0},
            "a first try, then all of it once more in a fence",
            _corrected(tasks),
        ),
        Proof(case, "wrong", {"score": len(low) / len(tasks)}, "the top third is left out", plain(low)),
        Proof(case, "wrong", {"score": len(easy) / len(tasks)}, "only the lowest third", plain(easy)),
        Proof(case, "wrong", {"at_most": 0.08}, "the answers of the rung above", _shifted(tasks)),
        Proof(
            case,
            "adversarial",
            {"at_most": 0.1},
            "the same for every task, and the value that is right most often",
            _same(tasks),
        ),
        Proof(
            case,
            "adversarial",
            {"at_most": 0.1},
            "counting up: for every task the number of its rung",
            _counted_up(tasks),
        ),
        Proof(case, "adversarial", {"score": 0.0}, "two candidates for every task", _hedged(tasks)),
        Proof(case, "adversarial", {"at_most": 0.01}, "the prompt given back", prompt),
        Proof(
            case,
            "adversarial",
            {"score": 0.0},
            "right values that say not what they are for",
            " ".join(map(value, tasks)),
        ),
    ]
    return [*found, *SPECIAL[case](tasks)]


def _dressed(tasks: list[Task]) -> str:
    named = []
    for task in tasks:
        if "names" in task.gold:
            told = ", ".join(
                f"{name} = {number}"
                for name, number in zip(task.gold["names"], task.gold["values"], strict=True)
            )
        else:
            told = value(task, thousands=True)
        named.append(f"**{task.label}:** {told}")
    return "Here are the answers:\n\n" + "\n".join(named) + "\n\nPlease check the long ones."


def _table(tasks: list[Task]) -> str:
    return "| task | answer |\n|---|---|\n" + "\n".join(f"| {task.label} | {value(task)} |" for task in tasks)


def _corrected(tasks: list[Task]) -> str:
    first = "\n".join(f"{task.label}: 4" for task in tasks[:6])
    return f"{first}\n\nLet me correct this:\n```text\n{plain(tasks)}\n```"


def _shifted(tasks: list[Task]) -> str:
    others = [*tasks[1:], *tasks[:1]]
    return "\n".join(f"{task.label}: {value(other)}" for task, other in zip(tasks, others, strict=True))


def _same(tasks: list[Task]) -> str:
    """The one value that is right most often."""
    values = [number for task in tasks for number in task.gold.get("values", [task.gold.get("value")])]
    best = str(max(values, key=values.count))
    return "\n".join(
        f"{task.label}: {' '.join([best] * len(task.gold.get('values', [0])))}" for task in tasks
    )


def _counted_up(tasks: list[Task]) -> str:
    return "\n".join(
        f"{task.label}: {' '.join([str(task.gold['rung'])] * len(task.gold.get('values', [0])))}"
        for task in tasks
    )


def _hedged(tasks: list[Task]) -> str:
    def other(task: Task) -> str:
        if "values" in task.gold:
            return " ".join(str(number + 1) for number in task.gold["values"])
        return f"{int(task.gold['value']) * 3 + 100}"

    return "\n".join(f"{task.label}: {value(task)} or {other(task)}" for task in tasks)


def _products(tasks: list[Task]) -> list[Proof]:
    """One digit wrong in the middle of the two longest: half the credit, for all digits but this and the two at the ends."""
    worth, lines = 0.0, []
    changed = [task for task in tasks if task.label[0] == "P"][-2:]
    for task in tasks:
        told = value(task)
        if task in changed:
            at = len(told) // 2
            told = told[:at] + str((int(told[at]) + 5) % 10) + told[at + 1 :]
            worth += 0.5 * (len(told) - 3) / (len(told) - 2)
        else:
            worth += 1
        lines.append(f"{task.label}: {told}")
    return [
        Proof(
            "math_products",
            "wrong",
            {"score": worth / len(tasks)},
            "one digit wrong in the two longest products",
            "\n".join(lines),
        ),
        _equations("math_products", tasks),
    ]


def _equations(case: str, tasks: list[Task]) -> Proof:
    """The tasks as they are written, each with its value behind the equals sign, as small models answer."""
    written = "\n".join(f"{task.label}: {task.question.split('. ')[1]} {value(task)}" for task in tasks)
    return Proof(case, "adversarial", {"score": 1.0}, "every task as an equation", written)


def _rows(case: str) -> Callable[[list[Task]], list[Proof]]:
    """Rows of numbers in other forms; values that are no row are as they should be."""

    def special(tasks: list[Task]) -> list[Proof]:
        rows = [task for task in tasks if "values" in task.gold]
        share = len(rows) / len(tasks) / len(rows[0].gold["values"])

        def told(form: Callable[[list[str], list[int]], str]) -> str:
            return "\n".join(
                f"{task.label}: {form(task.gold['names'], task.gold['values']) if task in rows else value(task)}"
                for task in tasks
            )

        def turned(names: list[str], numbers: list[int]) -> str:
            return ", ".join(
                f"{name}: {number}" for name, number in list(zip(names, numbers, strict=True))[::-1]
            )

        return [
            Proof(
                case,
                "wrong",
                {"score": 1 - share},
                "the last number of every row is one too many",
                told(lambda _, numbers: " ".join(map(str, [*numbers[:-1], numbers[-1] + 1]))),
            ),
            Proof(
                case,
                "adversarial",
                {"score": 1.0},
                "rows in brackets with commas",
                told(lambda _, numbers: f"({', '.join(map(str, numbers))})"),
            ),
            Proof(
                case,
                "adversarial",
                {"score": 1.0},
                "every number behind its name, in another order",
                told(turned),
            ),
        ]

    return special


def _words(tasks: list[Task]) -> list[Proof]:
    started = "\n".join(
        f"{task.label}: {' '.join(re.findall(r'[0-9]+', task.question)[1:4])}" for task in tasks
    )
    return [
        Proof("math_words", "wrong", {"score": 0.0}, "the coins at the start", started),
        *_rows("math_words")(tasks),
    ]


def _counting(tasks: list[Task]) -> list[Proof]:
    """Letters and inversions counted one too many: 0.3 less 0.3 / (0.1 · value) where that is left; the others are right."""
    worth, lines = 0.0, []
    for task in tasks:
        told = int(task.gold["value"])
        counted = task.gold["kind"] == "near"
        worth += max(0.0, 0.3 * (1 - 10 / told)) if counted else 1
        lines.append(f"{task.label}: {told + counted}")
    return [
        Proof("math_counting", "wrong", {"score": worth / len(tasks)}, "all that is counted is one too many", "\n".join(lines)),
        _equations("math_counting", tasks),
        Proof("math_counting", "adversarial", {"score": 1.0}, "words behind the numbers",
              "\n".join(f"{task.label}: {value(task)} {'times' if task.label[0] == 'L' else 'in all'}" for task in tasks)),
    ]  # fmt: skip


def _functions(tasks: list[Task]) -> list[Proof]:
    given_back = "\n".join(f"{task.label}: {task.question.split('. ')[1]}" for task in tasks)
    latex = "\n".join(f"- {task.label}: ${value(task)}$" for task in tasks)
    return [
        Proof(
            "math_functions", "adversarial", {"at_most": 0.01}, "the tasks given back as answers", given_back
        ),
        _equations("math_functions", tasks),
        Proof("math_functions", "adversarial", {"score": 1.0}, "a list in mathematics mode", latex),
    ]


SPECIAL: dict[str, Callable[[list[Task]], list[Proof]]] = {
    "math_products": _products,
    "math_trace": _rows("math_trace"),
    "math_words": _words,
    "math_counting": _counting,
    "math_functions": _functions,
}
