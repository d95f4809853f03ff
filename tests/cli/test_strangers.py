"""A stranger's suite, results folder and models.yml are data: no command starts a program of theirs outside
the jail, shows them a file of the machine, or sends a key, until the user says so."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from double.server import RawReply
from learn.runs import make_run
from probatio.authoring.new import STARTERS
from probatio.core.errors import Incomplete
from probatio.core.trust import Untrusted, forget_process, require_known, trust_folder

pytestmark = pytest.mark.usefixtures("new_user")

SECRET = "sk-secret-of-the-user-0123456789"
SUITE_TRUST = "probatio suite trust"


def edit(file: Path, **changes: Any) -> None:
    """Change keys of a YAML file."""
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **changes}))


def refused(done: Done) -> None:
    assert done.returncode == 2, done.output
    assert SUITE_TRUST in done.stderr and "Traceback" not in done.output


# ---- a grader outside the jail


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that a program of the stranger's leaves behind where nothing holds it."""
    return tmp_path / "started"


@pytest.fixture
def watch(tmp_path: Path, mark: Path) -> Path:
    """A stranger's daily suite whose grader wants to run outside the jail."""
    return write_watch(tmp_path / "theirs", mark)


def write_watch(folder: Path, mark: Path, isolation: str = "none") -> Path:
    shutil.copytree(STARTERS / "daily", folder)
    theirs = folder / "triage" / "grader.py"
    opened = f"try:\n    open({str(mark)!r}, 'w').close()\nexcept OSError:\n    pass\n"
    theirs.write_text(theirs.read_text().replace("import json", f"{opened}import json", 1))
    command = {"command": ["{python}", "{folder}/grader.py"], "isolation": isolation}
    edit(folder / "suite.yml", use_cases=[{"id": "triage", "grader": command}])
    return folder


def import_file(folder: Path) -> Path:
    case = yaml.safe_load((folder / "triage" / "cases.yml").read_text())["cases"][0]["id"]
    file = folder.parent / "answers.jsonl"
    file.write_text(json.dumps({"date": "2026-03-01", "model": "m", "case": case, "answer": "x"}) + "\n")
    return file


GRADING = {
    "suite check": ("suite", "check", "{suite}"),
    "suite rehearse": ("suite", "rehearse", "{suite}", "--days", "2", "--worse-from", "2", "--models", "1"),
    "daily --dry-run": ("daily", "--suite", "{suite}", "--dry-run"),
    "daily": ("daily", "--suite", "{suite}", "--model", "openai:m"),
    "daily import": ("daily", "import", "{file}", "--suite", "{suite}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", GRADING)
def test_a_strangers_grader_is_not_started_outside_the_jail(
    tmp_path: Path, watch: Path, mark: Path, command: str
) -> None:
    words = [
        word.format(suite=watch, file=import_file(watch) if "{file}" in word else "")
        for word in GRADING[command]
    ]
    with Double() as double:
        env = {"OPENAI_BASE_URL": double.base_url}
        refused(probatio(*words, cwd=tmp_path, env=env))
        assert not double.bodies
    assert not mark.exists()


@pytest.fixture
def watched(tmp_path: Path, mark: Path) -> Path:
    """A stranger's results with their suite inside, whose grader wants out of the jail since then."""
    results = tmp_path / "results"
    suite = write_watch(results / "suite", mark, isolation="jail")
    words = ("--days", "2", "--worse-from", "2", "--models", "1", "--results", results)
    done = probatio("suite", "rehearse", suite, *words, cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert not mark.exists()
    text = (suite / "suite.yml").read_text()
    (suite / "suite.yml").write_text(text.replace("isolation: jail", "isolation: none"))
    return results


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--fresh",), ("--workers", "1"), ("--sandbox", "auto")])
def test_verify_starts_no_strangers_grader_outside_the_jail(
    tmp_path: Path, watched: Path, mark: Path, more: tuple[str, ...]
) -> None:
    refused(probatio("verify", "--results", watched, *more, cwd=tmp_path))
    assert not mark.exists()


@pytest.mark.slow
def test_a_jail_on_the_command_line_holds_every_grader(tmp_path: Path, watched: Path, mark: Path) -> None:
    done = probatio("verify", "--results", watched, "--sandbox", "bubblewrap", cwd=tmp_path)
    assert done.returncode in (0, 1) and "Checked" in done.stdout, done.output
    checked = probatio("suite", "check", watched / "suite", "--sandbox", "bubblewrap", cwd=tmp_path)
    assert checked.returncode == 0, checked.output
    assert not mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("verdict",),
        ("verdict", "--regrade"),
        ("site", "build", "--out", "out"),
        ("study", "items"),
    ],
)
def test_reading_a_strangers_days_starts_nothing(
    tmp_path: Path, watched: Path, mark: Path, words: tuple[str, ...]
) -> None:
    probatio(*words, "--results", watched, cwd=tmp_path)
    assert not mark.exists()


@pytest.mark.slow
def test_once_trusted_the_grader_runs_and_one_changed_byte_asks_again(
    tmp_path: Path, watch: Path, mark: Path
) -> None:
    assert probatio("suite", "trust", watch, "--yes", cwd=tmp_path).returncode == 0
    checked = probatio("suite", "check", watch, cwd=tmp_path)
    assert checked.returncode == 0, checked.output
    assert mark.exists()
    mark.unlink()
    again = probatio("suite", "check", watch, cwd=tmp_path)
    assert again.returncode == 0 and mark.exists(), "running it leaves nothing that changes the folder"
    mark.unlink()
    grader = watch / "triage" / "grader.py"
    grader.write_text(grader.read_text() + "\n")
    refused(probatio("suite", "check", watch, cwd=tmp_path))
    assert not mark.exists()


@pytest.mark.slow
def test_a_trusted_grader_runs_in_every_worker(tmp_path: Path, watch: Path, mark: Path) -> None:
    assert probatio("suite", "trust", watch, "--yes", cwd=tmp_path).returncode == 0
    words = ("--days", "2", "--worse-from", "2", "--models", "1", "--results", tmp_path / "r")
    done = probatio("suite", "rehearse", watch, *words, cwd=tmp_path)
    assert done.returncode == 0 and mark.exists(), done.output
    mark.unlink()
    verified = probatio("verify", "--results", tmp_path / "r", "--workers", "2", cwd=tmp_path)
    assert verified.returncode == 0 and mark.exists(), verified.output


@pytest.mark.slow
def test_a_folder_that_suite_new_made_here_may_be_edited_without_a_question(
    tmp_path: Path, mark: Path
) -> None:
    mine = tmp_path / "mine"
    assert probatio("suite", "new", "--daily", mine).returncode == 0
    edit(
        mine / "suite.yml",
        use_cases=[
            {"id": "triage", "grader": {"command": ["{python}", "{folder}/grader.py"], "isolation": "none"}}
        ],
    )
    checked = probatio("suite", "check", mine, cwd=tmp_path)
    assert checked.returncode == 0, checked.output
    copied = shutil.copytree(mine, tmp_path / "copy")
    refused(probatio("suite", "check", copied, cwd=tmp_path))


