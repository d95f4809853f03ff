"""The user's word: what a folder of someone else may do besides being read.

A suite, a results folder and a models.yml are data of their author. Where one of them asks for more
(`KINDS`), that is a `TrustRequest`, and nothing is done about it until the user has said so:

    probatio suite trust FOLDER            a folder as it is now, by the digest of its files
    probatio suite trust FOLDER --mine     the user's own folder, by its place (`core.place`): it may change
    --suite DIR, --config FILE, --allow-host HOST    for this command
    PROBATIO_TRUST=FILE                    a file as the one below, where no one sits at a keyboard

What was said is kept in `trust.json` in the user's own settings, outside of every folder it speaks of.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from probatio.core.errors import UsageError
from probatio.core.files import hold, put
from probatio.core.inside import is_below, open_reader
from probatio.core.jsonfile import read_json
from probatio.core.place import FOLDER, is_place, mark_place
from probatio.core.text.visible import make_one_line

TRUST = "PROBATIO_TRUST"
"""The variable that names a file to be used instead of the user's own. Counts in the process environment
only, never in a `.env`."""
FILE = "trust.json"

Kind = Literal["grader", "file", "program", "key", "header", "address", "suite", "limit", "weights"]
KINDS: dict[Kind, str] = {
    "grader": "run the grader of `{}` outside the jail, where it can do all that you can",
    "file": "show {} of this machine to its programs",
    "program": "run {}, which is neither in the folder nor on PATH",
    "key": "send the key {}",
    "header": "send a key as {}",
    "address": "send messages to {}",
    "suite": "read {}, which is not in the folder",
    "limit": "raise {}",
    "weights": "load {} into our own process, by llama.cpp",
}
"""All that can be asked for, as `FOLDER asks to …`."""

WEIGHTS = "gguf:"
"""What begins the name of weights that are named by their file."""

MOST_FILES = 20_000
MOST_BYTES = 1 << 30
"""Of a folder that is trusted by its content."""
NAME_FILE = " (or name the file: --config config/models.yml)"
"""The other way to allow values of a models.yml."""
SHOWN = 3
"""Requests that a refusal names; `probatio suite trust FOLDER` lists all."""
LEFT_OUT = (".git", FOLDER, "results")
"""At the top of a folder, outside the digest of its content: git and we write there. So nothing there may be
read or started by a suite."""
_LOCK_SECONDS = 10.0


class Untrusted(UsageError):
    """Something of someone else's asks for more than to be read, and the user has not allowed it."""


class TrustRequest(msgspec.Struct, frozen=True):
    """One thing that a folder asks for."""

    kind: Kind
    value: str
    folder: str
    """Who asks: the folder that the user is to trust."""
    shown: str = ""
    """What is printed instead of a value that may be a secret."""

    def __str__(self) -> str:
        return KINDS[self.kind].format(make_one_line(self.shown or self.value))


class TrustedFolder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A folder the user has spoken of. With a digest: trusted as long as its content is that, wherever it
    lies. Else: trusted at this place, whatever is in it, as long as it is the folder with the mark."""

    path: str
    digest: str | None = None
    mark: str | None = None
    """None in a file written by hand, and before there were marks: the path alone counts. In the user's own
    file such a place gets its mark when it is used next."""
    reading: bool = False
    """Only named with --suite or --model: records may name it, and nothing else follows from that."""


class TrustedValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value of a models.yml that the user has confirmed: a key for a host, or an address. It may be a
    secret, so its digest is kept."""

    kind: Kind
    digest: str
    shown: str = ""


class TrustFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`trust.json`."""

    folders: tuple[TrustedFolder, ...] = ()
    values: tuple[TrustedValue, ...] = ()


_said_now: set[TrustedFolder | TrustedValue] = set()
"""What the command line of this process said. It ends with the process."""


def trust_file() -> Path:
    """Where the user's word is kept. The user's own file may be a link."""
    if named := os.environ.get(TRUST):
        return Path(named).expanduser().resolve()
    import platformdirs

    return (platformdirs.user_config_path("probatio", appauthor=False) / FILE).resolve()


def read_trust() -> TrustFile:
    """All that is trusted. Without a file: nothing."""
    path = trust_file()
    try:
        return read_json(path, TrustFile, "a list of what you trust (`probatio suite trust --list`)")
    except FileNotFoundError:
        if TRUST not in os.environ:
            return TrustFile()
        raise UsageError(f"{TRUST} names {path}, which is not there.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}.") from None


def key_request(variable: str, address: str, folder: Path) -> TrustRequest:
    """The request to send the key in an environment variable to the host of an address."""
    return TrustRequest("key", f"{variable} to {host_of(address)}", str(folder.resolve()))


def header_request(header: object, where: str, folder: Path) -> TrustRequest:
    """The request to send a key in a header of a models.yml's own. `where`: an address or a provider."""
    to = host_of(where) if "://" in where else where
    return TrustRequest("header", f"`{header}` to {to}", str(folder.resolve()))


