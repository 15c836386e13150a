"""What a function of a library was given, and why that does not fit, with the way round."""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from . import _convolutions, _given, _refused_calls, _words
from ._given import Call

_BROADCAST = ("=give them shapes that broadcast, sizes that are equal or 1; the data set holds "
              "examples, which podsim divides into batches itself")

_CHANNELS = r"feature dimension size"

# What is said, and what is to be done; the first that is found. {name}: of the function.
_WAYS = (
    (r"[Ii]ncompatible (?:shapes|types) for broadcasting|Shape mismatch", _BROADCAST),
    (r"must have the same shape|same number of dimensions: got|different numbers of dimensions",
     "=give arrays of the same number of axes and sizes (y[:, None] adds an axis)"),
    (r"shapes that differ in dimensions other than",
     "their sizes must be equal along all axes but the one that is concatenated (axis=)"),
    (r"contracting dimensions to have|matmul.*mismatch",
     "=the last axis of the left one must be as long as the first of the right one (its last but "
     "one of several): reshape one, transpose it (.T), or mind the order, x @ w"),
    (r"Output character|did not appear|einsum|label '",
     "a letter stands for one size, and each of the result must be one of an input: mend the text"),
    (r"indices and arr must have the same number",
     "=write jnp.take_along_axis(x, y[:, None], axis=1)[:, 0]"),
    (r"must be of integer type|must have an integer type|[Ii]ndexer must have integer",
     "=indices are whole numbers: y.astype(jnp.int32)"),
    (r"inhomogeneous|setting an array element with a sequence",
     "=the rows differ in length: pad them to one"),
    (r"PRNG key|key_data", "=the key comes first, {name}(key, ...): take it as a third argument "
     "without a default, loss_fn(params, batch, key)"),
    (r"as a data type|data type '.*' not understood",
     "=a type is one such as jnp.float32, and a shape of several sizes is one tuple, "
     "jnp.zeros((3, 4))"),
    (r"squeeze", "=only an axis of size 1 can be left out: name another, or index it, x[:, 0]"),
    (r"equal division", "give a number that divides the size of the axis, or the places to split "
     "at, [2, 5]"),
    (r"body output must be a pair",
     "return (carry, what is kept of each step): return carry, None"),
    (r"dimension_numbers must be specified", "=write it as x @ y"),
    (_CHANNELS, "=the kernel must have as many input channels as the input has: mend the shape of "
     "one, or say in dimension_numbers= along which axes they are"),
    (r"got NoneType at position", "=give all of its arrays, as in jnp.where(mask, x, y)"),
    (r"must be an integer or unsigned", "=it takes whole numbers: x.astype(jnp.int32)"),
    (r"cannot be interpreted as an integer", "give whole numbers there"),
    (r"[Ee]xpected a callable", "give the function itself, f, not what it returns, f(...)"),
    (r"subdtype of numpy\.floating|subdtype of .*floating",
     "it computes with real numbers: mind the order of the arguments, or .astype(jnp.float32)"),
    (r"subdtype of .*integer", "it takes whole numbers: mind the order of the arguments"),
)

_AXIS = re.compile(r"axis \S+ is out of bounds for array of dimension \d+|tuple index out of range"
                   r"|out of bounds for axis|Too many indices")
_ONE_LIST = re.compile(r"integer scalar arrays can be converted to a scalar index")


def _rank(value: Any) -> int:
    return len(value.shape) if _given.is_array(value) else -1


def _integers(value: Any) -> bool:
    return str(getattr(value, "dtype", "")).startswith(("int", "uint"))


def _of_losses(made: Call) -> str:
    """What to do about class numbers where one-hot labels belong, and the other way round."""
    logits, labels = (made.arguments.get(key) for key in ("logits", "labels"))
    name = getattr(made.function, "__name__", "")
    if not (_given.is_array(logits) and _given.is_array(labels)) or "cross_entropy" not in name:
        return ""
    head = made.name.rpartition(".")[0]
    head = f"{head}." if head else "optax."
    if name.endswith("integer_labels"):
        if _integers(logits) and not _integers(labels):
            return "the logits come first: give labels second"
        if _rank(logits) == _rank(labels) and not _integers(labels):
            return f"use {head}softmax_cross_entropy, or labels.argmax(-1)"
        if _integers(labels):
            return ("the labels are one class number for each row of logits, so that logits have "
                    "one axis more than labels: mend the shape of one")
        return "the labels are whole numbers: labels.astype(jnp.int32)"
    if _rank(labels) == _rank(logits) - 1 and logits.shape:
        one_hot = f"jax.nn.one_hot(labels, {logits.shape[-1]})"
        other = f"use {head}softmax_cross_entropy_with_integer_labels, or "
        return ("give " if "sigmoid" in name else other) + one_hot
    return ""


