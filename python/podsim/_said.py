"""How messages call the values that a caller gave: short, on one line."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np

_LONGEST = 60  # characters of a value that stand in a message

# Modules whose classes are known by more than the package's name.
_KNOWN_AS = ("scipy.sparse", "PIL.Image", "tf.data", "flax.linen", "flax.nnx", "torch.utils.data")


def article(noun: str) -> str:
    """"an array", "a dict"."""
    return f"{'an' if noun[:1] in 'aeiouAEIOU' else 'a'} {noun}"


def type_name(kind: type) -> str:
    """A class as its users write it: "scipy.sparse.csr_matrix", "pandas.DataFrame"."""
    module = kind.__module__.replace("tensorflow.python.data", "tf.data")
    package = next((known for known in _KNOWN_AS if module.startswith(known)),
                   module.split(".")[0].strip("_"))
    own = package in ("builtins", "main", "collections", "abc") or not package
    return kind.__name__ if own else f"{package}.{kind.__name__}"


def _function(value: Any) -> str:
    name = getattr(value, "__name__", "")
    if name == "<lambda>":
        return "a lambda"
    return f"the function {name}" if name else article(type_name(type(value)))


def is_traced(value: Any) -> bool:
    """Whether it stands for an array while JAX transforms a function."""
    jax = sys.modules.get("jax")
    return isinstance(value, getattr(getattr(jax, "core", None), "Tracer", ()))


def is_array_of_jax(value: Any) -> bool:
    jax = sys.modules.get("jax")
    return isinstance(value, getattr(jax, "Array", ()))


def kind_of(value: Any) -> str:
    """"a dict", "the class AdamW", "the function f", "an array of the shape (2, 3)"."""
    if value is None:
        return "None"
    if is_traced(value):
        return "a traced value"
    if isinstance(value, type):
        return f"the class {type_name(value)}"
    if isinstance(value, (classmethod, property)):
        return article(type_name(type(value)))
    if inspect.isroutine(value) or callable(value) and hasattr(value, "__wrapped__"):
        return _function(value)
    if inspect.ismodule(value):
        return f"the module {value.__name__}"
    if isinstance(value, np.generic):
        return article(type_name(type(value)))
    if str(getattr(value, "dtype", "")).startswith("key<"):
        return "a random key" if value.shape == () else "an array of random keys"
    if type(value).__module__.split(".")[0] in ("numpy", "jax", "jaxlib") and hasattr(
            value, "shape") and hasattr(value, "__array__"):
        return f"an array of the shape {tuple(value.shape)}"
    return article(type_name(type(value)))


def with_kind(value: Any) -> str:
    """As shown, and what it is if that does not say it: "0.5, a float", "a dict", "True"."""
    said = shown(value)
    return (said if isinstance(value, bool) or said == kind_of(value) else
            f"{said}, {article(type_name(type(value)))}")


def _literal(value: Any) -> str:
    """Of a number or a text, without the name of NumPy's type."""
    if isinstance(value, str):
        return repr(value.item() if isinstance(value, np.generic) else value)
    return str(value) if isinstance(value, np.generic) else repr(value)


def shown(value: Any) -> str:
    """The value itself if it is short, else what it is."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        whole = bytes(value[:_LONGEST])
        is_text = len(value) < _LONGEST and whole.isascii() and whole.decode("ascii").isprintable()
        return repr(whole) if is_text else "bytes"
    if isinstance(value, (str, bool, int, float, np.number, np.bool_)) and not isinstance(
            value, np.timedelta64):
        text = _literal(value)
    elif isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        inner = ", ".join(map(shown, value[:9]))
        text = f"[{inner}]" if isinstance(value, list) else f"({inner})"
        text = text if len(value) <= 9 else kind_of(value)
    else:
        return kind_of(value)
    if len(text) <= _LONGEST and "\n" not in text:
        return text
    return text[:_LONGEST] + "..." if isinstance(value, str) else kind_of(value)
