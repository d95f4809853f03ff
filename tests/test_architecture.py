"""docs/architecture.md: its map has the rooms and the order of the import contract, and its links work."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "architecture.md"
TEXT = PAGE.read_text(encoding="utf-8")


def section(heading: str) -> str:
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rooms_of_contract() -> list[str]:
    content = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = content["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["id"] == "rooms"]
    return [room.strip() for layer in layers for room in layer.split("|")]


def rows(heading: str) -> list[str]:
    return [line for line in section(heading).splitlines() if line.startswith("| ")][1:]


def test_the_map_has_every_room_in_the_order_of_the_contract() -> None:
    mapped = [re.match(r"\| \[(\w+)\]\(", row) for row in rows("The map")]
    assert [found[1] for found in mapped if found] == rooms_of_contract()
    assert all(mapped)


def test_every_row_of_the_map_names_a_file_of_its_room_to_open_first() -> None:
    for row in rows("The map"):
        room, _, first = row.strip("| ").split(" | ")
        folder = re.findall(r"\]\(([^)]+)\)", room)[0]
        links = re.findall(r"\]\(([^)]+)\)", first)
        assert links, row
        assert all(link.startswith(folder) for link in links), row


def test_the_map_names_faber_beside_the_rooms() -> None:
    assert "](../src/faber/)" in section("The map")


def test_every_change_leads_to_a_file() -> None:
    changes = rows("Where do I change …?")
    assert len(changes) >= 25
    assert [row for row in changes if "](../src/" not in row and "](your-" not in row] == []


def test_every_file_the_page_links_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", TEXT)
    assert [link for link in links if "://" not in link and not (PAGE.parent / link).exists()] == []
