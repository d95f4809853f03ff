"""Strues itself: every word, every diagnostic, and programs written to break it. None ends in a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builtin.strues.strues import FOLDER, Run, run_command, run_inside, toolchain

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

COMMANDS = yaml.safe_load((FOLDER / "language.yml").read_text(encoding="utf-8"))["commands"]

WORDS = {
    "add": [("3 4 add tell", "7"), ("3 4- add tell", "1-")],
    "sub": [("3 10 sub tell", "7"), ("10 3 sub tell", "7-")],
    "mul": [("3 4- mul tell", "12-"), ("0 5- mul tell", "0")],
    "div": [("4 21 div tell", "5"), ("2 7- div tell", "4-")],
    "mod": [("4 21 mod tell", "1"), ("3 7- mod tell", "2"), ("3- 7 mod tell", "2-")],
    "larger": [("3 4 larger tell", "4")],
    "smaller": [("3 4 smaller tell", "3")],
    "twin": [("3 twin tell tell", "3\n3")],
    "trade": [("1 2 trade tell tell", "1\n2")],
    "drop": [("1 2 drop tell", "1")],
    "tell": [('( 1 "a b" ( ) ( 2- ) ) tell', "(1 a b () (2-))")],
    "show": [('"!" 7- show join tell', "7-!")],
    "size": [('"four" size tell ( ) size tell', "4\n0")],
    "turn": [('"abc" turn tell ( 1 2 ) turn tell', "cba\n(2 1)")],
    "join": [('"b" "a" join tell ( 3 ) ( 1 2 ) join tell', "ab\n(1 2 3)")],
    "pick": [('2 ( 5 6 7 ) pick tell 1 "xy" pick tell', "6\nx")],
    "front": [('2 ( 5 6 7 ) front tell 9 "xy" front tell 1- "xy" front size tell', "(5 6)\nxy\n0")],
    "beyond": [('2 ( 5 6 7 ) beyond tell 9 "xy" beyond size tell 1- ( 1 ) beyond tell', "(7)\n0\n(1)")],
    "lay": [("3 ( 1 2 ) lay tell", "(1 2 3)")],
    "seek": [('"b" ( "a" "b" "b" ) seek tell 5 ( 1 ) seek tell 0 ( ) seek tell', "2\n0\n0")],
    "sort": [('( 3 1 2- ) sort tell ( "b" "a" ) sort tell', "(2- 1 3)\n(a b)")],
    "upto": [("3 upto tell 0 upto tell 2- upto tell", "(1 2 3)\n()\n()")],
    "chars": [('"ab" chars tell', "(a b)")],
    "cut": [('"," "a,,b" cut size tell', "3")],
    "glue": [('", " ( 1 2- "x" ) glue tell', "1, 2-, x")],
    "value": [('"12-" value tell', "12-")],
    "numbers": [('" 4  5- " numbers tell "" numbers tell', "(4 5-)\n()")],
    "line": [("line tell line size tell", "first\n0")],
    "lines": [("lines tell lines tell", "(first)\n()")],
    "each": [("( 1 2 ) [ 5 add ] each tell", "(6 7)")],
    "sift": [("( 1 0 2- 3 ) [ ] sift tell", "(1 3)")],
    "weave": [("5 upto [ 10 mul ] [ drop 0 ] weave tell", "(10 0 30 0 50)")],
    "fold": [("( 1 2 3 ) 0 [ sub ] fold tell ( ) 9 [ add ] fold tell", "2\n9")],
    "do": [("3 [ 4 add ] do tell [ twin mul ] @square 5 square do tell", "7\n25")],
    "times": [("1 3 [ 2 mul ] times tell 0 [ 1 tell ] times 4- [ 1 tell ] times", "8")],
    "again": [("3 [ 1 trade sub twin ] again tell", "0")],
    "weigh": [
        ("5 3 [ 1 ] [ 2 ] [ 3 ] weigh tell 3 3 [ 1 ] [ 2 ] [ 3 ] weigh tell", "1\n2"),
        ('"a" "b" [ 1 ] [ 2 ] [ 3 ] weigh tell ( 1 2 ) ( 1 ) [ 1 ] [ 2 ] [ 3 ] weigh tell', "3\n1"),
    ],
}


def test_every_word_has_its_cases() -> None:
    assert set(WORDS) == set(toolchain.WORDS)


@pytest.mark.parametrize(("program", "output"), [case for cases in WORDS.values() for case in cases])
def test_a_word_does_what_the_reference_says(program: str, output: str) -> None:
    assert run_inside(program, "first\n") == Run(0, output + "\n", "")


@pytest.mark.parametrize(
    ("program", "output"),
    [
        ("< tell sub 10 3", "7"),
        ("< @x add 1 2\nx tell", "3"),
        ("  < tell 5 tell 6", "6\n5"),
        ("[\n< tell sub 10 3\n] do", "7"),
        ("[ < tell sub 10 3 ] do", "7"),
        ("< do [ 1 tell\n2 tell ] drop 9", "1\n2"),
        ("( < 1 2 3\n4 ) tell", "(3 2 1 4)"),
        ("<\n4 tell", "4"),
        ("2 9 sub~ tell tell tell", "7\n9\n2"),
        ("( 3 1 ) [ 2 mul ] each~ tell tell", "(6 2)\n(3 1)"),
        ("to f number -> number [ 1 add ]\n5 f~ tell tell", "6\n5"),
        ('"x" @y "y" tell y tell', "y\nx"),
        ("1 @x [ 2 @x x tell ] do x tell", "2\n1"),
        ("3 @n ( 1 2 ) [ n mul ] each tell", "(3 6)"),
        ('to a text -> [ tell ]\n"hi" a # comment "', "hi"),
        ("to even number -> number [ odd ]\nto odd number -> number [ 1 add ]\n1 even tell", "2"),
        ("(1(2)[3]do)tell", "(1 (2) 3)"),
        ("5 @size size tell", "5"),
        ("", ""),
    ],
)
def test_lines_names_and_definitions(program: str, output: str) -> None:
    assert run_inside(program) == Run(0, f"{output}\n" if output else "", "")


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ('\n"open tell', "line 2: syntax: the text is not closed on its line"),
        ("1 tell\n[ 2 tell", "line 2: syntax: `[` is not closed"),
        ("( 1 [ 2 ) ]", "line 1: syntax: `)` stands in a wrong place"),
        ("1 tell ]", "line 1: syntax: `]` stands in a wrong place"),
        ("3 < 4", "line 1: syntax: `<` stands in a wrong place"),
        ("[ to f -> [ ] ]", "line 1: syntax: `to` stands in a wrong place"),
        ("-5 tell", "line 1: syntax: a negative number has its sign behind it: 5-"),
        *(
            (program, "line 1: syntax: write: to NEW-WORD types -> types [ … ] with number, text, list, any")
            for program in (
                "to",
                "to f number [ ]",
                "to add number -> [ ]",
                "to f int -> [ ]",
                "to 5 -> [ ]",
                "to f ->\n[ ]",
            )
        ),
        ("1 print", "line 1: word: `print` is not a word, a name or a number"),
        ("1234567890123456789 tell", "line 1: word: `1234567890123456789` is not a word, a name or a number"),
        ("[ 1 @x ] do x tell", "line 1: word: `x` is not a word, a name or a number"),
        ("1\nadd tell", "line 2: effect: `add` needs number number, but the pile has number"),
        ('1 "a" add tell', "line 1: effect: `add` needs number number, but the pile has number text"),
        ("1 2\n", "line 2: effect: `the program` must leave nothing, but leaves number number"),
        ("@x", "line 1: effect: `@x` needs a value, but the pile has nothing"),
        (
            "1 2 [ 1 ] [ ] [ 2 ] weigh tell",
            "line 1: effect: a quotation of `weigh` must leave number, but leaves nothing",
        ),
        (
            '1 2 [ 1 ] [ "a" ] [ 2 ] weigh tell',
            "line 1: effect: a quotation of `weigh` must leave number, but leaves text",
        ),
        (
            "1 2 [ [ ] ] [ [ 1 ] ] [ [ ] ] weigh do",
            "line 1: effect: a quotation of `weigh` must leave […], but leaves […]",
        ),
        ("3 [ 1 ] times", "line 1: effect: a quotation of `times` must leave nothing, but leaves number"),
        (
            "3 [ tell 1 ] again",
            "line 1: effect: a quotation of `again` must leave number number, but leaves number",
        ),
        (
            "( 1 ) [ tell ] each tell",
            "line 1: effect: the quotation of `each` must leave any, but leaves nothing",
        ),
        (
            '( 1 ) [ drop "a" ] sift tell',
            "line 1: effect: the quotation of `sift` must leave number, but leaves text",
        ),
        ("5 ( 1 ) [ add ] each tell", "line 1: effect: `add` needs number number, but the pile has any"),
        ("[ 1 ] tell", "line 1: effect: `tell` needs any, but the pile has […]"),
        ("1 do", "line 1: effect: `do` needs […], but the pile has number"),
        ("to f number -> number [ twin ]", "line 1: effect: `f` must leave number, but leaves number number"),
        ("1 @x\nto f -> number [ x ]", "line 2: word: `x` is not a word, a name or a number"),
    ],
)
def test_the_checker_tells_what_is_wrong_and_where(program: str, problem: str) -> None:
    for command in ("check", "run"):
        told = run_inside(program, command=command)
        assert (told.code, told.stdout) == (1, "")
        assert told.stderr.startswith(problem)


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("0 5 div tell", "`div` has no result for 0 5"),
        ("0 5 mod tell", "`mod` has no result for 0 5"),
        ('"x" value tell', "`value` has no result for x"),
        ('"-7" value tell', "`value` has no result for -7"),
        ('"1 x" numbers tell', "`numbers` has no result for 1 x"),
        ("4 ( 1 2 ) pick tell", "`pick` has no result for 4 (1 2)"),
        ("0 ( 1 2 ) pick tell", "`pick` has no result for 0 (1 2)"),
        ("1- ( 1 2 ) pick tell", "`pick` has no result for 1- (1 2)"),
        ('"" "ab" cut tell', "`cut` has no result for  ab"),
        ('( 1 "a" ) sort tell', "`sort` has no result for (1 a)"),
        ('( 1 ) "a" join tell', "`join` has no result for (1) a"),
        ('1 "a" [ ] [ ] [ ] weigh', "`weigh` has no result for 1 a […] […] […]"),
        ('( "a" ) [ ] sift tell', "`sift` has no result for (a) […]"),
        ('( "a" ) [ 1 add ] each tell', "`add` needs number number, but the pile has text number"),
        ("999999999999999999 twin add tell", "`add` has no result for 999999999999999999 999999999999999999"),
        ("1000001 upto size tell", "`upto` has no result for 1000001"),
    ],
)
def test_a_word_without_a_result_ends_the_run_with_one_sentence(program: str, problem: str) -> None:
    assert run_inside(program, command="check").code == 0
    assert run_inside(f"1 tell\n{program}") == Run(1, "1\n", f"line 2: run: {problem}\n")


DEEP = "run: words or brackets are nested too deep, or there is too little memory\n"
HOSTILE = {
    "brackets": ("[ " * 100_000 + "] " * 100_000, DEEP),
    "open brackets": ("( " * 100_000, DEEP),
    "recursion": ("to f number -> number [ 1 add f ]\n1 f tell", DEEP),
    "recursion in each": ("to f any -> any [ @x ( x ) [ f ] each ]\n1 f drop", DEEP),
    "nested list": ("( ) 100000 [ @x ( x ) ] times tell", DEEP),
    "chain of quotations": (
        "[ ] @q0\n" + "\n".join(f"[ q{i} do ] @q{i + 1}" for i in range(3000)) + "\nq3000 do",
        DEEP,
    ),
    "doubling text": ('"abcdefgh" 60 [ twin join ] times tell', "line 1: run: `join` has no result for"),
    "squaring": ("9 60 [ twin mul ] times tell", "line 1: run: `mul` has no result for"),
    "nul and friends": ("\x00 \x1b \ufeff \u2028 tell", "line 1: word: "),
    "unicode digits": ("٣ tell", "line 1: word: `٣` is not a word"),
    "superscript": ("-² tell", "line 1: syntax: "),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_programs_end_with_a_sentence(case: str, tmp_path: Path) -> None:
    program, problem = HOSTILE[case]
    run = run_command(COMMANDS["run"], program, "", tmp_path)
    assert run.code == 1 and run.stderr.startswith(problem) and run.stderr.count("\n") == 1


def test_unicode_is_text_like_any_other() -> None:
    assert run_inside('"é世界😀" @größe größe turn tell größe size tell') == Run(0, "😀界世é\n4\n", "")


def test_bytes_that_are_no_text_do_not_break_it(tmp_path: Path) -> None:
    (tmp_path / "p.strues").write_bytes(b'"\xff\xfe" tell \xff')
    command = [
        part.format(python=sys.executable, folder=FOLDER, file=tmp_path / "p.strues")
        for part in COMMANDS["run"]
    ]
    done = subprocess.run(command, capture_output=True, timeout=30)
    assert done.returncode == 1 and b"Traceback" not in done.stderr


def test_an_endless_loop_is_left_to_the_jail(tmp_path: Path) -> None:
    assert run_inside("[ 1 ] again", command="check").code == 0
    with pytest.raises(subprocess.TimeoutExpired):
        run_command(COMMANDS["run"], "[ 1 ] again", "", tmp_path, seconds=1)


def test_the_toolchain_is_one_file_of_at_most_200_lines() -> None:
    assert len((FOLDER / "toolchain.py").read_text(encoding="utf-8").splitlines()) <= 200


SIGNS = [
    "[",
    "[",
    "]",
    "]",
    "]",
    "(",
    ")",
    '"a"',
    '"1 2"',
    "0",
    "1",
    "2",
    "7-",
    "@x",
    "@y",
    "x",
    "y",
    "f",
    "<",
    "\n",
    "\n",
    "#",
]
KEPT = [
    word + keep for word in sorted(toolchain.WORDS) if word != "again" for keep in ("", "~")
]  # `again` could be endless
ITEMS = st.sampled_from([*KEPT, *SIGNS, "\nto f number any -> any ["])


@settings(max_examples=400, deadline=None)
@given(st.lists(ITEMS, max_size=40))
@example(["[", "]", "@x", "x", "x", "do"])
@example(["(", "[", "1", "]", ")", "twin", "weigh"])
def test_no_row_of_words_makes_python_fall_over(items: list[str]) -> None:
    run = run_inside(" ".join(items), "4 5\nb\n")
    assert run.code == (1 if run.stderr else 0)


VALUES = st.sampled_from(["5", "3-", '"ab"', "( 2 1 )", '( "b" ( 3 ) )', "2 upto", "line", "lines", "0"])
QUOTATION = st.sampled_from(
    ["[ ]", "[ twin drop ]", "[ 1 add ]", "[ size ]", "[ trade drop ]", "[ drop 1 ]", "[ drop ( ) ]"]
)


@settings(max_examples=600, deadline=None)
@given(st.lists(VALUES, min_size=2, max_size=4), st.sampled_from(KEPT), QUOTATION, QUOTATION)
def test_a_checked_program_ends_with_output_or_a_sentence(
    values: list[str], word: str, one: str, two: str
) -> None:
    quotations = [need for need in toolchain.WORDS[word.removesuffix("~")][0] if need[0] == "["]
    program = " ".join([*values, *[one, two, one][: len(quotations)], word])
    checked = run_inside(program, command="check").stderr
    left = checked.split("but leaves ")[1].split() if "`the program`" in checked else []
    run = run_inside(program + " tell" * len(left), "4\n")
    assert not run.stderr or run.stderr.startswith("line 1: ")
