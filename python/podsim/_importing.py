"""What pod_program says of a function that it cannot import, with the way round."""

from __future__ import annotations

import re

# What it says, and what is to be done.
_WAYS = (
    (r"sort\(uint32 .*its examples would be compared with one another",
     "jax.random.permutation and shuffle of the examples cannot be made, as each core has but its "
     "own: leave them out, each epoch has the examples in a new order anyway (shuffle=True)"),
    (r"slice that ends has .*which podsim cannot leave open",
     "x[1:] and the like leave out examples of every core: take whole arrays; of keys, split as "
     "many as there are examples, jax.random.split(key, len(x)), and make one more by "
     "jax.random.fold_in(key, 1)"),
)


def in_python(text: str) -> str:
    """The text in the words of a call of export."""
    ways = [f"; {way}" for pattern, way in _WAYS if re.search(pattern, text)]
    return re.sub(r"^--output is", "path is", text) + "".join(ways)