def address_request(address: str, what: str) -> TrustRequest:
    """The request of a models.yml to send messages to an address, which may be a secret: `what` is shown."""
    return TrustRequest("address", address, str(Path.cwd()), what)


def weights_requests(names: Iterable[str], folder: Path) -> Iterator[TrustRequest]:
    """The requests to load weights that are named by their file. The word holds for the file as it is: by its
    place, size and times, of which one can't be set, since hashing gigabytes takes long."""
    for name in names:
        if name.startswith(WEIGHTS):
            path = Path(name.removeprefix(WEIGHTS)).expanduser().resolve()
            with contextlib.suppress(OSError):  # one that is not there can't be loaded
                state = path.stat()
                as_it_is = f"{path} {state.st_ino} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"
                yield TrustRequest("weights", as_it_is, str(folder.resolve()), str(path))


def require_weights(name: str) -> None:
    """Refuse weights that a file names and the user has neither named on this command line nor allowed."""
    refuse(find_unsaid(weights_requests([name], Path.cwd())), NAME_FILE)


def find_unsaid(requests: Iterable[TrustRequest]) -> tuple[TrustRequest, ...]:
    """Those values of a models.yml that the user has not confirmed yet."""
    return tuple(request for request in dict.fromkeys(requests) if not has_word(request))


def host_of(address: str) -> str:
    """Where an address leads, without what may be a secret in it. Another port is another host."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}"
    except ValueError:
        return "an address that can't be read"


def find_untrusted(folder: Path, requests: Iterable[TrustRequest]) -> tuple[TrustRequest, ...]:
    """Those of the requests that the user has not allowed. Costs nothing where there are none."""
    asked = tuple(requests)
    return asked if asked and not is_trusted(folder) else ()


def is_trusted(folder: Path) -> bool:
    """Whether the folder is trusted, by its place or by its content."""
    if is_trusted_place(folder):
        return True
    digests = {entry.digest for entry in _folders() if entry.digest}
    return bool(digests) and digest_folder(folder) in digests


def is_trusted_place(folder: Path) -> bool:
    """Whether the folder is the user's own, by its place."""
    place = str(folder.resolve())
    return any(entry.path == place and _is_own(entry) for entry in _folders())


def _is_own(entry: TrustedFolder) -> bool:
    """Whether what is at the place of this entry is still the user's own folder."""
    if entry.digest is not None or entry.reading:
        return False
    if entry.mark is None:
        _mark_old(entry)
        return True
    return is_place(Path(entry.path), entry.mark)


def _mark_old(entry: TrustedFolder) -> None:
    """Give a place from before there were marks its mark, where it can be kept."""
    if TRUST not in os.environ and Path(entry.path).is_dir():
        with contextlib.suppress(OSError, UsageError):
            trust_folder(Path(entry.path), mine=True)


def is_known(path: Path) -> bool:
    """Whether a record may name this folder or file: the user has trusted it, or named it here before."""
    place = str(path.resolve())
    entries = [entry for entry in _folders() if entry.path == place]
    return any(
        entry.digest == digest_folder(path) if entry.digest else entry.reading or _is_own(entry)
        for entry in entries
    )


def has_word(request: TrustRequest) -> bool:
    """Whether a value of a models.yml was confirmed, or its project is the user's own by its place."""
    wanted = _value(request)
    said = [*(each for each in _said_now if isinstance(each, TrustedValue)), *read_trust().values]
    if any((each.kind, each.digest) == (wanted.kind, wanted.digest) for each in said):
        return True
    return is_trusted_place(Path(request.folder))


def require_known(named: Path, inside: Path) -> Path:
    """A suite that a record in the folder `inside` names: in that folder, beside it in the same clone, or
    known on this machine. It may be read; what it asks for itself is another question. One that is not there
    can't be read, and its reader says so."""
    if is_below(named, inside) or not named.exists():
        return named
    if _is_in_its_clone(named, inside) or is_known(named):
        return named
    raise Untrusted(explain([TrustRequest("suite", str(named), str(inside.resolve()))]))


def _is_in_its_clone(named: Path, inside: Path) -> bool:
    """Whether both lie in one folder that git cloned: then they came together."""
    clone = inside.resolve().parent
    is_there = (clone / ".git").exists() and is_below(named, clone)
    return is_there and not find_left_out(named, clone)


