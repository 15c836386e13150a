"""What stands in the place of an array and is none, and what to give instead."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import Any, Iterable

import numpy as np

from ._errors import said
from ._said import article, is_array_of_jax, is_traced, kind_of, shown, type_name

# Classes of other libraries, by the beginning of what their users call them.
_WAYS = {
    "scipy.sparse.": "give a dense array: x.toarray()",
    "pandas.DataFrame": "give its columns as arrays of numbers: {name: df[name].to_numpy() for "
                        "name in df}",
    "pandas.": "give an array of numbers: x.to_numpy(), or of texts pd.factorize(x)[0]",
    "polars.LazyFrame": "give its columns as arrays of numbers: df = df.collect(), {name: "
                        "df[name].to_numpy() for name in df.columns}",
    "polars.DataFrame": "give its columns as arrays of numbers: {name: df[name].to_numpy() for "
                        "name in df.columns}",
    "polars.": "give an array of numbers: x.to_numpy()",
    "pyarrow.Table": "give its columns as arrays of numbers: {name: table[name].to_numpy() for "
                     "name in table.column_names}",
    "pyarrow.": "give an array of numbers: x.to_numpy()",
    "torch.utils.data.DataLoader": "give its batches as arrays: (jax.tree.map(np.asarray, batch) "
                                   "for batch in loader)",
    "torch.Tensor": "give an array: x.numpy(), of one with a gradient x.detach().numpy()",
    "torch.nn.Parameter": "give an array: x.detach().numpy()",
    "torch.nn.": "give its weights as arrays: {name: p.detach().numpy() for name, p in "
                 "model.named_parameters()}",
    "tf.data.": "give its batches as arrays: dataset.batch(32).as_numpy_iterator()",
    "tensorflow.": "give an array: x.numpy()",
    "keras.": "give its weights as arrays: model.get_weights()",
    "datasets.DatasetDict": 'give the columns of a split: dataset["train"].with_format("numpy")[:]',
    "datasets.": 'give its columns as arrays: dataset.with_format("numpy")[:]',
    "PIL.": "give an array: np.asarray(image), of several np.stack([np.asarray(i) for i in "
            "images])",
    "io.": "give what it holds as arrays, as np.load or np.loadtxt read it",
    "decimal.Decimal": "give an array: np.asarray(values, np.float32)",
    "fractions.Fraction": "give an array: np.asarray(values, np.float32)",
    "datetime.": "give numbers, such as .timestamp() of each",
    "set": "it has no order: give an array",
    "frozenset": "it has no order: give an array",
    "podsim.Run": "its weights are run.params, the second argument",
    "podsim.Plan": "it is what podsim.plan returns, no data set",
    "podsim.Optimizer": "an optimizer belongs into optimizer=",
    "optax.GradientTransformation": "an optimizer belongs into optimizer=",
}
_TEXTS = "numbers are needed: np.unique(texts, return_inverse=True)[1] has one for each text"
_FILE = "give what the file holds as arrays, as np.load or np.loadtxt read it"
_GENERIC = "give an array of numbers, such as np.asarray makes of a list"


TRACED = ("a function of podsim is called within one that JAX transforms (jit, grad, vmap, scan): "
          "call it outside, with arrays")


def is_key(value: Any) -> bool:
    return str(getattr(value, "dtype", "")).startswith("key<")


def is_raw_key(value: Any) -> bool:
    """Whether it is one of jax.random.PRNGKey, by its type and shape."""
    return (str(getattr(value, "dtype", "")) == "uint32"
            and tuple(getattr(value, "shape", ()))[-1:] == (2,))


_DELETED = ("a deleted array, as donate_argnums of jax.jit leaves it",
            "give what the function returned, or leave donate_argnums out")


def _is_deleted(value: Any) -> bool:
    """Whether it is an array of JAX without its numbers."""
    return is_array_of_jax(value) and not is_traced(value) and bool(value.is_deleted())


def _is_wide(value: Any) -> bool:
    """Whether JAX computes with it in 64 bits, as it does only if it is told to."""
    jax = sys.modules.get("jax")
    return (str(getattr(value, "dtype", type(value).__name__)) in ("float64", "float")
            and jax is not None and bool(jax.config.jax_enable_x64))


def check_is_there(what: str, leaf: Any) -> None:
    """Raises TypeError for an array whose numbers are gone, or are not of 32 bits. what: "the
    state 'mean'"."""
    if _is_deleted(leaf):
        raise TypeError(f"{what} is {_DELETED[0]}: {_DELETED[1]}")
    if _is_wide(leaf):
        raise TypeError(f"{what} is float64, and jax_enable_x64 is on: turn that off, or give "
                        "float32")


