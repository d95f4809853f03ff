"""The command `faber` as a user calls it: real processes, real files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from faber.cli import NO_JAIL
from faber.dialects import NAMES

pytestmark = pytest.mark.slow  # every test starts the command


def call(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from faber.cli import main; main()", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "salve.fab"
    path.write_text('# saluta\nfixum nomen="Marce"\nscribe "salve " + nomen\n', encoding="utf-8")
    return path


def test_check_exits_with_nothing_to_say(program: Path) -> None:
    done = call("check", str(program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_check_tells_errors_and_exits_with_one() -> None:
    done = call("check", "-", stdin="scribe nusquam")
    assert done.returncode == 1
    assert done.stderr.startswith("-:1:8 semantic error [undefined]: 'nusquam' is not defined.")


def test_check_writes_one_line_of_json_per_file(program: Path) -> None:
    done = call("check", "--json", str(program), "-", stdin="scribe (")
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 1
    assert (first["ok"], first["error_type"], first["diagnostics"]) == (True, None, [])
    assert (second["ok"], second["error_type"]) == (False, "syntax_error")
    assert {"phase", "code", "line", "column", "message", "hint"} <= set(second["diagnostics"][0])


def test_strict_is_off_unless_asked_for() -> None:
    source = "functio f(numerus a) -> numerus { redde a }\nscribe f()"
    assert call("check", "-", stdin=source).returncode == 0
    assert call("check", "--strict", "-", stdin=source).returncode == 1


def test_run_prints_the_programs_output_and_says_on_stderr_that_it_is_no_jail(program: Path) -> None:
    done = call("run", str(program))
    assert (done.returncode, done.stdout, done.stderr) == (0, "salve Marce\n", f"faber: {NO_JAIL}\n")
    assert "no jail" in NO_JAIL and "no jail" in call("run", "--help").stdout


def test_run_gives_the_program_no_permission() -> None:
    """By the way out of the language that JavaScript leaves: a function made of a text."""
    source = 'fixum f = pro x: x\nscribe f.constructor("return Deno.readTextFileSync(`/etc/passwd`)")()'
    done = call("run", "-", stdin=source)
    assert done.returncode == 1 and "NotCapable" in done.stderr, done.stderr


def test_a_twist_without_a_name_and_a_wrong_option_are_bad_usage(program: Path) -> None:
    assert call("check", "--dialect", "latin+nope", str(program)).returncode == 2
    assert call("format", "--write", "--to", "english", str(program)).returncode == 2
    assert call("nusquam").returncode == 2


def test_run_without_deno_can_not_be_completed(program: Path) -> None:
    hidden = "import sys; sys.modules['deno'] = None; from faber.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "run", str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3 and "pip install deno" in done.stderr


def test_run_passes_on_the_programs_exit_code() -> None:
    done = call("run", "-", stdin='scribe 1\niace novum Error("foras")')
    assert (done.returncode, done.stdout) == (1, "1\n")
    assert "foras" in done.stderr


def test_run_of_a_rejected_program_prints_no_output() -> None:
    done = call("run", "-", stdin="scribe 1 scribe nusquam")
    assert (done.returncode, done.stdout) == (1, "")


def test_compile_prints_typescript(program: Path) -> None:
    assert call("compile", str(program)).stdout == 'const nomen = "Marce";\nconsole.log("salve " + nomen);\n'


def test_format_converts_and_tells_renamed_names() -> None:
    done = call("format", "--to", "english", "-", stdin="fixum class = 1")
    assert done.stdout == "const id_class = 1\n"
    assert done.stderr == "-: 'class' is a word of english and was renamed 'id_class'.\n"


def test_format_writes_a_file_in_place(program: Path) -> None:
    assert call("format", "--write", str(program)).returncode == 0
    assert program.read_text(encoding="utf-8") == '# saluta\nfixum nomen = "Marce"\nscribe "salve " + nomen\n'


def test_a_dialect_is_read_with_its_own_words() -> None:
    assert call("run", "--dialect", "english", "-", stdin='print "hail"').stdout == "hail\n"


def test_a_missing_file_is_bad_usage() -> None:
    done = call("check", "nusquam.fab")
    assert done.returncode == 2
    assert done.stderr == "faber: nusquam.fab cannot be read: No such file or directory.\n"


@pytest.mark.parametrize("name", ["check", "run", "compile", "format"])
def test_every_help_has_an_example(name: str) -> None:
    assert "Example" in call(name, "--help").stdout


def test_the_command_offers_the_dialects_there_are() -> None:
    assert f"[{'|'.join(NAMES)}]" in call("check", "--help").stdout
