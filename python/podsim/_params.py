"""What stands in the place of params and is no tree of weights."""

from __future__ import annotations

import inspect
import os
from typing import Any

import numpy as np

from . import _objects, _trees
from ._said import kind_of, shown

_ORDER = "podsim.train(loss_fn, params, dataset)"


def _is_of(value: Any, module: str) -> bool:
    return any(kind.__module__.startswith(module) for kind in type(value).__mro__)


def _way(params: Any) -> str:
    """What to give instead of an object that is no tree; nothing: it may be one."""
    if type(params).__name__ == "Run" and _is_of(params, "podsim"):
        return "give its weights: run.params"
    if type(params).__name__ == "Optimizer":
        return "an optimizer belongs into optimizer="
    if _is_of(params, "flax.linen"):
        return 'give its variables: module.init(key, x)["params"]'
    if hasattr(params, "opt_state") and hasattr(params, "params"):
        return "give its weights: state.params"
    if hasattr(params, "init") and (hasattr(params, "update") or hasattr(params, "apply")):
        return ("an optimizer belongs into optimizer=" if hasattr(params, "update") else
                "give its weights: what its init(key, x) returns")
    if isinstance(params, (str, bytes, os.PathLike)):
        return (f"give a tree of arrays; restore={os.fspath(params)!r} begins with a "
                "checkpoint's weights instead")
    if isinstance(params, type):
        return "give a tree of arrays, such as a dict"
    if inspect.isgenerator(params) or hasattr(params, "__next__"):
        return "give a tree of arrays: list(...) makes one of it"
    if inspect.isroutine(params):
        return f"the order is {_ORDER}"
    return ""


def check_is_tree(params: Any) -> None:
    """Raises TypeError for an object in the place of the weights."""
    way = _way(params)
    if way:
        called = f"{type(params).__name__}, a flax module" if _is_of(params, "flax.linen") else (
            f"{str(params)!r}, a path" if isinstance(params, os.PathLike) else shown(params))
        raise TypeError(f"params is {called}; {way}")
    if params is None:
        raise TypeError("params is None; give the weights that training begins with, a tree of "
                        "float32 arrays")


def check_leaf(name: str, leaf: Any, kind: Any) -> None:
    """Raises TypeError for a leaf of params, of the type `kind`, that is not trained."""
    known = _objects.way_round(leaf)
    what = "" if hasattr(leaf, "shape") and not known else _objects.problem_of(leaf)[0]
    if what:
        raise TypeError(f"the parameter {name!r} is {what}; what is trained is float32: "
                        f"{known or 'give an array of numbers'}")
    if str(kind) not in ("float32", "float64"):
        raise TypeError(f"the parameter {name!r} is {kind}; what is trained is float32: convert "
                        "it, or leave it out of params (the loss function may hold it itself)")


def check_numbers(params: Any) -> None:
    """Raises TypeError for shapes of weights, where their numbers are needed."""
    names, leaves, _ = _trees.named_leaves(params, "params")
    for name, leaf in zip(names, leaves):
        if hasattr(leaf, "shape") and _objects.way_round(leaf) == "" and not hasattr(
                leaf, "__array__"):
            raise TypeError(f"the parameter {name!r} is {kind_of(leaf)}, a shape without numbers, "
                            "with which training cannot begin: give arrays; podsim.plan takes "
                            "shapes")


def check_order(params: Any, dataset: Any, order: str = _ORDER) -> None:
    """Raises TypeError for params and data set in each other's place: whole numbers are not
    trained, and the arrays of one data set have one number of examples."""
    import jax

    if isinstance(dataset, str) or callable(dataset):
        return
    what = "dataset" if "dataset" in order else "batch"
    leaves = jax.tree_util.tree_leaves(params)
    shapes = [np.shape(leaf) for leaf in jax.tree_util.tree_leaves(dataset)
              if isinstance(leaf, (np.ndarray, jax.Array))]
    whole = [leaf for leaf in leaves if getattr(getattr(leaf, "dtype", None), "kind", "") in "biu"
             and np.ndim(leaf)]
    if whole and len({shape[:1] for shape in shapes}) > 1:
        raise TypeError("params has whole numbers, which are not trained, and the arrays of "
                        f"{what} differ in their first axis, as weights do: the order is {order}")
