"""The two kinds of files: tensors as safetensors, what is said of them as
JSON."""

import json

import numpy as np


def write(path, tensors):
    """Float64 tensors by name in the safetensors format (a header's length, the
    header in JSON, the data)."""
    header, at = {}, 0
    for name, values in tensors.items():
        assert values.dtype == np.float64, name
        header[name] = {"dtype": "F64", "shape": values.shape,
                        "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for values in tensors.values():
            file.write(np.ascontiguousarray(values).tobytes())
    return 8 + len(text) + at


def lines_of_json(value, indent=""):
    """Like json.dumps, with lists of numbers on one line."""
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {lines_of_json(each, inner)}"
                 for key, each in value.items()]
        brackets = "{}"
    elif (isinstance(value, (list, tuple)) and value
          and isinstance(value[0], dict)):
        parts = [inner + lines_of_json(each, inner) for each in value]
        brackets = "[]"
    else:
        return json.dumps(value)
    body = ",\n".join(parts)
    text = f"{brackets[0]}\n{body}\n{indent}{brackets[1]}"
    return text if indent else text + "\n"
