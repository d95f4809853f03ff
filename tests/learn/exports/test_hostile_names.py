"""Exports of a run that someone else made: nothing is written outside the folder of the user."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

import msgspec
import pytest
from markdown_it import MarkdownIt

from commandline import probatio
from core.test_names import HOSTILE, is_plain
from learn.runs import write_made_up_run, write_suite
from probatio.core.records import TrialKey
from probatio.learn.analysis import study_of, write_study
from probatio.learn.exports.conditions import RecordedRun
from probatio.learn.exports.inspect_log import write_inspect
from probatio.learn.exports.junit import write_junit
from probatio.learn.exports.study import ExportRequest, export_study
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE

NAMES = tuple(
    name
    for name in HOSTILE
    if (name.isprintable() or name in ("a\nb", "a\x00b")) and not name.startswith("/")
)
"""Without half a pair of surrogates, which JSON can't hold; and without absolute paths: code that fails this
test would write to them. `absolute` is one that ends in the test's own folder."""


def names_for(root: Path) -> tuple[str, ...]:
    return (*NAMES, str(root / "absolute"))


def hostile_run(root: Path) -> RecordedRun:
    """A run whose record, tasks, models, contexts and dialects have hostile names."""
    suite = write_suite(root / "suite", 4)
    folder = write_made_up_run(root / "in" / "r", suite, lambda key: True, models=("m",))
    lines = {name: (folder / name).read_bytes().splitlines()[0] for name in (ANSWERS, GRADES)}
    for file, line in lines.items():
        made = []
        for number, name in enumerate(names_for(root)):
            one = json.loads(line)
            field = ("task_id", "model", "context", "dialect")[number % 4]
            made += [{**one, field: name}, {**one, "task_id": name}, {**one, "model": name}]
        (folder / file).write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in made))
    record = json.loads((folder / RUN_FILE).read_bytes())
    record |= {
        "suite_name": "../../suite/..",
        "created": "../../../2026-01-05T20:27:27Z",
        "run_id": "../../r",
    }
    record["plan"]["dialects"] = ["latin", "../d"]
    (folder / RUN_FILE).write_bytes(json.dumps(record).encode())
    return RecordedRun(folder)


def everything(root: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
    }


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Path]:
    """The folder that the user named, deep enough that a way out of it would end in the test's own."""
    run_in = tmp_path / "deep" / "er"
    run_in.mkdir(parents=True)
    yield run_in / "out"
    assert [path.name for path in run_in.iterdir()] == ["out"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["er"]
    assert not (tmp_path / "absolute").exists()
    for path in (run_in / "out").rglob("*"):
        assert is_plain(path.name, 240) and not path.is_symlink()


def test_inspect_writes_below_its_folder_and_plain_names_into_its_archives(tmp_path: Path, out: Path) -> None:
    run = hostile_run(tmp_path)
    logs = write_inspect(run, None, out)
    assert len(set(logs)) == len(run.conditions) == len(list(out.iterdir()))
    trials = 0
    for log in logs:
        with zipfile.ZipFile(log) as archive:
            names = archive.namelist()
            assert len(names) == len(set(names))
            assert all(
                is_plain(part, 240) or part == "_journal"
                for name in names
                for part in PurePosixPath(name).parts
            )
            trials += sum(name.startswith("samples/") for name in names)
    assert trials == sum(len(list(run.trials(condition))) for condition in run.conditions)


def test_junit_is_xml_whatever_the_names(tmp_path: Path, out: Path) -> None:
    run = hostile_run(tmp_path)
    write_junit(run, out / "report.xml")
    assert len(list(ElementTree.parse(out / "report.xml").iter("testsuite"))) == len(run.conditions)


def plain_run(root: Path) -> Path:
    suite = write_suite(root / "suite", 12)

    def outcome(key: TrialKey) -> bool:
        return int(key.task_id[-2:]) % 2 == 0

    contexts = ("minimal", "basic", "complete")
    return write_made_up_run(root / "in" / "r", suite, outcome, models=("a", "b"), contexts=contexts)


@pytest.mark.parametrize("kind", ["csv", "parquet", "html", "latex", "bibtex", "svg", "png", "pdf"])
def test_no_export_writes_through_a_link_that_lies_in_its_place(tmp_path: Path, kind: str) -> None:
    folder, out, victim = plain_run(tmp_path), tmp_path / "out", tmp_path / "victim"
    figures = (kind,) if kind in ("svg", "png", "pdf") else ()
    tables = () if figures else (kind,)
    wanted = ExportRequest(study_of([folder]), "1", tables, figures, folders=(folder,))  # type: ignore[arg-type]
    names = [path.name for path in export_study(wanted, tmp_path / "first")]
    out.mkdir()
    victim.write_text("mine")
    for name in names:
        for each in (name, f"{name}.part", f"tmp_{name}", f"tmp_{name}.part"):
            (out / each).symlink_to(victim)
    export_study(wanted, out)
    assert victim.read_bytes() == b"mine"
    assert all((out / name).is_file() and not (out / name).is_symlink() for name in names)


LIVE = (
    "[x](https://evil.example/a)",
    "![x](https://evil.example/p.png)",
    "\\[x](https://evil.example/b)",
    "[x][y] [y]: https://evil.example/c",
    "[y]: https://evil.example/d",
    "<https://evil.example/e>",
    "<img src=//evil.example/f onerror=x>",
    "https://evil.example/g",
    "www.evil.example/h",
    "a@evil.example",
    "&#91;x&#93;(//evil.example/i) &lt;b>",
    "a | b\n|---|---|\n| c | d |",
    "# Evil heading",
    "a\n\n# Evil heading\n\n<b>x</b>",
    "---",
    "```",
    "=HYPERLINK(1)",
    "x}, url = {https://evil.example/j}, y = {",
    "\\input{/etc/passwd} $x^2$ & % \\end{tabular}",
)
"""Names that act in Markdown, HTML, a spreadsheet, LaTeX or BibTeX."""


def live_run(root: Path, names: tuple[str, ...]) -> Path:
    """A run whose models, task, context, dialects, errors, suite and notes have such names."""
    suite = write_suite(root / "suite", 8)
    folder = write_made_up_run(
        root / "r", suite, lambda key: int(key.task_id[-2:]) % 3 > 0 or "type_error", models=("m",)
    )
    for file in (ANSWERS, GRADES):
        lines = [json.loads(line) for line in (folder / file).read_bytes().splitlines()]
        made = [
            {
                **line,
                "model": name,
                "task_id": f"{line['task_id']} {name}" if name == names[0] else line["task_id"],
                "context": f"{name}",
                "dialect": f"d {name}",
                "grader_version": name,
                **({"error_type": line["error_type"] and name} if file == GRADES else {}),
            }
            for line in lines
            for name in names
        ]
        (folder / file).write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in made))
    record = json.loads((folder / RUN_FILE).read_bytes())
    record |= dict.fromkeys(("suite_name", "suite_version", "framework_version", "created"), names[0])
    (folder / RUN_FILE).write_bytes(json.dumps(record).encode())
    return folder


