"""Words are compared as the eye reads them, and the prompt's own words are no answer."""

from __future__ import annotations

import pytest

from builtin.daily.cases import SUITE
from probatio.builtin.daily.graders import check
from probatio.builtin.daily.reading.folding import fold_markdown
from probatio.builtin.daily.reading.prose import LONGEST, own_words


@pytest.mark.parametrize(
    "hidden",
    [
        "disc\u200bount",
        "dіsсоunt",
        "ｄｉｓｃｏｕｎｔ",
        "𝐝𝐢𝐬𝐜𝐨𝐮𝐧𝐭",
        "dis&shy;count",
        "dis<b></b>count",
        "d&#105;scount",
        "d̶i̶s̶c̶o̶u̶n̶t̶",
        "🅳🅸🆂🅲🅾🆄🅽🆃",
        "ⓓⓘⓢⓒⓞⓤⓝⓣ",
        "ᴅɪꜱᴄᴏᴜɴᴛ",
        "dis<!-- x -->count",
        "dis\ud800count",
        "dis\u2060count",
        "dis\x08count",
        "di\u034fscount",
    ],
)
def test_no_sign_hides_a_word_from_a_comparison(hidden: str) -> None:
    assert fold_markdown(hidden).casefold() == "discount"


@pytest.mark.parametrize("text", ["Grüße, naïve café …", "x² + ½", "3 < 4 and 5 > 2", "R&D – “so”", "日本"])
def test_all_else_stays(text: str) -> None:
    assert fold_markdown(text) == text


@pytest.mark.slow  # the whole prompt of every case is tried by `suite check`, in test_proofs.py
@pytest.mark.parametrize(
    "use_case", ["summarization", "customer_service", "instruction_following", "report_analysis"]
)
def test_no_part_of_a_prompt_is_an_answer_to_it(use_case: str) -> None:
    for case in SUITE.use_cases[use_case].cases:
        lines = case.prompt.splitlines()
        parts = [
            "\n".join(lines[start:end])
            for start in range(0, len(lines), 2)
            for end in range(start + 1, len(lines) + 1, 3)
        ]
        assert max(check(case, part).score for part in (case.prompt, *parts)) <= 0.05, case.id


def test_a_quotation_costs_nothing_and_a_copy_all() -> None:
    prompt = (
        "Lamps can be returned for a refund within 30 days of delivery. After that there is no refund at all."
    )
    reply = "Dear Maria, lamps can be returned for a refund within 30 days. "
    reply += "Yours came later, so we offer credit, and ask for a number."
    assert own_words(reply, prompt) == 1.0
    assert (
        own_words(prompt, prompt)
        == own_words(prompt.upper(), prompt)
        == own_words("\u200b".join(prompt), prompt)
        == 0.0
    )


def test_an_answer_of_absurd_length_earns_nothing() -> None:
    case = SUITE.cases["cs_late_return"]
    assert check(case, "Dear Maria, thank you. " + "." * LONGEST).score == 0.0
