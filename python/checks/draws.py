"""What a function draws in podsim, for JAX: sites of its model file, and a kind of keys
that hold the bits of a step.

In JAX the draws are told apart by their shapes, so each draw of a function must have
another one."""

from __future__ import annotations

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


def sites(model):
    """Of a model file's bytes (proto/model.proto), each random_bits: shape of an
    example's draw -> site."""
    found = {}
    graph, = _all(model, 4)
    for node in _all(graph, 2):
        if _all(node, 1) != [b"random_bits"]:
            continue
        attributes, = _all(node, 4)
        shape, = _all(attributes, 2)
        dims = _numbers(_all(shape, 1)[0])
        lists, = _all(attributes, 5)
        site, = _numbers(_all(lists, 2)[0])
        if tuple(dims[1:]) in found:
            raise ValueError(f"two draws have the shape {dims}")
        found[tuple(dims[1:])] = site
    return found


def bits_of(sites_of, keys):
    """All that the examples of these keys draw, draw after draw: uint32 [..., n]."""
    drawn = [stream.random_bits(keys, site, int(np.prod(shape, dtype=np.int64)))
             for shape, site in sites_of.items()]
    return np.concatenate(drawn, -1)


def key_kind(sites_of, rows):
    """JAX's keys of `rows` examples whose numbers are bits_of."""
    places, end = {}, 0
    for shape in sites_of:
        begin, end = end, end + int(np.prod(shape, dtype=np.int64))
        places[(rows, *shape)] = slice(begin, end)

    def random_bits(key, bit_width, shape):
        if bit_width != 32:
            raise TypeError(f"podsim's bits are words of 32, not of {bit_width}")
        return key[:, places[tuple(shape)]].reshape(shape)

    return extended.define_prng_impl(
        key_shape=(rows, end), random_bits=random_bits, name="podsim_stream",
        seed=lambda seed: jnp.zeros((rows, end), "uint32"),
        split=lambda key, shape: jnp.broadcast_to(key, (*shape, rows, end)),
        fold_in=lambda key, data: key)


def wrap(bits, kind):
    return jax.random.wrap_key_data(bits, impl=kind)
