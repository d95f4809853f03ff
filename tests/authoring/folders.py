"""Folders of a language of commands, changed in one place, and what a check finds in them."""

from __future__ import annotations

from pathlib import Path

from probatio.authoring.check.language import check
from probatio.authoring.check.report import CheckReport, Proof
from probatio.authoring.new import write_new


def made(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """The folder that `suite new` writes, with texts of its files replaced: (file, what, by what)."""
    write_new(folder, "command")
    for file, what, by in changes:
        text = (folder / file).read_text(encoding="utf-8")
        assert what in text, f"{file} has no {what!r}"
        (folder / file).write_text(text.replace(what, by), encoding="utf-8")
    return folder


def checked(folder: Path) -> CheckReport:
    return check(folder, "auto", lambda done, total: None)


def found(folder: Path, state: str = "failed") -> list[Proof]:
    """The proofs in this state."""
    return [proof for proof in checked(folder).proofs if proof.state == state]
