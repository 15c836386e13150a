"""Writes the models of published_models.py, without weights, as files that bench/validate
reads: what JAX lowers is planned kernel by kernel and compared with the published profiles.

    python python/checks/published.py bench/validation/data"""

from __future__ import annotations

import gzip
import pathlib
import sys

import jax
import numpy as np

import published_models
from podsim import _inputs, _lowering


def batch_of(model):
    """So many examples as a core has; nobody reads their values."""
    return jax.tree_util.tree_map(
        lambda value: np.broadcast_to(value, (model.rows, *np.shape(value))), model.example)


def write(name, folder):
    """`folder`/NAME.model.gz; the same bytes for the same model."""
    model, file = published_models.MODELS[name](), folder / f"{name}.model"
    batch = batch_of(model)
    message = _lowering.import_message(name, model.loss, model.params, batch, None,
                                       model.state, begins=False)
    _inputs.export(message, file, model.loss, name, batch)
    packed = gzip.compress(file.read_bytes(), mtime=0)
    file.with_suffix(".model.gz").write_bytes(packed)
    file.unlink()
    print(f"{file}.gz: {len(packed) / 1e3:.0f} KB", flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit("python python/checks/published.py FOLDER")
    for name in published_models.MODELS:
        write(name, pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