def refuse(requests: Iterable[TrustRequest], hint: str = "") -> None:
    """Raise the sentence about requests that are not trusted, if there are any."""
    asked = tuple(requests)
    if asked:
        raise Untrusted(explain(asked, hint))


def explain(requests: Iterable[TrustRequest], hint: str = "") -> str:
    """What is asked for, by whom, and how to allow it."""
    given = list(requests)
    folder, asked = given[0].folder, list(dict.fromkeys(map(str, given)))
    named = "; to ".join(asked[:SHOWN])
    more = f"; and {len(asked) - SHOWN} more" if len(asked) > SHOWN else ""
    command = f"probatio suite trust {shlex.quote(folder)}"
    return f"{folder} asks to {named}{more}. {_say_why(folder)}If you trust it, say so once: {command}{hint}"


def _say_why(folder: str) -> str:
    """Why a folder that looks like the user's own is asked about: it was moved, or removed and put back."""
    own = [entry for entry in _folders() if entry.digest is None and entry.mark]
    cure = f"(if it is yours: probatio suite trust {shlex.quote(folder)} --mine)"
    if any(entry.path == folder for entry in own):
        return f"It is another folder than the one at this place that was yours {cure}. "
    was = [entry.path for entry in own if is_place(Path(folder), entry.mark or "")]
    return f"It was your own at {was[0]} {cure}. " if was else ""


def digest_folder(folder: Path) -> str:
    """The digest of all files of a folder, names included. Links are not followed, and what is `LEFT_OUT` at
    its top, which every `git status` may change, does not count."""
    try:
        return _digest(folder)
    except OSError as error:
        raise UsageError(f"{error.filename or folder} can't be read: {error.strerror or error}.") from None


def _digest(folder: Path) -> str:
    summed, total = hashlib.sha256(), 0
    for count, path in enumerate(_walk(folder)):
        state = path.lstat()
        total += state.st_size
        if count >= MOST_FILES or total > MOST_BYTES:
            raise UsageError(
                f"{folder} is too large to be trusted by its content: more than {MOST_FILES:,} files or "
                f"{MOST_BYTES >> 30} GB. If it is your own: probatio suite trust {folder} --mine"
            )
        name = os.fsencode(path.relative_to(folder))
        if stat.S_ISLNK(state.st_mode) and find_left_out(path, folder):
            raise UsageError(explain_left_out(str(path), folder))
        content = _digest_entry(path, state.st_mode)
        summed.update(b"%d:%s%d:%s" % (len(name), name, len(content), content))
    return summed.hexdigest()


def find_left_out(path: Path, folder: Path) -> bool:
    """Whether this leads to something in the folder that its digest leaves out."""
    real, root = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    return any(real.is_relative_to(root / name) for name in LEFT_OUT)


def explain_left_out(named: str, folder: Path) -> str:
    """Why a suite may not name something there."""
    return (
        f"{make_one_line(named)} leads into what is never part of a suite: {', '.join(LEFT_OUT)} at the top "
        f"of {folder}, where git and Probatio write. Put the file into another folder of the suite."
    )


def _digest_entry(path: Path, mode: int) -> bytes:
    if stat.S_ISREG(mode):
        with open_reader(path) as file:
            return hashlib.file_digest(file, "sha256").digest() + (b"x" if mode & stat.S_IXUSR else b"-")
    if stat.S_ISLNK(mode):
        return b"link " + os.fsencode(path.readlink())
    return b"folder" if stat.S_ISDIR(mode) else b"device"


def look_at(folder: Path, *, mine: bool) -> str:
    """What the user is shown: of an own folder which one it is, else its content."""
    return str(folder.stat().st_ino) if mine else digest_folder(folder)


def trust_folder(folder: Path, *, mine: bool = False, seen: str | None = None) -> TrustedFolder:
    """Keep the user's word about a folder: by its place, or by its content. If it is no longer what was
    `seen` (`look_at`), nothing is kept."""
    path, now = folder.resolve(), look_at(folder, mine=mine)
    if seen is not None and now != seen:
        raise UsageError(
            f"{folder} has changed since it was shown, so nothing of it is trusted. "
            f"Look again: probatio suite trust {shlex.quote(str(folder))}"
        )
    entry = TrustedFolder(str(path), mark=mark_place(path)) if mine else TrustedFolder(str(path), now)
    _change(lambda file: msgspec.structs.replace(file, folders=(*_without(file, entry.path), entry)))
    return entry


def adopt(folder: Path) -> None:
    """Trust a folder that was made here, by its place. Where nothing can be kept, it is asked about later."""
    if TRUST not in os.environ:
        with contextlib.suppress(OSError):
            trust_folder(folder, mine=True)