def is_empty(tree: Any) -> bool:
    """Whether a tree of Python's containers has nothing in it but None."""
    if isinstance(tree, (list, tuple, dict)):
        return all(map(is_empty, tree.values() if isinstance(tree, dict) else tree))
    return tree is None


def empty(tree: Any) -> str:
    """"an empty tuple", of a tree without an array."""
    return f"an empty {type(tree).__name__}" if not tree else f"{kind_of(tree)} of None alone"


def is_node(value: Any) -> bool:
    """Whether JAX takes it for a tree of others, or for an array."""
    jax = sys.modules.get("jax")
    return hasattr(value, "shape") or jax is not None and not jax.tree_util.all_leaves([value])


def way_round(value: Any) -> str:
    """What to give instead of an object of a known library; or nothing."""
    for kind in type(value).__mro__[:-1]:
        for name, way in _WAYS.items():
            if type_name(kind) == name or name.endswith(".") and type_name(kind).startswith(name):
                return way
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not is_node(value):
        return "give a dict of its fields, vars(x), or register its class with JAX"
    return ""


def check_is_no_npz(value: Any, argument: str) -> None:
    """Raises TypeError for an open file of np.savez."""
    if isinstance(value, np.lib.npyio.NpzFile):
        file = getattr(getattr(value, "zip", None), "filename", None)
        way = f"dict(np.load({file!r}))" if file else f"dict({argument})"
        raise TypeError(f"{argument} is an open file of np.savez, which holds "
                        f"{', '.join(value.files[:6]) or 'nothing'}: give its arrays, {way}")


def _looks_like_file(text: str | bytes | os.PathLike[str]) -> bool:
    suffix = os.path.splitext(os.fsdecode(text))[1][1:]
    return isinstance(text, os.PathLike) or suffix.isalnum() and len(suffix) <= 8


