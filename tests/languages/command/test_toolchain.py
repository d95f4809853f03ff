"""A toolchain is found before anything is graded, its version follows its files, and the jail shows no more
than it names."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from languages.command.languages_here import KINDS, STACK, command, script, spec, stack_language, usable
from probatio.core.errors import UsageError
from probatio.jail import Choice
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import Commands, LanguageSpec
from probatio.languages.finding import BUILT_IN, find_language, list_implementations, require_toolchain


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Choice:
    return usable(request.param)


def refused(run: tuple[str, ...], **more: Any) -> str:
    with pytest.raises(UsageError) as error:
        require_toolchain(spec(run, "Lingua", **more))
    return str(error.value)


def test_a_missing_command_is_named_with_the_file_that_asks_for_it() -> None:
    assert refused(("no-such-lua", "{file}")) == (
        "language.yml of Lingua: commands.run names `no-such-lua`, which is not on PATH; install it, or "
        "correct the name."
    )
    assert "commands.check names `no-such-luac`" in refused(
        ("sh", "{file}"), check=("no-such-luac", "-p", "{file}")
    )
    assert "commands.version names `no-such-lua`" in refused(("sh", "{file}"), version=("no-such-lua", "-v"))


def test_each_file_that_can_not_be_started_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "lingua"
    script(folder, "#!/bin/sh\n", "plain", 0o644)
    script(folder, "echo 1\n", "bare")
    script(folder, "#!/no/such/interpreter\n", "orphan")
    script(folder, "#!/usr/bin/env no-such-language\n", "lost")
    script(folder, f"#!{folder}/circle\n", "circle")
    script(folder, "#!/usr/bin/env -S A=1 sh\n", "kept")
    script(folder, "#!/usr/bin/env -S\n", "empty")
    script(folder, "#!sh\n", "beside")
    names = [each.name for each in folder.iterdir()]
    told = {name: refused((f"{{folder}}/{name}", "{file}"), folder=str(folder)) for name in names}
    assert "is not executable; chmod +x sets that" in told["plain"]
    assert "neither a program nor a script that begins with #!" in told["bare"]
    assert "there is no interpreter" in told["orphan"]
    assert "asks for no-such-language; that is neither on PATH (" in told["lost"]
    assert "interpreters are scripts without end" in told["circle"]
    assert "gives `A=1` to env; only -S is read there" in told["kept"]
    assert "whose first line names no program" in told["empty"]
    assert "asks for sh; write its whole path there" in told["beside"]
    assert all(
        message.startswith("language.yml of Lingua: commands.run names `{folder}/")
        for message in told.values()
    )


def test_other_mistakes_in_the_commands_are_told(tmp_path: Path) -> None:
    folder = str(tmp_path)
    (tmp_path / "tasks").mkdir()
    assert "names `{folder}/no.py`, which is not there" in refused(
        ("{python}", "{folder}/no.py"), folder=folder
    )
    assert "write {folder}/run.sh" in refused(("./run.sh", "{file}"), folder=folder)
    assert "the language has no folder" in refused(("{python}", "{folder}/x.py"))
    assert "with its dot" in refused(("sh", "{file}"), suffix="lua")
    assert "with its dot" in refused(("sh", "{file}"), suffix="./../x")
    assert "commands.run is empty" in refused(())
    assert "commands.reads names `/no/such/place`" in refused(("sh", "{file}"), reads=("/no/such/place",))
    for reads in ("{folder}/tasks", "{folder}/..", "/"):
        assert "holds the tasks with their solutions" in refused(
            ("sh", "{file}"), reads=(reads,), folder=folder
        )
    assert "commands.version ended with 3" in refused(("sh", "{file}"), version=("sh", "-c", "exit 3"))


def test_a_script_is_started_by_the_interpreter_it_names(kind: Choice, tmp_path: Path) -> None:
    plain = ("#!/bin/sh", "#!/usr/bin/env sh", "#! /bin/sh -e")
    lines = (*plain, "#!/usr/bin/env -S sh -e", "#!/usr/bin/env -Ssh -e")
    for number, line in enumerate(lines):
        tool = script(tmp_path / str(number), f'{line}\nread -r text < "$1"; echo "$2 $text"\n')
        one = command(("{folder}/tool", "{file}", "said"), folder=str(tool.parent))
        assert one.run("hello\n", "standard", "", kind).stdout == "said hello\n", line


LOOK = """import os, sys
folder = {folder!r}
for place, _, names in os.walk(folder):
    for name in names:
        try:
            print(name, open(os.path.join(place, name)).read()[:4])
        except OSError:
            pass