@pytest.mark.slow
def test_a_folder_put_in_the_place_of_ones_own_is_a_strangers(tmp_path: Path, mark: Path) -> None:
    mine = tmp_path / "mine"
    assert probatio("suite", "new", "--daily", mine).returncode == 0
    shutil.rmtree(mine)
    write_watch(mine, mark)
    done = probatio("suite", "check", mine, cwd=tmp_path)
    refused(done)
    assert not mark.exists() and "another folder than the one" in done.stderr, done.output
    assert probatio("suite", "trust", mine, "--mine", "--yes").returncode == 0
    assert probatio("suite", "check", mine, cwd=tmp_path).returncode == 0 and mark.exists()


@pytest.mark.slow
def test_ones_own_folder_that_was_moved_says_why_it_asks_and_the_one_command(
    tmp_path: Path, mark: Path
) -> None:
    mine = write_watch(tmp_path / "mine", mark)
    assert probatio("suite", "trust", mine, "--mine", "--yes").returncode == 0
    moved = mine.rename(tmp_path / "moved")
    done = probatio("suite", "check", moved, cwd=tmp_path)
    refused(done)
    assert f"It was your own at {mine}" in done.stderr and f"suite trust {moved} --mine" in done.stderr
    assert probatio("suite", "trust", moved, "--mine", "--yes").returncode == 0
    assert probatio("suite", "check", moved, cwd=tmp_path).returncode == 0 and mark.exists()


VARYING = {"vary": ("suite", "vary"), "generate": ("suite", "generate", "--vary")}


