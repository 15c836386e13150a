"""What JAX says of a function that it cannot trace, in one line with the way round."""

from __future__ import annotations

import re

# What JAX says, and what is to be done; the first that is found.
_WAYS = (
    (r"unbound axis name: (\w+)",
     "a function calls a collective (psum, pmean, ...) over the axis {0!r}, but no such axis is "
     "there: leave it out, podsim averages losses and gradients over the cores itself"),
    (r"grad requires real-valued outputs.*got (\w+)",
     "the loss is {0}, which has no gradient (argmax and comparisons return such): return a "
     "float32 loss"),
    (r"Pure callbacks do not support JVP|IO callbacks do not support JVP",
     "a function calls back into Python (pure_callback, io_callback), which podsim cannot run on "
     "the cores: compute it with jax.numpy"),
    (r"Attempted boolean conversion of traced array",
     "a function takes an if, while, and, or or bool() of a traced value: use jnp.where or "
     "jax.lax.cond"),
    (r"with the `(\w+)` function",
     "a function calls {0}() of a traced value: leave it out, and keep to jax.numpy"),
)


def in_one_line(error: Exception) -> str:
    """Nothing: it is none of these."""
    for pattern, said in _WAYS:
        found = re.search(pattern, str(error))
        if found:
            return said.format(*found.groups())
    return ""
