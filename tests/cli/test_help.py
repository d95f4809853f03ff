"""`--help` of every command: it has an example, and every example is a call that the command line accepts."""

from __future__ import annotations

import json
import re
import shlex

import click
import pytest

from commandline import probatio
from probatio.cli import COMMANDS, QUESTIONS, root
from probatio.cli.grammar import Verb, split_name

CALL = re.compile(r"probatio ((?:(?! {3}| \(|\)\"| [|>&]).)+)")
"""A call of ours in a shell line, without what follows: another command, a redirection, or a remark."""


def find(words: list[str]) -> tuple[click.Command, list[str], str]:
    """The command that these words call, the arguments that are left, and its name."""
    if not words or words[0].startswith("-"):
        return root, words, "probatio"
    name, command, rest = root.resolve_command(click.Context(root, info_name="probatio"), words)
    assert command is not None and name is not None
    return command, rest, name


def examples(name: str) -> list[str]:
    command, _, _ = find(name.split())
    text = command.get_help(click.Context(command, info_name=name or "probatio"))
    _, heading, shown = re.split(r"(Examples?[^\n]*:\n)", text, maxsplit=1)
    assert heading
    return CALL.findall(shown.partition("\n\n")[0])


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_command_shows_examples_that_the_command_line_accepts(name: str) -> None:
    calls = examples(name)
    assert any(call.startswith(name) for call in calls)
    for call in calls:
        command, arguments, called = find(shlex.split(call))
        command.make_context(called, arguments)


def test_help_shows_eleven_verbs_under_the_question_that_each_serves() -> None:
    shown = probatio("--help").stdout
    sections = re.split(r"\n(?=Can a model|Is the model|For both)", shown)[1:]
    verbs = {part.splitlines()[0]: re.findall(r"^  (\w+)  ", part, re.MULTILINE) for part in sections}
    assert verbs == {question: list(names) for question, names in QUESTIONS.items()}
    assert sum(map(len, verbs.values())) == 11
    assert "completion" not in shown and "compare" not in shown


def test_help_all_lists_every_command_and_page_and_help_page_shows_one() -> None:
    listed = probatio("help", "--all").stdout
    for name, entry in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(entry.line)}$", listed, re.MULTILINE), name
    told = json.loads(probatio("help", "--json").stdout)
    assert list(told["commands"]) == list(COMMANDS)
    assert {"learn", "alerts"} <= {page["name"] for page in told["pages"]}
    assert probatio("help", "alerts").stdout.startswith("# ")
    assert probatio("help", "alerts", "--path").stdout.endswith("docs/alerts.md\n")
    assert "Usage: probatio study compare" in probatio("help", "study", "compare").stdout
    assert probatio("help").stdout == probatio("--help").stdout
    slip = probatio("help", "allerts")
    assert slip.returncode == 2 and "Near matches: alerts" in slip.stderr


@pytest.mark.parametrize("name", ["trial", "daily"])
def test_every_option_of_a_long_command_stands_under_one_heading(name: str) -> None:
    command, _, _ = find([name])
    assert isinstance(command, Verb)
    grouped = [option for options in command.groups.values() for option in options]
    shown = [
        option.name for option in command.params if isinstance(option, click.Option) and not option.hidden
    ]
    assert sorted(grouped) == sorted(filter(None, shown))
    assert (
        list(command.groups)[:3] == ["What is asked", "Who is asked", "Limits"]
        and list(command.groups)[-1] == "Output"
    )


def test_a_first_word_that_names_no_command_is_left_to_the_one_before_it() -> None:
    assert split_name(["study", "monday", "compare"], COMMANDS) == ("study", ["monday", "compare"])
    assert split_name(["study", "compare", "a", "b"], COMMANDS) == ("study compare", ["a", "b"])
    assert split_name(["study", "results/compare"], COMMANDS) == ("study", ["results/compare"])
    assert split_name(["daily", "alerts", "test"], COMMANDS) == ("daily alerts test", [])
    assert split_name(["compare", "a"], COMMANDS) == ("", ["compare", "a"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("compare", "a", "b"), "There is no command `compare`. Did you mean `study compare`?"),
        (("suite", "chek", "x"), "There is no command `suite chek`. Did you mean `suite check`?"),
        (("daily", "imprt"), "There is no command `daily imprt`. Did you mean `daily import`?"),
        (("watch",), "There is no command `watch`. See probatio help --all."),
        (("study",), "Missing argument 'RUN...'"),
    ],
)
def test_a_name_that_is_not_there_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = probatio(*words)
    assert done.returncode == 2 and sentence in done.stderr


@pytest.mark.parametrize("name", ["suite", "models", "site", "daily alerts"])
def test_a_verb_that_does_nothing_by_itself_shows_its_help(name: str) -> None:
    done = probatio(*name.split())
    assert done.returncode == 2 and f"Usage: probatio {name} [OPTIONS] COMMAND …" in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_shows_a_mark_of_its_layout(name: str) -> None:
    command, _, _ = find(name.split())
    assert "\b" not in command.get_help(click.Context(command, info_name=name))