@pytest.fixture
def both(tmp_path: Path, watch: Path) -> Path:
    """The stranger's daily suite, which is a language as well."""
    return shutil.copytree(STARTERS / "command", watch, dirs_exist_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("words", VARYING)
def test_what_is_made_from_a_strangers_folder_is_a_strangers(
    tmp_path: Path, both: Path, mark: Path, words: str
) -> None:
    done = probatio(*VARYING[words], both, "--count", "2", "--out", "fresh", cwd=tmp_path)
    assert done.returncode == 0, done.output
    refused(probatio("suite", "check", "fresh", cwd=tmp_path))
    assert not mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize("mine", [(), ("--mine",)])
def test_what_is_made_from_a_trusted_folder_asks_nothing(
    tmp_path: Path, both: Path, mark: Path, mine: tuple[str, ...]
) -> None:
    assert probatio("suite", "trust", both, "--yes", *mine).returncode == 0
    assert probatio("suite", "vary", both, "--count", "2", "--out", "fresh", cwd=tmp_path).returncode == 0
    checked = probatio("suite", "check", "fresh", cwd=tmp_path)
    assert SUITE_TRUST not in checked.output and mark.exists(), checked.output


@pytest.mark.slow
@pytest.mark.parametrize("words", VARYING)
@pytest.mark.parametrize("place", ["link", "triage/link", "linked"])
def test_a_copy_of_a_strangers_folder_follows_no_link(
    tmp_path: Path, both: Path, words: str, place: str
) -> None:
    secret = tmp_path / "private"
    secret.mkdir()
    (secret / "id_rsa").write_text(SECRET)
    (both / place).symlink_to(secret if place == "linked" else secret / "id_rsa")
    done = probatio(*VARYING[words], both, "--count", "2", "--out", "fresh", cwd=tmp_path)
    assert done.returncode == 2 and str(both / place) in done.stderr, done.output
    assert not (tmp_path / "fresh").exists()


def test_a_folder_without_end_is_not_copied(tmp_path: Path, both: Path) -> None:
    with (both / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    done = probatio("suite", "vary", both, "--count", "1", "--out", "fresh", cwd=tmp_path)
    assert done.returncode == 2 and "GB in it" in done.stderr, done.output
    assert not (tmp_path / "fresh").exists()


# ---- files and programs of the machine


SCRIPTS = {
    "tool": "#!{home}/bin/tool",
    "spaced": "#! \t{home}/bin/tool -x",
    "plain": "#!/usr/bin/env {home}/bin/tool",
    "split": "#!/usr/bin/env -S {home}/bin/tool",
    "joined": "#!/usr/bin/env -S{home}/bin/tool -x",
    "tabbed": "#!/usr/bin/env\t-S\t{home}/bin/tool",
    "spelt": "#!/usr/bin/env --split-string={home}/bin/tool",
    "quoted": "#!/usr/bin/env -S '{home}/bin/tool' 'x",
    "cleared": "#!/usr/bin/env -iS {home}/bin/tool",
    "assigned": "#!/usr/bin/env -S A=1 -u B {home}/bin/tool",
    "twice": "#!/usr/bin/env -S env -S {home}/bin/tool",
    "beside": "#!/usr/bin/env ./home/bin/tool",
    "chained": "#!{theirs}/split",
    "shell": "#!/usr/bin/env -S sh -c {home}/bin/tool",
}
"""First lines of scripts that lead to a program of the user."""

LANGUAGES: dict[str, dict[str, Any]] = {
    "a file by its path": {"reads": ["/etc/shadow"]},
    "a file of the user": {"reads": ["{home}/.ssh/id_rsa"]},
    "a folder of the user": {"reads": ["{home}/.ssh"]},
    "a file above the folder": {"reads": ["{folder}/../secret"]},
    "a link out of the folder": {"reads": ["{folder}/link"]},
    "a link to a folder": {"reads": ["{folder}/up/secret"]},
    "all of the folder with a link in it": {"reads": ["{folder}"]},
    "a word of a command": {"version": ["cat", "{folder}/../secret"]},
    "a word with an equals sign": {"version": ["awk", "-v", "x={folder}/../secret", "BEGIN {}"]},
    "a link as a word": {"version": ["cat", "{folder}/link"]},
    "keys in the folder": {"version": ["cat", "{folder}/.env"]},
    "a folder that holds the keys of where one is": {"reads": ["{folder}/sub"]},
    "a program by its path": {"version": ["{home}/bin/tool"]},
    **{
        f"a script whose interpreter is elsewhere: {name}": {"version": [f"{{folder}}/{name}"]}
        for name in SCRIPTS
    },
    "a program behind env": {"version": ["env", "{home}/bin/tool"]},
    "a program behind env and a variable": {"version": ["/usr/bin/env", "-u", "X", "A=1", "{home}/bin/tool"]},
    "a program behind env that splits": {"version": ["env", "-S", "A=1 {home}/bin/tool x"]},
    "an env of the user": {"version": ["{home}/bin/env", "sh"]},
    "a program in the words of a shell": {"version": ["sh", "-c", "echo 1;{home}/bin/tool"]},
    "a script behind env": {"version": ["env", "A=1", "{folder}/split"]},
    "a link to a program": {"version": ["{folder}/linked"]},
    "the host language": {"host": {"reads": ["/etc/shadow"]}},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The user's home folder, with a secret and a program."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id_rsa").write_text(SECRET)
    (folder / "bin").mkdir()
    tool = folder / "bin" / "tool"
    tool.write_text(f"#!/bin/sh\necho {SECRET}\n")
    tool.chmod(0o755)
    return folder


def write_language(folder: Path, home: Path, asks: dict[str, Any]) -> Path:
    shutil.copytree(STARTERS / "command", folder)
    (folder.parent / "secret").write_text(SECRET)
    (folder / "link").symlink_to("../secret")
    (folder / "up").symlink_to("..")
    (folder / "linked").symlink_to(home / "bin" / "tool")
    (folder / ".env").write_text(f"GITHUB_TOKEN={SECRET}\n")
    (folder / "sub").mkdir()
    (folder / "sub" / ".env").write_text(f"GITHUB_TOKEN={SECRET}\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(f"url = https://{SECRET}@host/\n")
    shutil.copy(home / "bin" / "tool", home / "bin" / "env")
    for name, line in SCRIPTS.items():
        (folder / name).write_text(line.format(home=home, theirs=folder) + "\n")
        (folder / name).chmod(0o755)
    about = yaml.safe_load((folder / "language.yml").read_text())
    given = json.loads(json.dumps(asks).replace("{home}", str(home)))
    about["host"]["commands"] |= given.pop("host", {})
    about["commands"] |= given
    (folder / "language.yml").write_text(yaml.safe_dump(about))
    return folder


@pytest.mark.parametrize("case", LANGUAGES)
@pytest.mark.parametrize("words", [("suite", "check"), ("trial", "--dry-run", "--suite")])
def test_files_and_programs_of_the_machine_need_the_users_word(
    tmp_path: Path, home: Path, case: str, words: tuple[str, ...]
) -> None:
    theirs = write_language(tmp_path / "theirs", home, LANGUAGES[case])
    at = theirs / "sub" if "where one is" in case else tmp_path
    done = probatio(*words, theirs, cwd=at)
    refused(done)
    assert SECRET not in done.output


NEVER_PART: dict[str, dict[str, Any]] = {
    "git's own files": {"reads": ["{folder}/.git/config"]},
    "git's own folder": {"reads": ["{folder}/.git"]},
    "a word of a command": {"version": ["awk", "-v", "x={folder}/.git/config", "BEGIN {}"]},
    "a program": {"version": ["{folder}/.git/code"]},
    "a program behind env": {"version": ["env", "-S", "A=1 {folder}/.git/code"]},
    "the words of a shell": {"version": ["sh", "-c", "cd {folder}; ./.git/code"]},
    "the words of a shell, by its path": {"version": ["sh", "-c", ". {folder}/results/code"]},
    "a first line": {"version": ["{folder}/first"]},
    "a link to a file": {"reads": ["{folder}/to_file"]},
    "a link to a folder": {"reads": ["{folder}/to_folder/code"]},
    "a way around": {"reads": ["{folder}/tasks/../.git/code"]},
    "a variable": {"env": {"AWKPATH": "/usr/share/awk:{folder}/.git"}},
    "our own results": {"reads": ["{folder}/results/code"]},
    "our own mark": {"reads": ["{folder}/.probatio"]},
    "the host language": {"host": {"reads": ["{folder}/.git/code"]}},
}
"""What a suite names that no digest of it covers."""


@pytest.mark.parametrize("case", NEVER_PART)
@pytest.mark.parametrize("mine", [True, False])
def test_what_no_digest_covers_is_not_named_by_a_trusted_suite(
    tmp_path: Path, home: Path, case: str, mine: bool
) -> None:
    theirs = shutil.copytree(STARTERS / "command", tmp_path / "theirs")
    assert trust_folder(theirs, mine=mine)
    for folder in (".git", "results", ".probatio"):
        (theirs / folder).mkdir(exist_ok=True)
        (theirs / folder / "config").write_text("")
        (theirs / folder / "code").write_text("#!/bin/sh\n")
        (theirs / folder / "code").chmod(0o755)
    (theirs / "first").write_text(f"#!/usr/bin/env -S {theirs}/.git/code\n")
    (theirs / "first").chmod(0o755)
    (theirs / "to_file").symlink_to(".git/code")
    (theirs / "to_folder").symlink_to("results")
    about = yaml.safe_load((theirs / "language.yml").read_text())
    asks = dict(NEVER_PART[case])
    about["host"]["commands"] |= asks.pop("host", {})
    about["commands"] |= asks
    (theirs / "language.yml").write_text(yaml.safe_dump(about))
    if not mine and not case.startswith("a link"):
        for link in ("to_file", "to_folder"):
            (theirs / link).unlink()
        trust_folder(theirs)
    for words in (("suite", "check"), ("trial", "--dry-run", "--suite"), ("suite", "trust")):
        done = probatio(*words, theirs, cwd=tmp_path)
        assert done.returncode == 2 and "never part of a suite" in done.stderr, done.output


def test_a_link_to_what_no_digest_covers_can_not_be_trusted(tmp_path: Path, watch: Path, mark: Path) -> None:
    (watch / ".git").mkdir()
    (watch / ".git" / "helper.py").write_text("")
    (watch / "triage" / "helper.py").symlink_to("../.git/helper.py")
    done = probatio("suite", "trust", watch, "--yes", cwd=tmp_path)
    assert done.returncode == 2 and str(watch / "triage" / "helper.py") in done.stderr, done.output


@pytest.mark.slow
@pytest.mark.parametrize("place", ["triage/.git", "triage/.git/hooks", ".git/../triage/results"])
def test_code_in_any_folder_but_the_left_out_ones_asks_again_when_it_changes(
    tmp_path: Path, watch: Path, mark: Path, place: str
) -> None:
    (watch / ".git").mkdir()
    folder = watch / place
    folder.mkdir(parents=True)
    grader = (watch / "triage" / "grader.py").read_text()
    (folder / "code.py").write_text("")
    (watch / "triage" / "grader.py").write_text(grader.replace(f"open({str(mark)!r}, 'w').close()", "pass"))
    with (watch / "triage" / "grader.py").open("a") as file:
        file.write(f"\nexec(open({str(folder / 'code.py')!r}).read())\n")
    assert probatio("suite", "trust", watch, "--yes", cwd=tmp_path).returncode == 0
    (folder / "code.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    refused(probatio("suite", "check", watch, cwd=tmp_path))
    assert not mark.exists()


@pytest.mark.slow
def test_working_in_a_trusted_suite_keeps_its_trust(tmp_path: Path, watch: Path, mark: Path) -> None:
    assert probatio("suite", "trust", watch, "--yes").returncode == 0
    words = ("suite", "rehearse", ".", "--days", "2", "--worse-from", "2", "--models", "1")
    for days in ("results", "results/again"):
        done = probatio(*words, "--results", days, cwd=watch)
        assert done.returncode == 0, done.output
    assert probatio("suite", "check", ".", cwd=watch).returncode == 0 and mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "version", [["cat", "{folder}/.env"], ["cat", "{folder}/link"], ["sh", "-c", "cat {folder}/.env"]]
)
def test_no_key_gets_into_a_record_through_the_version_of_a_language(
    tmp_path: Path, home: Path, version: list[str]
) -> None:
    theirs = write_language(tmp_path / "theirs", home, {"version": version, "reads": ["{folder}"]})
    with Double() as double:
        env = {"OPENAI_BASE_URL": double.base_url}
        words = ("trial", "--suite", theirs, "--model", "openai:m", "--limit", "1", "--run-id", "r")
        refused(probatio(*words, cwd=theirs, env=env))
    assert not any(SECRET in path.read_text() for path in tmp_path.rglob("run.json"))


@pytest.mark.slow
def test_the_whole_folder_is_shown_without_what_is_the_users(tmp_path: Path, home: Path) -> None:
    """`reads: {folder}` stands for the language's files; .env and .git beside them are not among them."""
    theirs = write_language(
        tmp_path / "theirs",
        home,
        {"reads": ["{folder}"], "version": ["sh", "-c", "cd {folder}; cat .env .gi[t]/config; echo 1.0"]},
    )
    for link in ("link", "up", "linked", *SCRIPTS):
        (theirs / link).unlink()
    shutil.rmtree(theirs / "sub")
    with Double() as double:
        env = {"OPENAI_BASE_URL": double.base_url}
        words = ("trial", "--suite", theirs, "--model", "openai:m", "--limit", "1", "--run-id", "r")
        done = probatio(*words, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.output
    assert SECRET not in (tmp_path / "results" / "r" / "run.json").read_text()


GRADERS = {
    "a file": {"command": ["{python}", "{folder}/grader.py"], "reads": ["/etc/shadow"]},
    "above the suite": {"command": ["{python}", "{folder}/grader.py"], "reads": ["{folder}/../../secret"]},
    "a link": {"command": ["{python}", "{folder}/grader.py"], "reads": ["{folder}/link"]},
    "a program": {"command": ["{home}/bin/tool"]},
}


@pytest.mark.parametrize("case", GRADERS)
def test_a_grader_in_the_jail_sees_no_file_of_the_machine(tmp_path: Path, home: Path, case: str) -> None:
    theirs = shutil.copytree(STARTERS / "daily", tmp_path / "theirs")
    (tmp_path / "secret").write_text(SECRET)
    (theirs / "triage" / "link").symlink_to(home / ".ssh" / "id_rsa")
    grader = json.loads(json.dumps(GRADERS[case]).replace("{home}", str(home)))
    edit(theirs / "suite.yml", use_cases=[{"id": "triage", "grader": grader}])
    done = probatio("suite", "check", theirs, cwd=tmp_path)
    refused(done)
    assert SECRET not in done.output


@pytest.mark.slow
@pytest.mark.parametrize("linked", [False, True])
def test_a_suite_that_stays_in_its_folder_needs_no_word(tmp_path: Path, linked: bool) -> None:
    (tmp_path / "real").mkdir()
    theirs = shutil.copytree(STARTERS / "daily", tmp_path / "real" / "theirs")
    (theirs / "shared").mkdir()
    (theirs / "shared" / "words.txt").write_text("x")
    grader = {
        "command": ["{python}", "{folder}/grader.py"],
        "reads": ["{folder}/../shared/words.txt", "{folder}/../shared"],
    }
    edit(theirs / "suite.yml", use_cases=[{"id": "triage", "grader": grader}])
    at = theirs
    if linked:
        at = tmp_path / "link"
        at.symlink_to(theirs)
    done = probatio("suite", "trust", at, "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["asks"]) == (0, []), done.output
    language = shutil.copytree(STARTERS / "command", tmp_path / "language")
    checked = probatio("suite", "check", language, cwd=tmp_path)
    assert checked.returncode == 0, checked.output


# ---- records


AWK = 'BEGIN {{ print "x" > "{mark}" }}'


def begin_run(tmp_path: Path, double: Double, mark: Path, suite: Path) -> Path:
    """A run with one answer that is left to be asked: a program that leaves a file behind."""
    double.reply = lambda body: f"```awk\n{AWK.format(mark=mark)}\n```"
    (tmp_path / "config").mkdir(exist_ok=True)
    models = {"models": [{"id": "m", "name": "v/m", "provider": "mine", "base_url": double.base_url}]}
    (tmp_path / "config" / "models.yml").write_text(json.dumps(models))
    words = ("--task", "write_evens", "--n-shot", "0", "--context", "brief", "--run-id", "r")
    done = probatio("trial", "--suite", suite, *words, cwd=tmp_path)
    assert done.returncode == 0, done.output
    run = tmp_path / "results" / "r"
    for name in ("raw_responses.jsonl", "graded_results.jsonl"):
        (run / name).unlink()
    double.bodies.clear()
    double.headers.clear()
    return run


def forge(run: Path, **changes: Any) -> None:
    record = json.loads((run / "run.json").read_text())
    model = changes.pop("model", {})
    record |= changes
    record["models"][0] |= model
    (run / "run.json").write_text(json.dumps(record))


@pytest.fixture
def language(tmp_path: Path) -> Path:
    return shutil.copytree(STARTERS / "command", tmp_path / "language")


@pytest.mark.slow
@pytest.mark.parametrize("record", [{"sandbox": "none"}, {"sandbox": "none", "isolation": "none"}])
def test_a_record_does_not_say_in_which_jail_a_run_goes_on(
    tmp_path: Path, mark: Path, language: Path, record: dict[str, str]
) -> None:
    with Double() as double:
        run = begin_run(tmp_path, double, mark, language)
        forge(run, **record)
        done = probatio("trial", "--resume", "r", cwd=tmp_path)
        assert done.returncode == 0, done.output
        assert len(double.bodies) == 1
    assert not mark.exists(), "the model's program ran outside the jail"


@pytest.mark.slow
def test_the_command_line_says_it(tmp_path: Path, mark: Path, language: Path) -> None:
    with Double() as double:
        begin_run(tmp_path, double, mark, language)
        assert probatio("trial", "--resume", "r", "--sandbox", "none", cwd=tmp_path).returncode == 0
    assert mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize("key", ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENROUTER_API_KEY", "HOME"])
def test_a_record_sends_no_variable_to_an_address_of_its_own(
    tmp_path: Path, mark: Path, language: Path, key: str
) -> None:
    with Double() as own, Double() as thief:
        run = begin_run(tmp_path, own, mark, language)
        forge(run, model={"base_url": thief.base_url, "api_key_env": key})
        done = probatio("trial", "--resume", "r", cwd=tmp_path, env={key: SECRET})
        assert done.returncode == 0, done.output
        assert not thief.bodies and not thief.headers
        assert len(own.bodies) == 1 and SECRET not in json.dumps(own.headers)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"id": "other"}, "has no model `other`"),
        ({"name": "v/other"}, "has the name `v/m`"),
        ({"provider": "openai"}, "has the provider `mine`"),
    ],
)
def test_a_record_names_no_model_that_the_user_does_not_have(
    tmp_path: Path, mark: Path, language: Path, changes: dict[str, str], sentence: str
) -> None:
    with Double() as own, Double() as thief:
        run = begin_run(tmp_path, own, mark, language)
        more = {"plan": {**json.loads((run / "run.json").read_text())["plan"], "models": ["other"]}}
        forge(run, **(more if "id" in changes else {}), model={**changes, "base_url": thief.base_url})
        done = probatio("trial", "--resume", "r", cwd=tmp_path, env={"OPENAI_API_KEY": SECRET})
        assert done.returncode == 2 and sentence in done.stderr, done.output
        assert not thief.bodies and not own.bodies


@pytest.mark.slow
def test_a_run_of_another_server_of_the_users_own_goes_on(tmp_path: Path, mark: Path, language: Path) -> None:
    with Double() as own, Double() as moved:
        begin_run(tmp_path, own, mark, language)
        config = tmp_path / "config" / "models.yml"
        config.write_text(config.read_text().replace(own.base_url, moved.base_url))
        assert probatio("trial", "--resume", "r", cwd=tmp_path).returncode == 0
        assert not own.bodies and len(moved.bodies) == 1


# ---- suites that a record names


@pytest.mark.slow
@pytest.mark.parametrize("words", [("grade", "r"), ("trial", "--resume", "r")])
def test_a_suite_elsewhere_is_read_for_a_record_only_if_it_is_known_here(
    tmp_path: Path, mark: Path, language: Path, words: tuple[str, ...], new_user: Callable[[], None]
) -> None:
    with Double() as double:
        begin_run(tmp_path, double, mark, language)
        assert probatio("trial", "--resume", "r", cwd=tmp_path).returncode == 0, "it was begun here"
        new_user()
        done = probatio(*words, cwd=tmp_path)
        refused(done)
        assert str(language) in done.stderr
        assert probatio("suite", "trust", "results", "--yes", cwd=tmp_path).returncode == 0
        assert probatio(*words, cwd=tmp_path).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("place", ["{results}/suite", "{results}/../results/suite"])
def test_a_suite_inside_the_results_is_read_without_a_word(
    tmp_path: Path, mark: Path, language: Path, place: str, new_user: Callable[[], None]
) -> None:
    with Double() as double:
        run = begin_run(tmp_path, double, mark, language)
        assert probatio("trial", "--resume", "r", cwd=tmp_path).returncode == 0
    shutil.move(language, tmp_path / "results" / "suite")
    forge(run, suite=place.format(results=tmp_path / "results"))
    new_user()
    done = probatio("grade", "r", cwd=tmp_path)
    assert done.returncode == 0, done.output


@pytest.mark.slow
@pytest.mark.parametrize("named", ["faber/../../x", "../builtin", "nothing", ".."])
def test_the_name_of_a_built_in_suite_is_a_name(
    tmp_path: Path, mark: Path, language: Path, named: str
) -> None:
    with Double() as double:
        run = begin_run(tmp_path, double, mark, language)
        assert probatio("trial", "--resume", "r", cwd=tmp_path).returncode == 0
    forge(run, suite=named)
    done = probatio("grade", "r", cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.output, done.output


@pytest.mark.slow
def test_a_study_goes_on_without_a_suite_that_is_not_known(
    tmp_path: Path, mark: Path, language: Path, new_user: Callable[[], None]
) -> None:
    with Double() as double:
        begin_run(tmp_path, double, mark, language)
        assert probatio("trial", "--resume", "r", cwd=tmp_path).returncode == 0
    new_user()
    done = probatio("study", "r", cwd=tmp_path)
    assert done.returncode == 0 and SUITE_TRUST in done.output, done.output
    built = probatio("site", "build", "--out", "out", cwd=tmp_path)
    assert built.returncode == 0 and SUITE_TRUST in built.stderr, built.output
    exported = probatio("study", "export", "r", "--junit", "out.xml", cwd=tmp_path)
    assert exported.returncode == 0, exported.output


@pytest.mark.slow
def test_verify_takes_the_suite_from_the_command_line(
    tmp_path: Path, mark: Path, new_user: Callable[[], None]
) -> None:
    suite = write_watch(tmp_path / "theirs", mark, isolation="jail")
    words = ("--days", "2", "--worse-from", "2", "--models", "1", "--results", tmp_path / "r")
    assert probatio("suite", "rehearse", suite, *words, cwd=tmp_path).returncode == 0
    new_user()
    refused(probatio("verify", "--results", tmp_path / "r", cwd=tmp_path))
    done = probatio("verify", "--results", tmp_path / "r", "--suite", suite, cwd=tmp_path)
    assert done.returncode == 0, done.output
    quick = probatio("verify", "--results", tmp_path / "r", "--quick", cwd=tmp_path)
    assert quick.returncode == 0, quick.output


@pytest.mark.slow
def test_a_clone_with_its_suite_beside_its_results_asks_for_no_word(
    tmp_path: Path, mark: Path, new_user: Callable[[], None]
) -> None:
    made = tmp_path / "made"
    suite = write_watch(made / "wd", mark, isolation="jail")
    words = ("--days", "2", "--worse-from", "2", "--models", "1", "--results", "results")
    assert probatio("suite", "rehearse", "wd", *words, cwd=made).returncode == 0
    (made / ".git").mkdir()
    clone = shutil.copytree(made, tmp_path / "clone")
    shutil.rmtree(made)
    new_user()
    for command in ("verdict", "verify"):
        done = probatio(command, cwd=clone)
        assert done.returncode in (0, 1) and "asks to" not in done.output, done.output
    suite = clone / "wd"
    (suite / "suite.yml").write_text(
        (suite / "suite.yml").read_text().replace("isolation: jail", "isolation: none")
    )
    refused(probatio("verify", cwd=clone))
    assert not mark.exists()


def test_a_record_names_nothing_outside_of_its_clone(tmp_path: Path) -> None:
    results = tmp_path / "clone" / "results"
    for folder in (results, tmp_path / "clone" / ".git" / "wd", tmp_path / "theirs"):
        folder.mkdir(parents=True)
    (tmp_path / "clone" / "link").symlink_to(tmp_path / "theirs")
    for named in ("../../theirs", "../link", "../.git/wd"):
        with pytest.raises(Untrusted):
            require_known(results / named, results)


# ---- the judge of a suite


@pytest.mark.slow
@pytest.mark.parametrize(
    "judge",
    [
        {"api_key_env": "GITHUB_TOKEN"},
        {"api_key_env": "OPENAI_API_KEY", "provider": "openai"},
        {"api_key_env": "GITHUB_TOKEN", "provider": "mine"},
        {"provider": "mine"},
    ],
)
@pytest.mark.parametrize("command", [("daily", "--model", "m"), ("daily", "calibrate")])
def test_a_suite_names_no_address_and_no_key_for_its_judge(
    tmp_path: Path, judge: dict[str, str], command: tuple[str, ...]
) -> None:
    theirs = judged_watch(tmp_path / "theirs")
    with Double() as own, Double() as thief:
        edit(theirs / "suite.yml", judge={"name": "j-2026-01-01", "base_url": thief.base_url, **judge})
        models = {"models": [{"id": "m", "name": "v/m", "provider": "mine", "base_url": own.base_url}]}
        (tmp_path / "models.yml").write_text(json.dumps(models))
        env = {"GITHUB_TOKEN": SECRET, "OPENAI_API_KEY": SECRET}
        words = (*command, "--suite", theirs, "--config", tmp_path / "models.yml")
        refused(probatio(*words, cwd=tmp_path, env=env))
        assert not thief.bodies and not own.bodies


def judged_watch(folder: Path) -> Path:
    shutil.copytree(STARTERS / "daily", folder)
    rubric = {"criteria": [{"id": "tone", "question": "?", "anchors": {n: f"mark {n}" for n in range(1, 6)}}]}
    (folder / "triage" / "rubric.yml").write_text(yaml.safe_dump(rubric))
    case = yaml.safe_load((folder / "triage" / "cases.yml").read_text())["cases"][0]["id"]
    items = [
        {"id": f"i{n}", "use_case": "triage", "case": case, "answer": "x", "marks": {"tone": 3}}
        for n in range(12)
    ]
    (folder / "calibration.yml").write_text(yaml.safe_dump({"items": items}))
    edit(folder / "suite.yml", use_cases=[{"id": "triage"}])
    return folder


# ---- a models.yml that was found, not named


@pytest.mark.parametrize("words", [("trial", "--limit", "1"), ("daily",), ("models", "find", "x")])
def test_a_models_file_of_the_folder_sends_no_variable_to_its_own_address(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    with Double() as thief:
        entry = {"id": "m", "name": "v/m", "provider": "mine", "base_url": thief.base_url}
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "models.yml").write_text(
            json.dumps({"models": [{**entry, "api_key_env": "GITHUB_TOKEN"}]})
        )
        more = ("--provider", "mine") if words[0] == "models" else ("--model", "m")
        refused(probatio(*words, *more, cwd=tmp_path, env={"GITHUB_TOKEN": SECRET}))
        assert not thief.bodies and SECRET not in json.dumps(thief.headers)


def test_a_local_server_without_a_key_needs_no_word(tmp_path: Path) -> None:
    with Double() as own:
        (tmp_path / "config").mkdir()
        entry = {"id": "m", "name": "v/m", "provider": "mine", "base_url": own.base_url}
        (tmp_path / "config" / "models.yml").write_text(json.dumps({"models": [entry]}))
        done = probatio("trial", "--limit", "1", "--sandbox", "none", cwd=tmp_path)
        assert done.returncode == 0 and own.bodies, done.output


@pytest.mark.parametrize("how", ["--config", "--allow-host", "suite trust", "--mine", "PROBATIO_TRUST"])
def test_the_user_gives_the_word(tmp_path: Path, how: str) -> None:
    with Double() as own:
        entry = {"id": "m", "name": "v/m", "provider": "mine", "base_url": own.base_url}
        (tmp_path / "config").mkdir()
        config = tmp_path / "config" / "models.yml"
        config.write_text(json.dumps({"models": [{**entry, "api_key_env": "GPU_KEY"}]}))
        more: dict[str, tuple[object, ...]] = {
            "--config": ("--config", config),
            "--allow-host": ("--allow-host", "127.0.0.1"),
        }
        env = {"GPU_KEY": SECRET}
        if how == "suite trust":
            assert probatio("suite", "trust", ".", "--yes", cwd=tmp_path).returncode == 0
        elif how == "--mine":
            assert probatio("suite", "trust", ".", "--mine", "--yes", cwd=tmp_path).returncode == 0
        elif how == "PROBATIO_TRUST":
            env["PROBATIO_TRUST"] = str(tmp_path / "trust.json")
            (tmp_path / "trust.json").write_text(json.dumps({"folders": [{"path": str(tmp_path)}]}))
        done = probatio(
            "trial", "--limit", "1", "--sandbox", "none", *more.get(how, ()), cwd=tmp_path, env=env
        )
        assert done.returncode == 0, done.output
        assert SECRET in json.dumps(own.headers)


def test_another_address_for_the_same_key_is_asked_about_again(tmp_path: Path) -> None:
    with Double() as own, Double() as thief:
        entry = {"id": "m", "name": "v/m", "provider": "mine", "api_key_env": "GPU_KEY"}
        (tmp_path / "config").mkdir()
        config = tmp_path / "config" / "models.yml"
        config.write_text(json.dumps({"models": [{**entry, "base_url": own.base_url}]}))
        assert probatio("suite", "trust", ".", "--yes", cwd=tmp_path).returncode == 0
        config.write_text(json.dumps({"models": [{**entry, "base_url": thief.base_url}]}))
        refused(probatio("trial", "--limit", "1", cwd=tmp_path, env={"GPU_KEY": SECRET}))
        assert not thief.bodies


@pytest.mark.parametrize(
    "rest",
    [
        {"alerts": [{"url": "json://HOST/hook"}]},
        {"alerts": [{"url": "json://HOST/${GITHUB_TOKEN}"}]},
        {"daily": {"models": ["m"], "heartbeat": "http://HOST/beat"}},
        {"daily": {"models": ["m"], "heartbeat": {"url": "http://HOST/a", "fail": "http://HOST/b"}}},
    ],
)
@pytest.mark.parametrize("words", [("daily", "--use-case", "math_*"), ("daily", "alerts", "test")])
def test_a_models_file_of_the_folder_posts_nowhere(
    tmp_path: Path, rest: dict[str, Any], words: tuple[str, ...]
) -> None:
    if words[1] == "alerts" and "alerts" not in rest:
        pytest.skip("a heartbeat is no channel")
    with Double() as thief:
        entry = {"id": "m", "name": "v/m", "provider": "mine", "base_url": thief.base_url}
        (tmp_path / "config").mkdir()
        text = json.dumps({"models": [entry], **rest}).replace("HOST", f"127.0.0.1:{thief.port}")
        (tmp_path / "config" / "models.yml").write_text(text)
        done = probatio(*words, cwd=tmp_path, env={"GITHUB_TOKEN": SECRET})
        refused(done)
        assert SECRET not in done.output
        assert not thief.bodies and not thief.headers and not thief.gets


ANALYSTS: dict[str, tuple[dict[str, str], str]] = {
    "an address": ({"provider": "mine", "base_url": "{thief}"}, ""),
    "an address and a key": (
        {"provider": "mine", "base_url": "{thief}", "api_key_env": "GITHUB_TOKEN"},
        "",
    ),
    "an address in .env": ({"provider": "openai"}, "OPENAI_BASE_URL={thief}\nOPENAI_API_KEY=x\n"),
    "a key": ({"provider": "openai", "api_key_env": "GITHUB_TOKEN"}, "OPENAI_BASE_URL={thief}\n"),
}
"""What a stranger's folder says about its analyst: in models.yml, and in .env."""


@pytest.fixture
def studied(tmp_path: Path) -> Path:
    return make_run(tmp_path, 4, lambda key: True, "results/r")


def write_analyst(folder: Path, thief: Double, case: str) -> Path:
    entry, dotenv = ANALYSTS[case]
    models = {"models": [{"id": "a", "name": "v/a", **entry}], "analyst": "a"}
    (folder / "config").mkdir()
    config = folder / "config" / "models.yml"
    config.write_text(json.dumps(models).replace("{thief}", thief.base_url))
    (folder / ".env").write_text(dotenv.replace("{thief}", thief.base_url))
    return config


@pytest.mark.parametrize("case", ANALYSTS)
def test_studying_sends_nothing_to_the_analyst_of_a_folder(tmp_path: Path, studied: Path, case: str) -> None:
    with Double() as thief:
        write_analyst(tmp_path, thief, case)
        env = {"GITHUB_TOKEN": SECRET}
        for words in ((), ("--json",), ("--out", "out"), ("--no-narrative",), ("--side-by-side",)):
            probatio("study", "r", *words, cwd=tmp_path, env=env)
        assert not thief.bodies and not thief.headers
        plain = probatio("study", "r", cwd=tmp_path, env=env)
        assert plain.returncode == 0 and SUITE_TRUST not in plain.output, plain.output
        asked = probatio("study", "r", "--narrative", cwd=tmp_path, env=env)
        refused(asked)
        assert "--config" in asked.stderr and SECRET not in asked.output
        assert not thief.bodies and not thief.headers


@pytest.mark.parametrize("how", ["--config", "--config --narrative", "suite trust", "--mine"])
def test_the_users_own_analyst_writes_when_it_is_asked_for(tmp_path: Path, studied: Path, how: str) -> None:
    with Double(reply=lambda body: "Prose.") as own:
        config = write_analyst(tmp_path, own, "an address and a key")
        env = {"GITHUB_TOKEN": SECRET}
        words: tuple[object, ...] = ("--narrative",) if "config" not in how or " " in how else ()
        if how.startswith("--config"):
            words = (*words, "--config", config)
        else:
            mine = ("--mine",) if how == "--mine" else ()
            assert probatio("suite", "trust", ".", "--yes", *mine, cwd=tmp_path).returncode == 0
        done = probatio("study", "r", *words, cwd=tmp_path, env=env)
        assert done.returncode == 0 and len(own.bodies) == 1, done.output
    assert "> Prose." in (studied / "analysis.md").read_text()


DEAR = {"id": "m", "name": "v/m", "provider": "mine", "cost_per_1m_input": 5e4, "cost_per_1m_output": 5e4}
WORDS = ("trial", "--limit", "4", "--sandbox", "none", "--model", "m")
DAY = ("daily", "--use-case", "structured_extraction", "--model", "m", "--no-route-check")


def write_models(folder: Path, address: str, **rest: Any) -> Path:
    (folder / "config").mkdir(exist_ok=True)
    file = folder / "config" / "models.yml"
    file.write_text(yaml.safe_dump({"models": [{**DEAR, "base_url": address}], **rest}))
    return file


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ({"confirm_above": 1e9}, WORDS),
        ({"confirm_above": 1e9}, DAY),
        ({"confirm_above": float("inf")}, WORDS),
        ({"confirm_above": float("nan")}, WORDS),
        ({"daily": {"max_month_cost": 1e9}}, DAY),
        ({"models": [{**DEAR, "cost_per_1m_input": -1e6}]}, WORDS),
        ({"models": [{**DEAR, "cost_per_1m_input": float("nan")}]}, WORDS),
        ({"trials": {"timeouts": {"wait": "9" * 400}}}, WORDS),
    ],
)
def test_a_models_file_of_the_folder_raises_no_limit(
    tmp_path: Path, rest: dict[str, Any], words: tuple[str, ...]
) -> None:
    with Double() as double:
        models = [{**each, "base_url": double.base_url} for each in rest.get("models", [DEAR])]
        write_models(tmp_path, double.base_url, **{**rest, "models": models})
        done = probatio(*words, cwd=tmp_path)
        assert done.returncode == 2 and "Traceback" not in done.output, done.output
        assert not double.bodies


def test_a_limit_holds_once_the_user_has_said_so_and_a_lower_one_at_once(tmp_path: Path) -> None:
    with Double() as double:
        file = write_models(tmp_path, double.base_url, confirm_above=1e4, trials={"timeouts": {"wait": "2h"}})
        refusal = probatio(*WORDS, cwd=tmp_path)
        assert refusal.returncode == 2 and "more than $1.00" in refusal.stderr, refusal.output
        told = refusal.stdout.splitlines()[0]
        assert "raise what is spent without a question to $10,000.00 a run (`confirm_above`)" in told
        assert "raise `trials.timeouts.wait` to 7200 s" in told and SUITE_TRUST in told
        assert probatio(*WORDS, "--config", file, cwd=tmp_path).returncode == 0
        assert probatio("suite", "trust", ".", "--yes", cwd=tmp_path).returncode == 0
        done = probatio(*WORDS, cwd=tmp_path)
        assert done.returncode == 0 and SUITE_TRUST not in done.output, done.output
        write_models(tmp_path, double.base_url, confirm_above=2e4)
        assert probatio(*WORDS, cwd=tmp_path).returncode == 2, "another limit is asked about again"
        asked = len(double.bodies)
        write_models(tmp_path, double.base_url, confirm_above=0.0, trials={"timeouts": {"wait": 1}})
        lower = probatio(*WORDS, cwd=tmp_path)
        assert lower.returncode == 2 and SUITE_TRUST not in lower.output and len(double.bodies) == asked


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The weights that llama.cpp was given."""
    from probatio.ask.embedded import server, speed

    given: list[str] = []

    def serve(weights: Any, *_: Any, **__: Any) -> None:
        given.append(Path(getattr(weights, "path", weights)).name)
        raise Incomplete("Loaded.")

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(speed, "serve", serve)
    return given


WEIGHTS = {"id": "m", "name": "gguf:evil.gguf", "provider": "embedded"}


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ({"models": [WEIGHTS]}, ("trial", "--limit", "1", "--model", "m")),
        ({"models": [WEIGHTS]}, ("trial", "--limit", "30")),
        ({"models": [WEIGHTS]}, ("daily", "--use-case", "math_*")),
        ({"daily": {"models": ["gguf:evil.gguf"]}}, ("daily", "--use-case", "math_*")),
        ({"daily": {"judge": {"name": "gguf:evil.gguf", "provider": "embedded"}}}, ("daily", "calibrate")),
    ],
)
def test_weights_that_a_folder_names_are_not_loaded(
    tmp_path: Path, loaded: list[str], rest: dict[str, Any], words: tuple[str, ...]
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "evil.gguf").write_bytes(b"GGUF")
    (tmp_path / "config" / "models.yml").write_text(yaml.safe_dump({"models": [WEIGHTS], **rest}))
    refused(probatio(*words, cwd=tmp_path))
    assert not loaded


def test_weights_that_a_suite_names_for_its_judge_are_not_loaded(tmp_path: Path, loaded: list[str]) -> None:
    (tmp_path / "evil.gguf").write_bytes(b"GGUF")
    suite = judged_watch(tmp_path / "theirs")
    edit(suite / "suite.yml", judge={"name": "gguf:evil.gguf", "provider": "embedded"})
    refused(probatio("daily", "calibrate", "--suite", suite, cwd=tmp_path))
    assert not loaded
    assert probatio("suite", "trust", suite, "--yes", cwd=tmp_path).returncode == 0
    probatio("daily", "calibrate", "--suite", suite, cwd=tmp_path)
    assert loaded


@pytest.mark.parametrize("how", ["--model", "--config", "suite trust", "--mine"])
def test_weights_that_the_user_names_are_loaded(tmp_path: Path, loaded: list[str], how: str) -> None:
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "models.yml"
    weights = tmp_path / "evil.gguf"
    weights.write_bytes(b"GGUF")
    file.write_text(yaml.safe_dump({"models": [WEIGHTS]}))
    words: tuple[object, ...] = ("trial", "--limit", "1", "--sandbox", "none")
    if how == "--model":
        words += ("--model", f"gguf:{weights}")
    elif how == "--config":
        words += ("--config", file)
    else:
        more = ("--mine",) if how == "--mine" else ()
        assert probatio("suite", "trust", ".", "--yes", *more, cwd=tmp_path).returncode == 0
    done = probatio(*words, cwd=tmp_path)
    assert loaded == ["evil.gguf"] and SUITE_TRUST not in done.output, done.output
    if how == "suite trust":
        weights.write_bytes(b"GGUF other")
        refused(probatio(*words, cwd=tmp_path))


CATALOGUE = RawReply(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode())


def add_model(folder: Path, own: Double) -> Path:
    """`models add` writes config/models.yml, with a server and a key of the user's own."""
    own.catalogue = lambda path: CATALOGUE if path == "/models" else None
    given = ("--base-url", own.base_url, "--provider", "mine", "--api-key-env", "GPU_KEY")
    done = probatio("models", "add", "m", *given, cwd=folder, env={"GPU_KEY": SECRET})
    assert done.returncode == 0, done.output
    return folder / "config" / "models.yml"


def test_a_models_file_that_models_add_wrote_asks_nothing(
    tmp_path: Path,
) -> None:
    with Double() as own, Double() as other:
        file = add_model(tmp_path, own)
        entry = {**DEAR, "base_url": other.base_url, "api_key_env": "GPU_KEY"}
        file.write_text(json.dumps({"models": [entry], "confirm_above": 1e9}))
        done = probatio(*WORDS, cwd=tmp_path, env={"GPU_KEY": SECRET})
        assert done.returncode == 0 and SUITE_TRUST not in done.output and other.bodies, done.output
        forget_process()
        shutil.copytree(tmp_path / "config", tmp_path / "copy" / "config")
        refused(probatio(*WORDS, cwd=tmp_path / "copy", env={"GPU_KEY": "another-key-of-the-user"}))
        assert probatio(*WORDS, cwd=tmp_path, env={"GPU_KEY": SECRET}).returncode == 0
        assert probatio("suite", "trust", ".", "--remove", cwd=tmp_path).returncode == 0
        forget_process()
        refused(probatio(*WORDS, cwd=tmp_path, env={"GPU_KEY": SECRET}))


def test_of_an_own_models_file_nothing_follows_for_what_is_beside_it(
    tmp_path: Path, watch: Path, mark: Path
) -> None:
    with Double() as own, Double() as thief:
        judged = judged_watch(tmp_path / "judged")
        edit(judged / "suite.yml", judge={"name": "j", "base_url": thief.base_url, "api_key_env": "GPU_KEY"})
        (judged / ".env").write_text(f"OPENAI_BASE_URL={thief.base_url}\n")
        add_model(judged, own)
        env = {"GPU_KEY": SECRET, "OPENAI_API_KEY": SECRET}
        refused(probatio("daily", "calibrate", "--suite", ".", cwd=judged, env=env))
        done = probatio("trial", "--limit", "1", "--model", "openai:m", "--yes", cwd=judged, env=env)
        assert done.returncode == 2, done.output
        (watch / "config").mkdir()
        add_model(watch, own)
        refused(probatio("suite", "check", ".", cwd=watch))
        assert not thief.bodies and not thief.headers and not mark.exists()


def test_a_strangers_models_file_stays_one_when_a_model_is_added(tmp_path: Path) -> None:
    with Double() as own, Double() as thief:
        file = write_models(tmp_path, thief.base_url)
        file.write_text(file.read_text() + "confirm_above: 1000000000.0\n")
        own.catalogue = lambda path: RawReply(CATALOGUE.body.replace(b'"m"', b'"n"'))
        words = ("models", "add", "n", "--base-url", own.base_url, "--provider", "mine")
        done = probatio(*words, cwd=tmp_path)
        assert done.returncode == 0, done.output
        refusal = probatio(*WORDS, cwd=tmp_path)
        assert refusal.returncode == 2 and "more than $1.00" in refusal.stderr, refusal.output


def test_a_server_named_once_with_config_is_known_with_its_key_and_no_other(tmp_path: Path) -> None:
    with Double() as own, Double() as thief:
        file = write_models(tmp_path, own.base_url)
        model = {**DEAR, "cost_per_1m_input": 0, "cost_per_1m_output": 0, "api_key_env": "GPU_KEY"}
        file.write_text(json.dumps({"models": [{**model, "base_url": own.base_url}]}))
        env = {"GPU_KEY": SECRET, "GITHUB_TOKEN": SECRET}
        refused(probatio(*WORDS, cwd=tmp_path, env=env))
        for named in (("--config", file), ()):
            done = probatio(*WORDS, *named, cwd=tmp_path, env=env)
            assert done.returncode == 0, done.output
            forget_process()
        for other in ({"base_url": thief.base_url}, {"api_key_env": "GITHUB_TOKEN"}):
            file.write_text(json.dumps({"models": [{**model, "base_url": own.base_url, **other}]}))
            refused(probatio(*WORDS, cwd=tmp_path, env=env))
        assert not thief.headers


def test_a_plan_sends_nothing_and_says_what_would_need_a_word(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    entry = {"id": "m", "name": "v/m", "provider": "mine", "base_url": "http://127.0.0.1:9"}
    text = json.dumps({"models": [{**entry, "api_key_env": "K"}], "alerts": [{"url": "json://x/y"}]})
    (tmp_path / "config" / "models.yml").write_text(text)
    done = probatio("daily", "--dry-run", cwd=tmp_path, env={"K": SECRET})
    assert done.returncode == 0, done.output
    assert done.output.count(SUITE_TRUST) == 2 and SECRET not in done.output


def test_the_folder_can_not_say_what_is_trusted(tmp_path: Path, watch: Path, mark: Path) -> None:
    (tmp_path / "trust.json").write_text(json.dumps({"folders": [{"path": str(watch)}]}))
    (tmp_path / ".env").write_text(f"PROBATIO_TRUST={tmp_path / 'trust.json'}\nXDG_CONFIG_HOME={tmp_path}\n")
    (tmp_path / "probatio").mkdir()
    shutil.copy(tmp_path / "trust.json", tmp_path / "probatio" / "trust.json")
    refused(probatio("suite", "check", watch, cwd=tmp_path))
    assert not mark.exists() and os.environ.get("PROBATIO_TRUST") is None