try:
    print(open(folder + "/tasks/all.yml").read())
except OSError:
    print("no tasks")
"""


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("reads", [(), ("{folder}",), ("{folder}/lib",)])
def test_a_program_never_sees_the_tasks_of_its_language(
    kind: Choice, reads: tuple[str, ...], tmp_path: Path
) -> None:
    usable(kind)
    folder = tmp_path / "lingua"
    stack_language(folder)
    script(folder, "import sys; exec(open(sys.argv[1]).read())", "run.py", 0o644)
    (folder / "lib").mkdir()
    (folder / "lib" / "words.txt").write_text("HELP")
    (folder / "other.txt").write_text("MORE")
    one = command(("{python}", "{folder}/run.py", "{file}"), folder=str(folder), reads=reads)
    shown = one.run(LOOK.format(folder=str(folder)), "standard", "", kind).stdout
    assert "no tasks" in shown
    assert "GOLD" not in shown
    whole = reads == ("{folder}",)
    if kind == "bubblewrap":
        assert ("words.txt HELP" in shown) == bool(reads)
        assert ("MORE" in shown) == whole
        assert ("stack.py" in shown) == whole
    direct = "\n".join(
        f"try: print(open({str(folder / name)!r}).read())\nexcept OSError: pass"
        for name in ("lib/words.txt", "other.txt")
    )
    assert one.run(direct, "standard", "", kind).stdout.split() == ["HELP"] * bool(reads) + ["MORE"] * whole


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_program_sees_no_installed_package_and_nothing_else_of_the_machine(
    kind: Choice, tmp_path: Path
) -> None:
    usable(kind)
    (tmp_path / "secret.txt").write_text("SECRET")
    one = command(("{python}", "{file}"))
    program = f"""
import os, sys
for name in ("probatio", "msgspec", "click"):
    try:
        __import__(name); print("HARM", name)
    except ImportError:
        pass
for path in ("/etc/passwd", {str(tmp_path / "secret.txt")!r}, {__file__!r}, {sys.prefix!r} + "/pyvenv.cfg"):
    try:
        open(path).read(); print("HARM", path)
    except OSError:
        pass
