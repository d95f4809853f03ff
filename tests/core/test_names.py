"""Names of others as names of files: plain on every system, and never two in one place."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

from hypothesis import given
from hypothesis import strategies as st

from probatio.core.text.names import FILE_NAME, RESERVED, make_file_name, make_file_names, make_slugs

HOSTILE = (
    *("..", ".", "", "/", "/etc/passwd", "../x", "a/b", "a\\b", "..\\x", "C:\\x", "C:x", "a:b", "//h/s"),
    *("\x00", "a\x00b", "a\nb", "x" * 300, "é" * 300, "con", "NUL", "nul.txt", "aux.", "Com1", "lpt9.csv.gz"),
    *("-rf", "--help", "~", "~root", "$HOME", "%TEMP%", "*", "?", "'; COPY", "a ", "a.", "a. ", " a", "..."),
    *("A", "a", "Ａ", "а", "a-b", "a b", "a\u202eb", "a\u200bb", "\ud800", "／etc", "․․/x", "‥", "ﬁ", "ß"),
)  # fmt: skip


def is_plain(name: str, most: int = FILE_NAME + 10) -> bool:
    """Whether this is one part of a path, on every system, that no system and no command reads otherwise."""
    return (
        name.isascii()
        and name.isprintable()
        and PurePosixPath(name).parts == (name,)
        and PureWindowsPath(name).parts == (name,)
        and name[0] not in ".-~"
        and name[-1] not in ". "
        and not set(name) & set("<>:\"/\\|?*'`$ &;%")
        and name.partition(".")[0].casefold() not in RESERVED
        and len(name) <= most
    )


def test_every_name_becomes_a_plain_one_and_no_two_the_same() -> None:
    forms = make_file_names(HOSTILE, "task")
    assert set(forms) == set(HOSTILE)
    assert [form for form in forms.values() if not is_plain(form)] == []
    assert len({form.casefold() for form in forms.values()}) == len(forms)


def test_a_plain_name_stays() -> None:
    for name in ("sum_1", "gpt-4.1", "a+b", "2026-01-05T20-27-27", "x.tar.gz", "Model"):
        assert make_file_name(name, "task") == name


def test_a_name_that_looks_like_a_numbered_one_takes_no_other_ones_place() -> None:
    forms = make_file_names(("a/b", "a-b", "a-b-2", "a\\b"), "task")
    assert len(set(forms.values())) == 4


@given(st.lists(st.text(max_size=12), max_size=8))
def test_any_names_become_plain_ones(names: list[str]) -> None:
    forms = make_file_names(names, "task")
    assert all(map(is_plain, forms.values()))
    assert len({form.casefold() for form in forms.values()}) == len(set(names))
    slugs = make_slugs(dict.fromkeys(names))
    assert all(map(is_plain, slugs.values()))
    assert len(set(slugs.values())) == len(set(names))