@pytest.mark.parametrize("name", LIVE)
def test_a_name_is_text_in_the_analysis_and_in_every_export(tmp_path: Path, name: str) -> None:
    plain, hostile = (
        study_of([live_run(tmp_path / each, names)])
        for each, names in (("plain", ("a", "b")), ("hostile", (name, f"b {name}")))
    )
    shapes = []
    for study in (plain, hostile):
        text = write_study(study, tmp_path / "out")[0].read_text()
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        inner = [token.type for each in tokens for token in each.children or ()]
        assert not {"link_open", "html_inline"} & set(inner) and "html_block" not in {t.type for t in tokens}
        assert inner.count("image") == len(list((tmp_path / "out").glob("*.png")))
        assert "evil" not in "".join(re.findall(r"^.*(?<!\\)(?:://|\bwww\.).*$", text, re.MULTILINE))
        shapes.append([token.tag for token in tokens if token.type.endswith("_open") or token.type == "hr"])
    assert shapes[0] == shapes[1]
    wanted = ExportRequest(hostile, "1", ("csv", "html", "latex", "bibtex"))
    written = export_study(wanted, tmp_path / "exports")
    files = {path.name: path.read_text() for path in written if path.suffix != ".pdf"}
    page = files.pop("study.html")
    assert not re.search(r"<(?!/?(?:html|head|meta|title|style|body|main|h1|ul|li|p|figure|figcaption|svg|g|"
                         r"path|text|tspan|rect|line|circle|polyline|polygon|desc|defs|clipPath|table|caption|"
                         r"thead|tbody|tr|th|td|!doctype)\b)", page)  # fmt: skip
    assert "evil" not in "".join(re.findall(r"""(?:href|src|onerror)\s*=\s*["'][^"']*""", page))
    for file, text in files.items():
        if file.endswith((".tex", ".bib")):
            assert "\\input{/etc" not in text and text.count("{") == text.count("}")
            assert text.count("\\end{tabular}") == text.count("\\begin{tabular}")
        else:
            assert not re.search(r'(?:^|,)"?[=+@]', text, re.MULTILINE)


def test_an_export_is_not_written_through_a_link(tmp_path: Path) -> None:
    run, out, elsewhere = RecordedRun(plain_run(tmp_path)), tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    for log in write_inspect(run, None, out):
        log.unlink()
        log.symlink_to(elsewhere / "x")
    write_inspect(run, None, out)
    assert list(elsewhere.iterdir()) == []


def test_the_command_ends_well_on_hostile_names(tmp_path: Path, out: Path) -> None:
    run = hostile_run(tmp_path).folder
    done = probatio("study", "export", run, "--inspect", out, "--junit", out / "x.xml")
    assert done.returncode == 0, done.output
