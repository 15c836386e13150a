"""What a job says of an operation whose result is not finite, with the way round if it divides by
0 or the like."""

from __future__ import annotations

import re
from typing import Sequence

_RANGE = r"\[([^\[\],]+), ([^\[\],]+)\]"
# "first not finite: divide (div.1, called at e.py:28) makes inf in example 84 of the data set, from
# operands in [0.5, 0.5], [0, 2]", all of them finite (host/core/first_not_finite.cc).
_MAKES = re.compile(r"first not finite: (?P<op>\w+) \([^()]*\) makes [^\[;]*, from operands in "
                    rf"(?P<ranges>{_RANGE}(?:, {_RANGE})*)(?=;|$)")

_OF_ROOTS = ("a quotient, or the gradient of a root or a norm, at 0: add an epsilon inside it, as "
             "in jnp.sqrt(x**2 + 1e-12), or keep 0 out, as in jnp.where(x == 0, 1, x)")
_WAYS = {**dict.fromkeys(("divide", "rsqrt", "power"), _OF_ROOTS),
         "log": ("a logarithm of 0: add an epsilon inside it, as in jnp.log(x + 1e-12), or take "
                 "jax.nn.log_softmax or jax.nn.log_sigmoid of logits")}


def _is_at_zero(op: str, operands: Sequence[tuple[float, float]]) -> bool:
    """Whether 0 is what it is not finite at. operands: the least and the greatest of each."""
    least, greatest = operands[-1]
    if op == "divide":
        return least <= 0 <= greatest
    if op == "power":
        return operands[0][0] == 0 and least < 0
    return least == 0


def with_way(reason: str) -> str:
    found = _MAKES.search(reason)
    if not found or found["op"] not in _WAYS:
        return reason
    operands = [(float(least), float(greatest))
                for least, greatest in re.findall(_RANGE, found["ranges"])]
    if not _is_at_zero(found["op"], operands):
        return reason
    return f"{reason[:found.end()]}: {_WAYS[found['op']]}{reason[found.end():]}"
