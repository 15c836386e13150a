"""Numbers in a message that follow the number of examples a function is traced with.

Functions are traced with several numbers of examples. None of these is the caller's, so
messages say N."""

from __future__ import annotations

import re
from typing import Sequence

# Numbers of examples that hardly are a dimension of somebody's model by chance.
BATCHES = (19, 23, 29)

_LARGEST_DIVISOR = 16
_NUMBER = re.compile(r"((?<![\w.])\d+(?![\w.]*\w))")


def of_n(numbers: Sequence[float], counts: Sequence[int] = BATCHES) -> str:
    """"N", "8*N", "N-1" or "N//2" for the numbers that stand where there are `counts`
    examples; empty if they follow N in no such way."""
    pairs = list(zip(numbers, counts))
    factors = {number / count for number, count in pairs}
    offsets = {number - count for number, count in pairs}
    if len(factors) == 1:
        factor = factors.pop()
        return "N" if factor == 1 else f"{factor:g}*N"
    if len(offsets) == 1:
        return f"N{offsets.pop():+g}"
    for divisor in range(2, _LARGEST_DIVISOR + 1):
        if all(number == count // divisor for number, count in pairs):
            return f"N//{divisor}"
        if all(number == -(-count // divisor) for number, count in pairs):
            return f"ceil(N/{divisor})"
    return ""


def _one(text: str, count: int) -> str:
    """The text of one tracing: the number itself is N."""
    return re.sub(rf"(?<![\w.]){count}(?![\w.]*\w)", "N", text)


def merged(texts: Sequence[str], counts: Sequence[int] = BATCHES) -> str:
    """One message of those that tracing with `counts` examples gave."""
    parts = [_NUMBER.split(text) for text in texts]
    if len(texts) < 2 or any(part[::2] != parts[0][::2] for part in parts):
        return _one(texts[0], counts[0])
    said = list(parts[0])
    for i in range(1, len(said), 2):
        numbers = [part[i] for part in parts]
        if len(set(numbers)) > 1:
            said[i] = of_n(list(map(int, numbers)), counts) or "a number that follows N"
    return "".join(said)
