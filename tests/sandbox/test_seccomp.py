"""The filter says what it should for every call, on both machines: checked by running it as the kernel would."""

from __future__ import annotations

import errno
import struct

import pytest

from probatio.sandbox.seccomp import FORBIDDEN, filter_program

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x80000000
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}


def decide(program: bytes, number: int, arch: int, *arguments: int) -> int:
    """What the filter returns for one call."""
    six = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, arch, 0, *six)
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at = held = 0
    while True:
        op, yes, no, value = code[at]
        at += 1
        match op:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, value)
            case 0x15:
                at += yes if held == value else no
            case 0x35:
                at += yes if held >= value else no
            case 0x45:
                at += yes if held & value else no
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"unknown operation {op:#x}")


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_every_forbidden_call_is_refused(machine: str) -> None:
    program = filter_program(machine)
    for calls in FORBIDDEN.values():
        for name, *numbers in calls:
            number = numbers[COLUMN[machine]]
            if number is not None:
                assert decide(program, number, ARCH[machine]) == EPERM, name


def test_all_other_calls_pass(machine: str) -> None:
    program = filter_program(machine)
    refused = {numbers[COLUMN[machine]] for calls in FORBIDDEN.values() for _, *numbers in calls}
    special = {56, 220, 435, 302, 261, 16, 29}
    for number in set(range(450)) - refused - special:
        assert decide(program, number, ARCH[machine]) == ALLOW, number


def test_threads_pass_and_processes_do_not(machine: str) -> None:
    program = filter_program(machine)
    clone = {"x86_64": 56, "aarch64": 220}[machine]
    assert decide(program, clone, ARCH[machine], 0x3D0F00) == ALLOW
    assert decide(program, clone, ARCH[machine], 17) == EPERM
    assert decide(program, 435, ARCH[machine]) == ENOSYS


def test_limits_of_others_are_out_of_reach(machine: str) -> None:
    program = filter_program(machine)
    prlimit = {"x86_64": 302, "aarch64": 261}[machine]
    assert decide(program, prlimit, ARCH[machine], 0) == ALLOW
    assert decide(program, prlimit, ARCH[machine], 1234) == EPERM


def test_nothing_can_be_typed_into_a_terminal(machine: str) -> None:
    program = filter_program(machine)
    ioctl = {"x86_64": 16, "aarch64": 29}[machine]
    assert decide(program, ioctl, ARCH[machine], 0, 0x5412) == EPERM
    assert decide(program, ioctl, ARCH[machine], 0, 0x5401) == ALLOW


def test_calls_of_another_machine_end_the_program(machine: str) -> None:
    assert decide(filter_program(machine), 1, 0x40000003) == KILL


def test_the_second_numbering_of_x86_is_no_way_around() -> None:
    assert decide(filter_program("x86_64"), 0x40000000 | 41, ARCH["x86_64"]) == EPERM
