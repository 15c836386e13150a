"""The weights that a job begins with, as a checkpoint whose weights alone are
taken: they reach the hosts as one file, not inside of the model."""

from __future__ import annotations

import hashlib
import json
import pathlib
from typing import Any, Mapping

import numpy as np

from . import _safetensors

_WEIGHTS = "model-00001-of-00001.safetensors"
_MANIFEST = "manifest.json"
_SUMS = "SHA256SUMS"


def has_checkpoint(model_dir: pathlib.Path) -> bool:
    """Whether a job there goes on from one of its own."""
    return any(model_dir.glob(f"*/{_SUMS}"))


def _manifest(weights: Mapping[str, np.ndarray], size: int, sha256: str) -> bytes:
    """proto/checkpoint.proto's, of a step that nobody trained."""
    return json.dumps({
        "format": 1, "step": "1", "examples_consumed": "1",
        "plan_hash": hashlib.sha256(b"").hexdigest(),
        "bits": {"batch_per_core": "1", "hosts": 1, "cores_per_host": 1},
        "files": [{"name": _WEIGHTS, "bytes": str(size), "sha256": sha256}],
        "tensors": [{"name": name, "shape": [str(side) for side in array.shape],
                     "file": _WEIGHTS} for name, array in weights.items()],
        "stints": [{"slice": "v3-8", "global_batch": "1", "last_step": "1",
                    "end_example": "1"}],
    }).encode()


def _digest(path: pathlib.Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(weights: Mapping[str, np.ndarray], folder: pathlib.Path) -> dict[str, Any]:
    """Writes float32 arrays by name, and returns the settings that name them."""
    place = folder / "1"
    place.mkdir(parents=True)
    ordered = {name: np.asarray(weights[name], "<f4") for name in sorted(weights)}
    _safetensors.write(place / _WEIGHTS, ordered)
    sha256 = _digest(place / _WEIGHTS)
    manifest = _manifest(ordered, (place / _WEIGHTS).stat().st_size, sha256)
    (place / _MANIFEST).write_bytes(manifest)
    (place / _SUMS).write_text(f"{hashlib.sha256(manifest).hexdigest()}  {_MANIFEST}\n"
                               f"{sha256}  {_WEIGHTS}\n")
    return {"restore": place, "restore_weights_only": True}
