"""What stands in the place of params and is no tree of weights."""

from __future__ import annotations

import inspect
import os
import re
from typing import Any, Sequence

import numpy as np

from . import _objects, _packed, _trees
from ._errors import said
from ._numbers import is_number
from ._said import is_traced, kind_of, shown, with_kind

_ORDER = "podsim.{}(loss_fn, params, dataset)"
# Which of the two is right, the loss function decides.
_VARIABLES = ('give its variables: model.init(key, x) for a loss with model.apply(params, x), '
              'model.init(key, x)["params"] for one with model.apply({"params": params}, x)')


def _is_kind_of(kind: type, module: str) -> bool:
    return any(each.__module__.startswith(module) for each in kind.__mro__)


def _is_of(value: Any, module: str) -> bool:
    return _is_kind_of(type(value), module)


def has_state_of_optax(value: Any) -> bool:
    """Whether it is an optimizer's state, or a tuple with one in it."""
    return type(value).__module__.split(".")[0] == "optax" or (
        isinstance(value, tuple) and any(map(has_state_of_optax, value)))


def _makes_weights(params: Any) -> bool:
    """Whether it is a function that makes them, by its name."""
    name = getattr(params, "__name__", "") if inspect.isroutine(params) else ""
    return name.isidentifier() and bool(re.search("init|param|weight|variables", name.lower()))


def _called(params: Any) -> str:
    if _is_of(params, "flax.linen"):
        return f"{type(params).__name__}, a flax module"
    if isinstance(params, os.PathLike):
        return f"{str(params)!r}, a path"
    if _makes_weights(params):
        return f"{shown(params)}, not called"
    return _packed.of_bytes(params)[0] or shown(params)


def _way(params: Any, order: str) -> str:
    """What to give instead of an object that is no tree; nothing: it may be one."""
    if type(params).__name__ == "Run" and _is_of(params, "podsim"):
        return "give its weights: run.params"
    if type(params).__name__ == "Optimizer":
        return "an optimizer belongs into optimizer="
    if _is_of(params, "flax.linen"):
        return _VARIABLES
    if isinstance(params, type) and _is_kind_of(params, "flax.linen"):
        return f"make a module of it, model = {params.__name__}(...), and {_VARIABLES}"
    if hasattr(params, "opt_state") and hasattr(params, "params"):
        return "give its weights: state.params"
    if hasattr(params, "init") and (hasattr(params, "update") or hasattr(params, "apply")):
        return ("an optimizer belongs into optimizer=" if hasattr(params, "update") else
                "give its weights: what its init(key, x) returns")
    if _packed.of_bytes(params)[0]:
        return f"give a tree of arrays: {_packed.of_bytes(params)[1]}"
    if isinstance(params, (str, os.PathLike)):
        return "give a tree of arrays" + (
            "" if order.startswith("podsim.export") else
            f"; restore={os.fspath(params)!r} begins with a checkpoint's weights instead")
    if isinstance(params, type):
        return "give a tree of arrays, such as a dict"
    if type(params).__name__ in ("dict_items", "dict_values", "dict_keys", "odict_items"):
        return "give the dict itself"
    if inspect.ismodule(params):
        return "give a tree of arrays, such as a dict"
    if has_state_of_optax(params):
        return ("an optimizer's state, which podsim makes itself, stands there: give the weights "
                "alone")
    if inspect.isgenerator(params) or hasattr(params, "__next__"):
        return "give a tree of arrays: list(...) makes one of it"
    if _makes_weights(params):
        name = getattr(params, "__name__")
        return ("give what it returns: params = "
                f"{'model.' if inspect.ismethod(params) else ''}{name}(...)")
    if inspect.isroutine(params):
        return f"the order is {order}"
    return ""


def check_is_tree(params: Any, order: str) -> None:
    """Raises TypeError for what is no tree of weights."""
    _objects.check_is_no_npz(params, "params")
    way = _way(params, order)
    if way:
        raise TypeError(f"params is {_called(params)}; {way}")
    if params is None:
        raise TypeError(f"params is None; {_WEIGHTS}")
    _trees.check_keys(params, "params")


_NUMBERS = "give an array of numbers, or leave it out of params"
_LEFT_OUT = "leave it out of params (the loss function may hold it itself)"
_WEIGHTS = "give the weights, a tree of float32 arrays such as model.init(key, x)"