def _axes(made: Call) -> str:
    """That an axis does not exist, and which ones do."""
    first = next((each for each in made.arguments.values() if _given.is_array(each)), None)
    if first is None:
        return ""
    rank = len(first.shape)
    axes = ("the axis 0 alone" if rank == 1 else "the axes 0 and 1" if rank == 2 else
            f"the axes 0 to {rank - 1}")
    leave = "[...]" if made.name == "x[i]" else "axis="
    return f"{_given.kind(first)} has {axes}" if rank else (
        f"{_given.kind(first)} is one number and has no axes: leave {leave} out")


def _takes_axis(made: Call) -> bool:
    taken = _refused_calls.takes(made.function)
    return not taken or "axis" in taken or "..." in taken


def _way(made: Call, why: str) -> str:
    way = next((way.replace("{name}", made.name) for pattern, way in _WAYS
                if re.search(pattern, why)), "")
    return way if _takes_axis(made) else way.replace(" (axis=)", "")


def _taken(made: Call) -> str:
    """"give it what it takes, (x, axis=None)", of a function whose parameters have names."""
    own = getattr(made.function, "__module__", "") == _given.__name__  # it stands for an operator
    taken = "" if own else _refused_calls.takes(made.function)
    return "give it what it takes" + f", {taken}" * (bool(taken) and "*" not in taken)


def general(made: Call, error: BaseException) -> str:
    """One line of what it was given, why it fails, and the way round; nothing: it was given
    nothing that could be said."""
    given, why = _given.listed(made), _words.plain(str(error))
    if not given or isinstance(error, NotImplementedError):
        return ""
    said = f"{made.name} is given {given}"
    losses, axes = _of_losses(made), _axes(made) if _AXIS.search(why) else ""
    if losses:
        return f"{made.name} is given {_given.listed(made, others=False)}: {losses}"
    if axes:
        return f"{said}: {axes}"
    if _ONE_LIST.search(why) and len(made.arguments) > 1:
        axis = ", axis=..." * _takes_axis(made)
        return f"{said}: give the arrays in one list, {made.name}([a, b]{axis})"
    convolved = _convolutions.text(made) if re.search(_CHANNELS, why) else ""
    if convolved:
        return convolved
    way = _way(made, why)
    if way.startswith("="):
        return f"{said}: {way[1:]}"
    return f"{said}: {why}: {way or _taken(made)}"


def _is_applied(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Mapping)


def what_else(value: Any, name: str = "y") -> str:
    """What to do about what is no array."""
    if _is_applied(value):
        return (f"apply with mutable= returns (output, new_state): write {name}, new = "
                "m.apply(...)")
    if isinstance(value, (tuple, list)):
        return ("give one of them, as in x[0]" if isinstance(value, tuple) else
                "make an array of it: jnp.stack(values), jnp.array(values)")
    if isinstance(value, Mapping):
        return "give one of its arrays, or sum over jax.tree.leaves(...)"
    if value is None:
        return "the function that returns it has no return, or a setting is not set"
    if isinstance(value, str):
        return "give an array"
    if hasattr(value, "apply") and not isinstance(value, type):
        return 'give what it computes: m.apply({"params": params}, x)'
    return "call it, and give what it returns"


def no_array(error: BaseException, at: Any, nones: Sequence[str] = ()) -> str:
    """That a function is given a tuple, None or the like where it wants an array, or
    nothing. nones: where None stands in what the caller's function is called with."""
    for made in (_given.call(error, at), _given.module_call(error)):
        found = made and _given.wrong(made)
        if made and found:
            name, value = found
            way = _way(made, "PRNG key")[1:] if name == "key" else what_else(value, name)
            if value is None and nones:
                way = f"{nones[0]} is None: give an array, or leave it out"
            return f"{made.name} is given {_given.kind(value)} for {name}: {way}"
        axis = made.arguments.get("axis") if made else None
        if made and isinstance(axis, (str, float)):
            return f"{made.name} is given the axis {axis!r}: axes are whole numbers, from 0 or -1"
    return ""
