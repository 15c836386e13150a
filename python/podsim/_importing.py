"""What pod_program says of a function that it cannot import, in the words of those who wrote
the function, with the way round."""

from __future__ import annotations

import re
from typing import Any, Mapping

import numpy as np

from . import _decompositions, _trees, _words
from ._counts import BATCHES, of_n

# "train.py:41: dot_general (dot): why", behind what is imported.
_REFUSAL = re.compile(r"^cannot import (?P<of>.*?): (?P<part>training|evaluation): "
                      r"(?P<place>[^: ]+:\d+: )?(?P<name>[\w.-]+)(?: \((?P<op>[\w.-]+)\))?: "
                      r"(?P<why>.*)$", re.DOTALL)
_COMPARED = "the batch is in two of its dimensions"

_OWN_KEY = "random numbers are drawn from a key that is none of the function's arguments"
_OWN_EXAMPLES = ("each core has but its own examples, so that these are others on each slice; take "
                 "whole arrays")

# Operation and reason, and what is said in place of both.
_INSTEAD = (
    (r"sort\(uint32 .*its examples would be compared with one another",
     "jax.random.permutation, shuffle and choice without replacement of the examples cannot be "
     "made, as each core has but its own: leave them out, each epoch has the examples in a new "
     "order anyway (shuffle=True)"),
    (r"iota_2x32_shape.*its type is uint64|threefry2x32.*",
     _OWN_KEY + " (made in it, or held from outside): take a third argument, loss_fn(params, "
     "batch, key), and draw from that"),
    (r"^constant: it has a number of its own for each example",
     "an array that the function makes by numpy, or holds, has a number for each example: give it "
     "as an array of the data set; random numbers are drawn from a key, the last argument of the "
     "function, jax.random.normal(key, shape)"),
    (r"its type is (complex\d+); (podsim has .*)",
     r"complex numbers (\1, as jnp.fft makes them) stand in the function; \2: compute with "
     "real ones"),
    (r"its number is (.*?) with N examples: neither fixed",
     r"the function computes with \1, which is neither fixed nor a multiple of N or of 1/N, N the "
     "number of examples (jnp.median, jnp.cov and ddof=1 do so): divide by x.shape[0] itself, or "
     "compute along another axis"),
    (r"^.*?: (a window or a running sum .* along another axis); it has .*", r"\1"),
    (r"^(?:slice|dynamic_slice|gather): dimension \d+ is (.*?) with N examples: neither fixed|"
     r"^slice: a slice that (?:begins|ends) has (.*?) with N examples",
     "x[a:b], jnp.roll or jnp.diff take a part of the examples: " + _OWN_EXAMPLES),
    (r"^pad: padding that has",
     "x[i] or x[:n] takes a part of the examples, or jnp.pad adds to them: " + _OWN_EXAMPLES),
    (r"^(.*?): dimension \d+ is (.*?) with N examples: neither fixed",
     r"\1: an axis has \2 elements where there are N examples, neither a fixed number nor a "
     "multiple of N: keep the axis of the examples as it is"),
    (r"^.*?: what is computed depends on the number of examples",
     "what is computed depends on the number of examples: a loop goes over them, or their "
     "number is asked of a shape: take jax.vmap over the examples, and no numbers of x.shape[0]"),
    (r"(.*): podsim cannot call '\w+'; (.*)", r"\1: podsim has no such operation: \2"),
)

# What it says, and what is to be done.
_WAYS = (
    (r"sort\(.*its examples would be compared with one another",
     "each core has but its own examples: sort along another axis"),
    (r"slice that ends has .*which podsim cannot leave open",
     "of keys, split as many as there are examples, jax.random.split(key, len(x)), and make one "
     "more by jax.random.fold_in(key, 1)"),
    (r"its type is (?:u?int64|float64)",
     "JAX computes with 64 bits (jax_enable_x64): call podsim without that, or say .astype(jnp."
     "int32) and .astype(jnp.float32) in the function"),
    (r"batch dimension cannot be sliced",
     "each core has but its own examples: take whole arrays"),
    (r"is the batch, which cannot be concatenated",
     "concatenate along another axis, or take the mean of each and add them"),
    (r"dimensions .* have the batch among them, which cannot be reversed",
     "take the examples as they come"),
)