def _wrong(leaf: Any) -> tuple[str, str]:
    """What a leaf is that is not trained, and what to do; two empty texts: it is trained."""
    if is_traced(leaf):
        return "a traced value", _objects.TRACED
    if _objects.is_key(leaf) or _objects.is_raw_key(leaf):
        return "a random key", ("leave it out of params; podsim makes keys, take one as the loss "
                                "function's last argument")
    known, has_shape = _objects.way_round(leaf), hasattr(leaf, "shape")
    what = "" if has_shape and not known else _objects.problem_of(leaf)[0]
    if known or what:
        return what or kind_of(leaf), known or _NUMBERS
    kind = getattr(leaf, "dtype", None) or np.asarray(leaf).dtype
    if str(kind) in ("float32", "float64"):
        return "", ""
    if not has_shape:
        if is_number(leaf):
            return with_kind(leaf), (f"{_LEFT_OUT} if it is a count or a size, which is not "
                                     f"trained; write {float(leaf)} if it is")
        return with_kind(leaf), _LEFT_OUT
    if getattr(kind, "kind", "") in tuple("OUSc"):
        what, way = _objects.problem_of(leaf)
        return what, way if "astype" in way or kind.kind == "c" else _NUMBERS
    return str(kind), f"say .astype(np.float32), or {_LEFT_OUT}"


def check_leaf(name: str, leaf: Any, whole: bool = False) -> None:
    """Raises TypeError for a leaf of params that is not trained. whole: it is all of them."""
    called = "params" if whole else f"the parameter {name!r}"
    _objects.check_is_there(called, leaf)
    what, way = _wrong(leaf)
    if what == "a traced value":
        raise said(TypeError(f"{called} is {what}: {way}"))
    if whole and is_number(leaf):
        way = f"write {float(leaf)}"
    elif whole and "leave it out" in way:
        way = way.partition("leave it out")[0].removesuffix(", or ") or _WEIGHTS
    if what:
        raise TypeError(f"{called} is {what}; what is trained is float32: {way}")


def check_leaves(params: Any) -> None:
    """Raises TypeError unless all that params consist of is trained."""
    names, leaves, _ = _trees.named_leaves(params, "params")
    if not names:
        raise TypeError(f"params is {_objects.empty(params)}, which has no array in it; it must be "
                        "a tree of float32 arrays, of one at least")
    for name, leaf in zip(names, leaves):
        check_leaf(name, leaf, leaf is params)


def check_numbers(params: Any) -> None:
    """Raises TypeError for shapes of weights, where their numbers are needed."""
    names, leaves, _ = _trees.named_leaves(params, "params")
    for name, leaf in zip(names, leaves):
        if hasattr(leaf, "shape") and _objects.way_round(leaf) == "" and not hasattr(
                leaf, "__array__"):
            raise TypeError(f"the parameter {name!r} is {kind_of(leaf)}, a shape without numbers, "
                            "with which training cannot begin: give arrays; podsim.plan takes "
                            "shapes")


def check_holds_numbers(names: Sequence[str], leaves: Sequence[Any]) -> None:
    """Raises ValueError for a parameter with which no loss can be a number."""
    for name, leaf in zip(names, leaves):
        values = np.asarray(leaf)
        if values.size and np.isnan(np.max(values)):
            at = np.argwhere(np.isnan(values))[0].tolist()
            where = f" at {at}" if at else ""
            raise ValueError(f"the parameter {name!r} holds nan{where}: training begins with these "
                             "weights: give numbers")


def order_of(call: str) -> str:
    """Of podsim.train or podsim.plan."""
    return _ORDER.format(call)


def check_order(params: Any, dataset: Any, order: str) -> None:
    """Raises TypeError for params and data set in each other's place: whole numbers are not
    trained, and the arrays of one data set have one number of examples."""
    import jax

    if isinstance(dataset, str) or callable(dataset) or hasattr(dataset, "__next__"):
        return
    _trees.check_keys(dataset, "dataset" if "dataset" in order else "batch")
    if dataset is params:
        raise TypeError(f"params and {'dataset' if 'dataset' in order else 'batch'} are the same "
                        f"{type(params).__name__}; the order is {order}")
    what = "dataset" if "dataset" in order else "batch"
    leaves = jax.tree_util.tree_leaves(params)
    shapes = [np.shape(leaf) for leaf in jax.tree_util.tree_leaves(dataset)
              if isinstance(leaf, (np.ndarray, jax.Array))]
    whole = [leaf for leaf in leaves if getattr(getattr(leaf, "dtype", None), "kind", "") in "biu"
             and np.ndim(leaf)]
    differ = len({shape[:1] for shape in shapes}) > 1
    ours = {np.shape(leaf)[:1] for leaf in leaves}
    if differ and len(leaves) > 1 and len(ours) == 1 and ours != {()} and not whole:
        raise TypeError(f"the arrays of params have one first axis, as examples have, and those of "
                        f"{what} differ there, as weights do: the order is {order}")
    if whole and differ:
        raise TypeError("params has whole numbers, which are not trained, and the arrays of "
                        f"{what} differ in their first axis, as weights do: the order is {order}")
