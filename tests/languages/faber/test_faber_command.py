"""`probatio faber` as a user calls it: real processes, real files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # every test starts the command


def probatio(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from probatio.cli import main; main()", "faber", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "salve.fab"
    path.write_text('# saluta\nfixum nomen="Marce"\nscribe "salve " + nomen\n', encoding="utf-8")
    return path


def test_check_exits_with_nothing_to_say(program: Path) -> None:
    done = probatio("check", str(program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_check_tells_errors_and_exits_with_one() -> None:
    done = probatio("check", "-", stdin="scribe nusquam")
    assert done.returncode == 1
    assert done.stderr.startswith("-:1:8 semantic error [undefined]: 'nusquam' is not defined.")


def test_check_writes_one_line_of_json_per_file(program: Path) -> None:
    done = probatio("check", "--json", str(program), "-", stdin="scribe (")
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 1
    assert (first["ok"], first["error_type"], first["diagnostics"]) == (True, None, [])
    assert (second["ok"], second["error_type"]) == (False, "syntax_error")
    assert {"phase", "code", "line", "column", "message", "hint"} <= set(second["diagnostics"][0])


def test_strict_is_off_unless_asked_for() -> None:
    source = "functio f(numerus a) -> numerus { redde a }\nscribe f()"
    assert probatio("check", "-", stdin=source).returncode == 0
    assert probatio("check", "--strict", "-", stdin=source).returncode == 1


def test_run_prints_the_programs_output_and_nothing_else(program: Path) -> None:
    done = probatio("run", str(program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "salve Marce\n", "")


def test_run_passes_on_the_programs_exit_code() -> None:
    done = probatio("run", "-", stdin='scribe 1\niace novum Error("foras")')
    assert (done.returncode, done.stdout) == (1, "1\n")
    assert "foras" in done.stderr


def test_run_of_a_rejected_program_prints_no_output() -> None:
    done = probatio("run", "-", stdin="scribe 1 scribe nusquam")
    assert (done.returncode, done.stdout) == (1, "")


def test_compile_prints_typescript(program: Path) -> None:
    assert probatio("compile", str(program)).stdout == 'const nomen = "Marce";\nconsole.log("salve " + nomen);\n'


def test_format_converts_and_tells_renamed_names() -> None:
    done = probatio("format", "--to", "english", "-", stdin="fixum class = 1")
    assert done.stdout == "const id_class = 1\n"
    assert done.stderr == "-: 'class' is a word of english and was renamed 'id_class'.\n"


def test_format_writes_a_file_in_place(program: Path) -> None:
    assert probatio("format", "--write", str(program)).returncode == 0
    assert program.read_text(encoding="utf-8") == '# saluta\nfixum nomen = "Marce"\nscribe "salve " + nomen\n'


def test_a_dialect_is_read_with_its_own_words() -> None:
    assert probatio("run", "--dialect", "english", "-", stdin='print "hail"').stdout == "hail\n"


def test_a_missing_file_is_bad_usage() -> None:
    done = probatio("check", "nusquam.fab")
    assert done.returncode == 2
    assert done.stderr == "probatio: nusquam.fab cannot be read: No such file or directory.\n"


@pytest.mark.parametrize("name", ["check", "run", "compile", "format"])
def test_every_help_has_an_example(name: str) -> None:
    assert "Example" in probatio(name, "--help").stdout


def test_the_command_offers_the_dialects_there_are() -> None:
    from probatio.languages.faber.dialects import NAMES

    assert f"[{'|'.join(NAMES)}]" in probatio("check", "--help").stdout