def _with_n(text: str) -> str:
    """N for the numbers that follow the number of examples."""
    examples = ", ".join(map(str, BATCHES))

    def said(match: re.Match[str]) -> str:
        numbers = [float(each) for each in match[1].split(", ")]
        return f"{of_n(numbers) or 'a number that follows N'} with N examples"

    text = re.sub(rf"([\d.]+, [\d.]+, [\d.]+) with {examples} examples", said, text)
    return text.replace(f"{examples} examples", "N examples").replace("[B", "[N")


def _said(operation: str, name: str, why: str) -> str:
    """Operation and reason, without what podsim's own operations are called."""
    plain = _words.types(_with_n(re.sub(r"^[\w ]+\([^:]*\[[^:]*\): ", "", why)))
    for pattern, instead in _INSTEAD:
        for text in (f"{name}: {why}", f"{name}: {plain}"):
            found = re.search(pattern, text, re.DOTALL)
            if found:
                return found.expand(instead).replace(f"{name}: ", f"{operation}: ", 1)
    return f"{operation}: {plain}"


def _columns(batch: Any) -> list[tuple[str, str]]:
    """("array 1", "int32[N,1]") of the arrays of a batch that have one number for each
    example, in a column."""
    if batch is None:
        return []
    names, leaves, _ = _trees.named_leaves(batch, "")
    return [(f"array {name}".rstrip(), f"{leaf.dtype}[N,1]") for name, leaf in zip(names, leaves)
            if hasattr(leaf, "dtype") and np.ndim(leaf) == 2 and np.shape(leaf)[1] == 1]


def _compared(said: str, batch: Any) -> str:
    """What is said of examples that are compared because of labels in a column."""
    columns = _columns(batch)
    if _COMPARED not in said or "product" in said:
        return said
    if not columns:
        return f"{said}; [N,1] beside [N] is [N,N]: x[:, 0] makes the first of them [N]"
    name, kind = columns[0]
    return (f"{name} of the batch is {kind} and is broadcast against [N], so that examples are "
            "compared with one another: give it with the shape (N,): y[:, 0]")


def in_python(text: str, place: str = "", batch: Any = None,
              notes: Mapping[str, Any] | None = None) -> str:
    """The text in the words of a call of export. place: "train.py:12: ", where the function
    begins; batch: what it is given; notes: those of _decompositions.py."""
    found = _REFUSAL.match(text)
    if not found:
        return re.sub(r"^--output is", "path is", text)
    name, op, why = found["name"], found["op"] or "", found["why"]
    known = name if _words.operation(name) != name or not op else op
    part = "eval_fn: " if found["part"] == "evaluation" else ""
    operation = _words.operation(known)
    said = _compared(_said(operation, name, why), batch)
    note = (notes or {}).get((found["place"] or "") + operation)
    said = _decompositions.said(said, operation, note)
    if part and _OWN_KEY in said:
        said = "it draws random numbers, but an evaluation draws nothing: leave them out"
    return (found["place"] or place) + part + said + _way_round(said, why)


# "warning: train.py:41: divide: the loss ..."
_WARNING = re.compile(r"^warning: (?P<place>[^: ]+:\d+: )?(?P<name>[\w.-]+)(?: \((?P<op>[\w.-]+)\))?: "
                      r"(?P<why>.*)$")


def warnings(text: str, evaluates: bool) -> list[str]:
    """Those of a function that was imported, from what pod_program printed. evaluates:
    with what it says of evaluations."""
    found = [each for each in map(_WARNING.match, text.splitlines())
             if each and (evaluates or each["name"] != "evaluation")]
    return [(each["place"] or "") + re.sub("^it has no ", "an evaluation has no ", each["why"])
            for each in found]


def _way_round(said: str, why: str) -> str:
    """What to do beside what is said already, or nothing."""
    if "shuffle=True" in said or _OWN_KEY in said:
        return ""
    ways = [way for pattern, way in _WAYS if re.search(pattern, f"{why}\n{_words.types(why)}")]
    return "".join(f"; {way}" for way in ways)
