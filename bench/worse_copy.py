"""A genuinely worse copy of an embedded model: Gaussian noise on its weights.

    python bench/worse_copy.py qwen2.5-coder-0.5b worse.gguf --sigma 0.1

Every weight matrix gets noise of `sigma` times its own standard deviation; norms and biases stay as they are.
The copy is stored as Q8_0, so `--sigma 0` gives the same model in the same format: what differs between two
copies is the noise alone. `--sigma 0 --format Q4_0` is the copy a provider would make to save memory: four
bits a weight, rounded without any care. Ask it with `probatio daily --model gguf:worse.gguf`, or put it in a
models.yml under the name it takes the place of.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import gguf
import numpy as np

from probatio.ask.embedded import catalogue


def worse_copy(source: Path, target: Path, sigma: float, seed: int = 0, form: str = "Q8_0") -> int:
    """Write the copy; how many matrices were touched."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, str(reader.fields["general.architecture"].contents()))
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        kind = field.types[0]
        inner = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), kind, sub_type=inner)
    stored_as = gguf.GGMLQuantizationType[form]
    chance = np.random.default_rng(seed)
    touched = 0
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        matrix = values.ndim == 2 and values.shape[-1] % 32 == 0
        if not matrix:
            writer.add_tensor(tensor.name, values)
            continue
        touched += 1
        if sigma:
            values += chance.standard_normal(values.shape, dtype=np.float32) * (sigma * values.std())
        writer.add_tensor(tensor.name, gguf.quantize(values, stored_as), raw_dtype=stored_as)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return touched


def main() -> None:
    reading = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reading.add_argument("model", help="an embedded model's name, or the path of a .gguf file")
    reading.add_argument("out", type=Path)
    reading.add_argument(
        "--sigma", type=float, default=0.1, help="noise, relative to each matrix's standard deviation"
    )
    reading.add_argument("--seed", type=int, default=0)
    reading.add_argument(
        "--format", choices=("Q8_0", "Q4_0"), default="Q8_0", help="how the weights are stored"
    )
    given = reading.parse_args()
    source = Path(given.model) if given.model.endswith(".gguf") else catalogue.resolve(given.model).path
    if source is None or not source.is_file():
        sys.exit(f"{given.model} is not here; get it with: probatio models pull {given.model}")
    touched = worse_copy(source, given.out, given.sigma, given.seed, given.format)
    print(f"{given.out}: {touched} matrices, sigma {given.sigma}, seed {given.seed}")


if __name__ == "__main__":
    main()