def adopt_file(file: Path) -> None:
    """Take a file that was written here for the user's own: it may change, and nothing follows for the folder
    it is in."""
    if TRUST not in os.environ:
        with contextlib.suppress(OSError):
            path = file.resolve()
            entry = TrustedFolder(str(path), mark=mark_place(path.parent))
            _change(
                lambda known: msgspec.structs.replace(known, folders=(*_without(known, entry.path), entry))
            )


def is_own_file(file: Path) -> bool:
    """Whether the file was written here, and its folder is still the same."""
    path = file.resolve()
    return any(
        entry.path == str(path) and entry.mark and is_place(path.parent, entry.mark) for entry in _folders()
    )


def adopt_like(source: Path, target: Path) -> None:
    """Trust a folder that was made here from another as far as that one: an own one stays own, trusted
    content is trusted content, and of what is not trusted nothing follows."""
    if is_trusted_place(source):
        adopt(target)
    elif TRUST not in os.environ and is_trusted(source):
        with contextlib.suppress(OSError):
            trust_folder(target)


def trust_values(requests: Iterable[TrustRequest]) -> None:
    """Keep the user's word about values of a models.yml."""
    said = [_value(request) for request in requests]
    _change(lambda file: msgspec.structs.replace(file, values=tuple(dict.fromkeys((*file.values, *said)))))


def remember(requests: Iterable[TrustRequest]) -> None:
    """Keep what the command line said about values, where it can be kept."""
    said = tuple(requests)
    allow_now(said)
    if TRUST not in os.environ and not {_value(each) for each in said} <= {*read_trust().values}:
        with contextlib.suppress(OSError):
            trust_values(said)


def allow_now(requests: Iterable[TrustRequest]) -> None:
    """Take the command line's word about values, for this process."""
    _said_now.update(map(_value, requests))


def note_named(*paths: Path) -> None:
    """Note folders or files that the user named on the command line, so that records of theirs may name them
    too. Where nothing can be kept, the note lasts as long as the process."""
    new = [TrustedFolder(str(path.resolve()), reading=True) for path in paths if not is_known(path)]
    _said_now.update(new)
    if new and TRUST not in os.environ:
        with contextlib.suppress(OSError):
            _change(lambda file: msgspec.structs.replace(file, folders=(*_still_there(file), *new)))


def take_back(folder: Path) -> bool:
    """Forget a folder, whatever was said of it. False where nothing was."""
    place = str(folder.resolve())
    if not any(entry.path == place for entry in read_trust().folders):
        return False
    _change(lambda file: msgspec.structs.replace(file, folders=_without(file, place)))
    return True


def take_back_values(requests: Iterable[TrustRequest]) -> bool:
    """Forget the user's word about these values. False where there was none."""
    said = {_value(request) for request in requests}
    if not said & set(read_trust().values):
        return False
    _change(
        lambda file: msgspec.structs.replace(
            file, values=tuple(each for each in file.values if each not in said)
        )
    )
    return True


def forget_process() -> None:
    """Forget what the command line of this process said."""
    _said_now.clear()


def _folders() -> Iterator[TrustedFolder]:
    yield from (each for each in _said_now if isinstance(each, TrustedFolder))
    yield from read_trust().folders


def _value(request: TrustRequest) -> TrustedValue:
    digest = hashlib.sha256(request.value.encode("utf-8", "surrogatepass")).hexdigest()
    return TrustedValue(request.kind, digest, request.shown or request.value)


def _still_there(file: TrustFile) -> list[TrustedFolder]:
    """The folders, without those that were only named once and are gone."""
    return [entry for entry in file.folders if not entry.reading or Path(entry.path).exists()]


def _without(file: TrustFile, place: str) -> tuple[TrustedFolder, ...]:
    return tuple(entry for entry in file.folders if entry.path != place)


def _change(change: Callable[[TrustFile], TrustFile]) -> None:
    if TRUST in os.environ:
        raise UsageError(
            f"{TRUST} names {trust_file()}, which is only read. Change that file by hand, or unset {TRUST}."
        )
    path = trust_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with hold(path.with_suffix(".lock"), _LOCK_SECONDS, path):
        changed = change(read_trust())
        put(path, msgspec.json.format(msgspec.json.encode(changed), indent=2) + b"\n")


def _walk(folder: Path) -> Iterator[Path]:
    """Every entry below a folder, in an order that depends on names alone."""
    waiting = [folder]
    while waiting:
        for entry in sorted(os.scandir(waiting.pop()), key=lambda each: os.fsencode(each.name)):
            if entry.name in LEFT_OUT and Path(entry.path).parent == folder:
                continue
            yield Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
