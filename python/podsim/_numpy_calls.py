"""NumPy where it is called with a traced value: which function, and what to call instead."""

from __future__ import annotations

from typing import Any

from . import _frames

_CALLED = "numpy is called on a traced value{0}: use jax.numpy there{1}"
_DRAWN = ("numpy draws with a traced value ({0}): draw from a random key, the last argument of "
          "the loss function: jax.random.{1}(key, ...)")

_INSIDE = ("{0} takes a traced value, or a tuple of them, to numpy: give it "
           "one array, and call functions that compute with jax.numpy")

# By the instruction of Python that called it.
_OTHERWISE = {
    "BINARY_SUBSCR": "a numpy array is indexed by a traced value: make it an array of JAX, "
                     "jnp.asarray(x)[i]",
    "STORE_SUBSCR": "a traced value is written into a numpy array (x[i] = y): make it an array of "
                    "JAX, x = jnp.asarray(x).at[i].set(y)",
}


def text(at: Any) -> str:
    """at: a traceback's, of the caller's code; None: not known."""
    names = _frames.called(at)
    if not names or not _frames.is_of(at, names[0], "numpy"):
        function = ".".join(names) or "a function that is called here"
        return _OTHERWISE.get(_frames.instruction(at), _INSIDE.format(function))
    import jax

    name, said = names[-1], ".".join(names)
    if "random" in names[1:-1]:
        return _DRAWN.format(said, name if hasattr(jax.random, name) else "normal")
    instead = f": jnp.{name}(...)" if hasattr(jax.numpy, name) else ""
    return _CALLED.format(f" ({said})", instead)