def _is_float(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def _is_whole(text: str | bytes) -> bool:
    return text.strip().lstrip(b"+-" if isinstance(text, bytes) else "+-").isdigit()


def _way_of_texts(texts: np.ndarray) -> str:
    if not texts.size or not _is_float(texts.flat[0]):
        return _TEXTS
    # Labels are indices, which are whole.
    whole = all(_is_whole(each) for each in texts.flat[:99])
    return f"say .astype(np.{'int32' if whole else 'float32'})"


def _way_of_objects(array: np.ndarray) -> str:
    kinds = {type(each) for each in array.flat[:99]}
    if kinds <= {str, bytes}:
        return _way_of_texts(array)
    if any(issubclass(kind, (list, tuple, np.ndarray)) for kind in kinds):
        return "its parts differ in length: pad them to one, so that np.stack takes them"
    if type(None) in kinds:
        return "None is among them: leave those examples out, or give a number for it"
    return "say .astype(np.float32)" if all(map(_is_float, array.flat[:99])) else _GENERIC


def _wrong_type(array: Any) -> tuple[str, str]:
    """What an array of a type that podsim does not read is, and what to do."""
    dtype = array.dtype
    if not isinstance(dtype, np.dtype):
        return "an array of random keys", ("podsim makes keys: take one as the loss function's "
                                           "last argument")
    if dtype.names:
        return (f"a structured array of {', '.join(dtype.names)}",
                "give a dict of its columns: {name: a[name] for name in a.dtype.names}")
    if dtype.kind == "O":
        return "an array of objects", _way_of_objects(np.asarray(array))
    if dtype.kind in "USa":
        return f"an array of texts ({dtype})", _way_of_texts(np.asarray(array))
    if dtype.kind in "mM":
        return str(dtype), "give numbers, such as (x - x.min()) / np.timedelta64(1, 'D')"
    if dtype.kind == "c":
        return str(dtype), "give x.real and x.imag as two arrays"
    return str(dtype), "podsim reads float32 and float64: say .astype(np.float32)"


def _is_read(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and (
        dtype.kind in "biu" or dtype.kind == "f" and dtype.itemsize in (4, 8))


def _as_array(value: Any) -> Any:
    """The value itself if it is an array, what NumPy makes of it, or None: no array."""
    if hasattr(value, "dtype") and (isinstance(value, (np.ndarray, np.generic))
                                    or hasattr(value, "__array__")):
        return value
    try:
        array = np.asarray(value)
    except Exception:  # of any kind: the object's own code runs
        return None
    return array if array.dtype.kind in "biufc" or array.ndim else None


def problem_of(value: Any) -> tuple[str, str]:
    """Why a value is no array that podsim reads: what it is, and what to give instead.
    Two empty texts: it is one, or a number."""
    if is_traced(value):
        return "a traced value", TRACED
    if _is_deleted(value):
        return _DELETED
    if isinstance(value, (str, bytes, os.PathLike)):
        is_path = isinstance(value, os.PathLike)
        return (f"{str(value)!r}, a path" if is_path else f"{shown(value)}, a text",
                _FILE if _looks_like_file(value) else _TEXTS)
    if type(value).__name__ == "ShapeDtypeStruct":
        return (f"{kind_of(value)}, a shape without numbers",
                "give an array, such as np.zeros(x.shape, x.dtype)")
    array = _as_array(value)
    if array is None or not hasattr(value, "__getitem__") and way_round(value):
        return kind_of(value), way_round(value) or _GENERIC
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        return (f"a masked array, {int(np.ma.count_masked(array)):,} of whose values are masked",
                "podsim knows no masks: give x.filled(0), or leave those examples out")
    if _is_read(array.dtype):
        return "", ""
    known = way_round(value)
    if known or not isinstance(array.dtype, np.dtype) and "key<" not in str(array.dtype):
        return kind_of(value), known or _GENERIC
    return _wrong_type(array)


def check_arrays(names: Iterable[str], leaves: Iterable[Any], whole: str = "",
                 of: str = "the data set") -> None:
    """Raises TypeError for what is no array of numbers among those `of` consists of.
    whole: the argument's name, if it is itself the only leaf."""
    for name, leaf in zip(names, leaves):
        what, way = problem_of(leaf)
        if what == "a traced value":
            raise said(TypeError(f"{whole or f'the array {name!r} of {of}'} is {what}: {way}"))
        if what:
            raise TypeError(f"{whole or f'the array {name!r} of {of}'} is {what}; {way}")


def _item(dataset: Any) -> list[tuple[int, ...]]:
    """Shapes of the arrays of the first item; none: it has none."""
    import jax

    try:
        return [tuple(np.shape(leaf)) for leaf in jax.tree_util.tree_leaves(dataset[0])]
    except Exception:  # of any kind: the object's own code runs
        return []


def is_indexed(dataset: Any) -> bool:
    """Whether it is an object with items and a length, and no array or container."""
    return (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
            and not isinstance(dataset, (list, tuple, dict, str, bytes, np.ndarray))
            and not hasattr(dataset, "shape") and not hasattr(dataset, "keys"))


def indexed(dataset: Any, name: str, count: str) -> str:
    """What is said of such an object as the argument `name`, whose number is `count`."""
    shapes = _item(dataset)
    are = len(shapes) > 1 and all(shapes) and len({shape[0] for shape in shapes}) == 1
    if are:
        return (f"{name} is {article(type_name(type(dataset)))}, whose items look like batches: "
                f"give an iterable of them: ({name}[i] for i in range(len({name})))")
    return (f"{name} is {article(type_name(type(dataset)))}, whose items are examples: give a "
            f"function and their number: {name}.__getitem__, {count}=len({name})")
