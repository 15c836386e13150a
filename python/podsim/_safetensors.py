"""The safetensors format: a header's length, a JSON header, data."""

from __future__ import annotations

import json
import os
from typing import Mapping

import numpy as np

_TYPES = {"F32": "<f4", "I32": "<i4", "U32": "<u4", "U8": "u1", "BOOL": "?"}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}


def write(path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray]) -> None:
    header: dict[str, object] = {}
    data = []
    end = 0
    for name, array in arrays.items():
        array = np.asarray(array, order="C")
        if array.dtype not in _NAMES:
            raise TypeError(f"{name} is {array.dtype}; podsim stores "
                            f"{', '.join(str(known) for known in _NAMES)}")
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [begin, end]}
        data.append(array)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in data:
            file.write(array.tobytes())


def read(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    with open(path, "rb") as file:
        content = file.read()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + size])
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        part = content[8 + size + begin:8 + size + end]
        arrays[name] = np.frombuffer(part, _TYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays
