"""Foreign text in Markdown: it stays where it was put."""

import re

from hypothesis import given
from hypothesis import strategies as st

from probatio.core.text.markdown import escape_markdown, fence, format_table, quote


@given(st.text())
def test_a_cell_is_one_line_without_a_bare_bar(text: str) -> None:
    shown = escape_markdown(text)
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(\\\\)*\|", shown)


def test_a_row_keeps_its_columns_whatever_a_model_is_called() -> None:
    head, _, row = format_table(["model", "rate"], [["a|b\n| c | 100 % |", 1]])
    assert len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"\|", head))


@given(st.text())
def test_a_fence_is_longer_than_any_in_the_text(text: str) -> None:
    first, *body, last = fence(text)
    assert first == last
    assert all(first not in line for line in body)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("#|-=`>~_*[]()<! \n\r\u2028\x0b"))))
def test_a_quote_never_leaves_its_quote(text: str) -> None:
    for line in quote(text):
        assert len(line.splitlines()) == 1
        assert line.startswith(">")


def test_a_quote_can_forge_no_table_heading_block_link_or_tag() -> None:
    text = (
        "| model | rate |\n|---|---|\n| m | 100 % |\n# Run r\nTitle\n---\nTitle\n===\n```\ncode\n<b>x</b> "
        "![i](http://h/p.png)"
    )
    shown = quote(text)
    assert not any(re.search(r"(?<!\\)\|", line) for line in shown)
    assert not any(re.match(r"> *(#|-{2,}|=|`{3})", line) for line in shown)
    assert "<b>" not in "".join(shown)
    assert "![" not in "".join(shown)


def test_a_quote_keeps_what_prose_needs() -> None:
    assert quote("The *small* model:\n- learns\n\n**Nothing** more.") == [
        "> The *small* model:",
        "> - learns",
        ">",
        "> **Nothing** more.",
    ]
