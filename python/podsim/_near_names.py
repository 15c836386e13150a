"""Near names of what a module or an array has not, also where other modules have them."""

from __future__ import annotations

import difflib
import sys
from typing import Any

_MODULES = ("jax.nn", "jax.numpy", "jax.lax", "jax.random", "jax.numpy.linalg", "jax.scipy.special",
            "optax", "flax.linen", "jax")
_CROSS_ENTROPY = "optax.softmax_cross_entropy_with_integer_labels(logits, labels)"

# Names that other libraries have.
_OTHERS = {
    **dict.fromkeys(("crossentropy", "cross_entropy", "CrossEntropyLoss",
                     "sparse_categorical_crossentropy", "sparse_softmax_cross_entropy_with_logits"),
                    _CROSS_ENTROPY),
    **dict.fromkeys(("Linear", "linear"), "flax.linen.Dense"),
    **dict.fromkeys(("mse_loss", "MSELoss", "mse"), "optax.squared_error"),
    "Conv2d": "flax.linen.Conv", "Conv2D": "flax.linen.Conv", "cat": "jax.numpy.concatenate",
    "tensor": "jax.numpy.array", "Embedding": "flax.linen.Embed", "randn": "jax.random.normal",
    "unsqueeze": "jax.numpy.expand_dims",
    "reduce_mean": "jax.numpy.mean", "reduce_sum": "jax.numpy.sum", "cast": "x.astype(dtype)",
}

# What arrays of other libraries have.
_PLACES = ": leave it out, podsim places arrays on the cores itself"
_METHODS = {
    **dict.fromkeys(("cuda", "to", "cpu", "pin_memory", "share_memory_"), _PLACES),
    "backward": ": leave it out, podsim computes the gradients",
    "requires_grad_": ": leave it out, podsim computes the gradients of all params",
    "gather": ": write jnp.take_along_axis(x, i[:, None], axis=1)",
    "unsqueeze": ": write x[:, None], or jnp.expand_dims(x, axis)",
    "permute": ": write x.transpose(0, 2, 1)",
    **dict.fromkeys(("float", "double"), ": write x.astype(jnp.float32)"),
    **dict.fromkeys(("long", "int"), ": write x.astype(jnp.int32)"),
    "half": ": write x.astype(jnp.bfloat16)", "type": ": write x.astype(dtype)",
    "expand": ": write jnp.broadcast_to(x, shape)", "dim": ": write x.ndim",
    "masked_fill": ": write jnp.where(mask, value, x)", "cat": ": write jnp.concatenate([x, y])",
}


def _elsewhere(name: str, owner: Any) -> str:
    """"jax.nn.softmax" of what another module has by that name; empty: none has it."""
    for known in _MODULES:
        module = sys.modules.get(known)
        if module is not None and module is not owner and callable(getattr(module, name, None)):
            return f"{known}.{name}"
    return ""


def _close(name: str, owner: Any, cutoff: float) -> list[str]:
    return difflib.get_close_matches(
        name, [each for each in dir(owner) if each[0] != "_"], 2, cutoff)


def of_module(name: str, owner: Any) -> str:
    """": did you mean jax.nn.softmax?", or nothing."""
    found = _OTHERS.get(name) or _elsewhere(name, owner)
    near = [found] if found else _close(name, owner, 0.85)
    for known in _MODULES if not near else ():
        module = sys.modules.get(known)
        if module is not None and module is not owner and not near:
            near = [f"{known}.{each}" for each in _close(name, module, 0.85)[:1]]
    near = near or _close(name, owner, 0.6)
    return f": did you mean {' or '.join(near)}?" if near else ""


def of_array(name: str, owner: Any) -> str:
    """owner: jax.Array, or a value of its kind."""
    if name in _METHODS:
        return _METHODS[name]
    numpy, nn = sys.modules.get("jax.numpy"), sys.modules.get("jax.nn")
    for module, short in ((numpy, "jnp"), (nn, "jax.nn")):
        if module is not None and callable(getattr(module, name, None)):
            return f": write {short}.{name}(x)"
    near = _close(name, owner, 0.6)
    return f": did you mean {' or '.join(near)}?" if near else ": compute it with jax.numpy"
