"""Writes the models of published_models.py and blind_models.py, without weights, as files that
bench/validate and pod_plan read: what JAX lowers is planned kernel by kernel.

    python python/checks/published.py bench/validation/data            all of them
    python python/checks/published.py bench/validation/data vit_s16"""

from __future__ import annotations

import gzip
import pathlib
import sys

import jax
import numpy as np

import blind_models
import published_models
from podsim import _inputs, _lowering

MODELS = published_models.MODELS | blind_models.MODELS


def batch_of(model):
    """So many examples as a core has; nobody reads their values."""
    return jax.tree_util.tree_map(
        lambda value: np.broadcast_to(value, (model.rows, *np.shape(value))), model.example)


def write(name, folder):
    """`folder`/NAME.model.gz; the same bytes for the same model."""
    model, file = MODELS[name](), folder / f"{name}.model"
    batch = batch_of(model)
    message = _lowering.import_message(name, model.loss, model.params, batch, None,
                                       model.state, begins=False)
    _inputs.export(message, file, model.loss, name, batch)
    packed = gzip.compress(file.read_bytes(), mtime=0)
    file.with_suffix(".model.gz").write_bytes(packed)
    file.unlink()
    count = sum(leaf.size for leaf in jax.tree_util.tree_leaves(model.params))
    print(f"{file}.gz: {len(packed) / 1e3:.0f} KB, {count:,} parameters", flush=True)


def main():
    names = sys.argv[2:] or list(MODELS)
    unknown = [name for name in names if name not in MODELS]
    if len(sys.argv) < 2 or unknown:
        sys.exit(f"python python/checks/published.py FOLDER [MODEL...]; models: {', '.join(MODELS)}")
    for name in names:
        write(name, pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
