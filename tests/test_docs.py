"""The pages for readers: links lead somewhere, a paragraph is one line, each page has its place."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from commandline import probatio

REPOSITORY = Path(__file__).parent.parent
DOCS = sorted((REPOSITORY / "docs").glob("*.md"))
GUIDES = [REPOSITORY / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")]
OTHERS = [REPOSITORY / "examples" / "README.md", REPOSITORY / "tests" / "frontier" / "README.md"]
GENERATED = "operating-characteristics.md"  # its text is wrapped in the code that writes it
WHOLE = [page for page in (*DOCS, *GUIDES) if page.name != GENERATED]
PLAIN = re.compile(r"(?![|#>!<\s]|[-*] |\d+\. )\S")
BLOCK = ("|", "#", "<")
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)


def prose(path: Path) -> str:
    """The text without blocks of code."""
    return re.sub(r"`[^`\n]+`", "`code`", FENCED.sub("", path.read_text(encoding="utf-8")))


def anchors(path: Path) -> set[str]:
    """The names of its headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*DOCS, *GUIDES, *OTHERS], ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        name, _, anchor = link.partition("#")
        target = page if not name else (page.parent / name)
        if "://" in link:
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", WHOLE, ids=lambda page: page.name)
def test_a_paragraph_is_one_line(page: Path) -> None:
    lines = prose(page).splitlines()
    pairs = itertools.pairwise(lines)
    assert [two for one, two in pairs if PLAIN.match(two) and one.strip() and not one.startswith(BLOCK)] == []


def test_the_readme_leads_to_every_page() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DOCS if f"](docs/{page.name})" not in text] == []


def test_a_tutorial_for_each_question_comes_first_and_no_page_is_left_over() -> None:
    names = [page["name"] for page in json.loads(probatio("help", "--json").stdout)["pages"]]
    assert names[:2] == ["learn", "watch"]
    assert names[-1] == "architecture"  # a page without a place of its own would come after it
    assert sorted(names) == [page.stem for page in DOCS]