print("done")
"""
    assert one.run(program, "standard", "", kind).stdout == "done\n"


def test_a_script_of_the_language_sees_the_packages_it_imports_and_no_others(
    kind: Choice, tmp_path: Path
) -> None:
    text = (
        "import sys, yaml\nprint(yaml.safe_load(open(sys.argv[1])))\n"
        "try:\n    __import__('click')\nexcept ImportError:\n    print('no click')\n"
    )
    tool = script(tmp_path / "lingua", text, "read.py", 0o644)
    one = command(("{python}", "{folder}/read.py", "{file}"), folder=str(tool.parent))
    assert one.run("{a: [1, 2]}", "standard", "", kind).stdout == "{'a': [1, 2]}\nno click\n"


@pytest.mark.parametrize(
    ("text", "without"), [("print(1)", True), ("exit(0)", False), ("import site", False)]
)
def test_a_script_is_spared_what_it_does_not_use_of_the_start(
    text: str, without: bool, tmp_path: Path
) -> None:
    tool = script(tmp_path / "lingua", text, "tool.py", 0o644)
    one = command(("{python}", "{folder}/tool.py", "{file}"), folder=str(tool.parent))
    found = one.tool("run")
    assert found is not None
    assert ("-S" in found.argv) == without
    assert one.run("", "standard", "", "auto").exit == 0
    program = command(("{python}", "{file}")).tool("run")
    assert program is not None
    assert "-S" not in program.argv, "a program under test may use whatever Python has"


def test_a_package_that_is_not_installed_is_told_before_anything_is_graded(tmp_path: Path) -> None:
    folder = tmp_path / "lingua"
    script(folder, "import no_such_package\n", "needs.py", 0o644)
    script(folder, "try:\n    import no_such_package\nexcept ImportError:\n    pass\n", "may.py", 0o644)
    script(folder, "import probatio\n", "ours.py", 0o644)
    assert "needs the Python package `no_such_package`, which is not installed" in refused(
        ("{python}", "{folder}/needs.py"), folder=str(folder)
    )
    assert "imports probatio, which programs in the jail must not see" in refused(
        ("{python}", "{folder}/ours.py"), folder=str(folder)
    )
    require_toolchain(spec(("{python}", "{folder}/may.py"), folder=str(folder)))


def test_the_version_is_what_the_command_says_and_follows_the_files_of_the_language(tmp_path: Path) -> None:
    says = ("sh", "-c", "echo; echo '  Lingua 1.2 '; echo more")
    told = stack_language(tmp_path / "a", version=says).version()
    assert told.startswith("Lingua 1.2 [")
    assert stack_language(tmp_path / "b", version=says).version() == told, "another place is no other version"
    script(tmp_path / "c", STACK + "# changed\n", "stack.py", 0o644)
    changed = command(
        ("{python}", "{folder}/stack.py", "{file}"),
        "Stack",
        suffix=".stack",
        folder=str(tmp_path / "c"),
        version=says,
    )
    assert changed.version() != told


def test_without_a_version_command_the_files_are_the_version(tmp_path: Path) -> None:
    first = stack_language(tmp_path / "a").version()
    assert stack_language(tmp_path / "b").version() == first
    assert stack_language(tmp_path / "b", env={"MODE": "x"}).version() != first
    assert command(("sh", "{file}")).version() != command(("sh", "-e", "{file}")).version()
    binary = tmp_path / "tool"
    shutil.copy(shutil.which("sh") or "/bin/sh", binary)
    one = command((str(binary), "{file}")).version()
    with binary.open("ab") as file:
        file.write(b"\0")
    assert command((str(binary), "{file}")).version() != one


def test_a_spec_without_implementation_is_its_commands_and_is_made_once() -> None:
    found = find_language(spec(("sh", "{file}"), env={"B": "1", "A": "2"}))
    assert isinstance(found, CommandLanguage)
    assert find_language(spec(("sh", "{file}"), env={"A": "2", "B": "1"})) is found
    assert find_language(spec(("sh", "-e", "{file}"))) is not found


def test_an_unknown_implementation_lists_what_there_is() -> None:
    with pytest.raises(
        UsageError,
        match=(
            r"language\.yml of Klingon: there is no implementation `klingon`; there are: .*faber.*typescript"
        ),
    ):
        find_language(LanguageSpec("Klingon", ("k",), implementation="klingon"))
    assert set(BUILT_IN) <= set(list_implementations())


def test_a_language_with_neither_is_told() -> None:
    with pytest.raises(UsageError, match="give `commands` or an `implementation`"):
        find_language(LanguageSpec("Nothing", ("n",)))


def test_a_language_of_an_installed_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "klingon_language.py").write_text("LANGUAGE = object()\n")
    about = tmp_path / "klingon-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: klingon\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[probatio.languages]\ntlh = klingon_language:LANGUAGE\nbroken = no_module:X\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = find_language(LanguageSpec("Klingon", ("tlh",), implementation="tlh"))
    assert found is __import__("klingon_language").LANGUAGE
    with pytest.raises(UsageError, match="the implementation `broken` can't be loaded"):
        find_language(LanguageSpec("Klingon", ("tlh",), implementation="broken"))


def test_a_spec_goes_to_a_worker_and_back() -> None:
    there = LanguageSpec(
        "Sh", ("sh",), commands=Commands(run=("sh", "{file}"), env={"A": "1"}, processes=True)
    )
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(there), type=LanguageSpec) == there
