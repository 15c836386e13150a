"""What a function draws in podsim, for JAX: sites of its model file, and a kind of keys
that hold the bits of a step.

In JAX the draws are told apart by their shapes, so each draw of a function must have
another one."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import random as extended

import stream


def _varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def _fields(data):
    """(field, number or bytes) of a message of protobuf, in order."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 1:  # a double, of which nothing is read
            at += 8
            continue
        value, at = _varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def _all(data, field):
    return [value for each, value in _fields(data) if each == field]


def _numbers(packed):
    numbers, at = [], 0
    while at < len(packed):
        number, at = _varint(packed, at)
        numbers.append(number)
    return numbers


def _sites(model, op):
    """Of a model file's bytes (proto/model.proto), each draw by `op`: its shape, without
    the batch -> site."""
    found = {}
    graph, = _all(model, 4)
    for node in _all(graph, 2):
        if _all(node, 1) != [op]:
            continue
        attributes, = _all(node, 4)
        shape = b"".join(_all(attributes, 2))  # absent: a scalar
        dims = _numbers(b"".join(_all(shape, 1)))
        lists, = _all(attributes, 5)
        site, = _numbers(_all(lists, 2)[0])
        shape = tuple(dims[1:] if op == b"random_bits" else dims)
        if shape in found:
            raise ValueError(f"two draws have the shape {shape}")
        found[shape] = site
    return found


@dataclasses.dataclass(frozen=True)
class Sites:
    """Of each draw its shape and its site."""

    own: dict[tuple[int, ...], int]  # each example's; without the batch
    shared: dict[tuple[int, ...], int]  # the same for all examples of a step

    @staticmethod
    def of(model):
        return Sites(_sites(model, b"random_bits"), _sites(model, b"shared_random_bits"))


def _size(shape):
    return int(np.prod(shape, dtype=np.int64))


def bits_of(sites, keys, step_keys):
    """All that examples draw in steps, draw after draw, and two numbers for key_kind:
    uint32 [..., n]. keys, step_keys: of each example its own and its step's, [...]."""
    drawn = [stream.random_bits(of, site, _size(shape))
             for of, table in ((keys, sites.own), (step_keys, sites.shared))
             for shape, site in table.items()]
    marks = np.broadcast_to(np.array([1, 0], np.uint32), (*keys.shape, 2))
    return np.concatenate([*drawn, marks], -1)


# The last columns: 1 in the rows of examples that the key is of; which of the keys
# that it was split into.
_MINE, _NUMBER = -2, -1


def key_kind(sites, rows):
    """JAX's keys of `rows` examples whose numbers are bits_of."""
    places, end = {}, 0
    for is_own, table in ((True, sites.own), (False, sites.shared)):
        for shape in table:
            begin, end = end, end + _size(shape)
            places[is_own, shape] = slice(begin, end)

    def mine(key, drawn):
        """What the one example of the key draws."""
        return (drawn * key[:, _MINE].reshape(rows, *[1] * (drawn.ndim - 1))).sum(
            0, dtype="uint32")

    def all_of(key, shape, front=()):
        """[rows, *front, ...] of a draw of the examples, moved to where `shape` has the
        batch; none if there is no such draw."""
        for axis, side in enumerate(shape):
            each = (side // rows,) if side > rows else ()
            own = (*front, *shape[:axis], *each, *shape[axis + 1:])
            if side % rows == 0 and (True, own) in places:
                return own, lambda drawn: jnp.moveaxis(drawn, 0, axis).reshape(shape)
        return None

    def random_bits(key, bit_width, shape):
        if bit_width != 32:
            raise TypeError(f"podsim's bits are words of 32, not of {bit_width}")
        shape = tuple(shape)

        def drawn(own):
            return key[:, places[True, own]].reshape(rows, *own)

        if (False, shape) in places:
            return key[0, places[False, shape]].reshape(shape)
        if (True, shape) in places:
            return mine(key, drawn(shape))
        if found := all_of(key, shape):
            return found[1](drawn(found[0]))
        # One of several keys that are drawn from at once.
        for is_own, own in places:
            if not is_own or not own:
                continue
            if own[1:] == shape:
                return mine(key, drawn(own)[:, key[0, _NUMBER]])
            if found := all_of(key, shape, own[:1]):
                if found[0] == own:
                    return found[1](drawn(own)[:, key[0, _NUMBER]])
        raise ValueError(f"the model draws nothing of the shape {shape}")

    def split(key, shape):
        keys = jnp.broadcast_to(key, (*shape, *key.shape))
        if shape == (rows,):
            return keys.at[:, :, _MINE].mul(jnp.eye(rows, dtype="uint32"))
        numbers = jnp.arange(_size(shape), dtype="uint32").reshape(*shape, 1)
        return keys.at[..., _NUMBER].set(jnp.broadcast_to(numbers, keys.shape[:-1]))

    return extended.define_prng_impl(
        key_shape=(rows, end + 2), random_bits=random_bits, name="podsim_stream",
        seed=lambda seed: jnp.zeros((rows, end + 2), "uint32"),
        split=split, fold_in=lambda key, data: key)


def wrap(bits, kind):
    return jax.random.wrap_key_data(bits, impl=kind)
