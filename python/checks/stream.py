"""podsim's stream in NumPy: which example is in which place of it, and what each draws.

What host/input/stream.h and models/ops/random_bits.cc say, written a second time."""

from __future__ import annotations

import numpy as np

_WORD = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(key, low, high):
    """Four words for each key and 128-bit counter: uint32 [..., 4]."""
    key, low, high = np.broadcast_arrays(*(np.asarray(x, np.uint64) for x in (key, low, high)))
    a, b, c, d = low & _WORD, low >> _HALF, high & _WORD, high >> _HALF
    first, second = key & _WORD, key >> _HALF
    for _ in range(10):
        p = np.uint64(0xD2511F53) * a
        q = np.uint64(0xCD9E8D57) * c
        a, b, c, d = (q >> _HALF) ^ b ^ first, q & _WORD, (p >> _HALF) ^ d ^ second, p & _WORD
        first = (first + np.uint64(0x9E3779B9)) & _WORD
        second = (second + np.uint64(0xBB67AE85)) & _WORD
    return np.stack([a, b, c, d], -1).astype(np.uint32)


def _joined(high, low):
    return high.astype(np.uint64) << _HALF | low.astype(np.uint64)


def random_key(seed, name):
    """The key of a seed and a name."""
    hashed = 0xCBF29CE484222325
    for byte in name.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
    words = philox(seed, hashed, len(name))
    return _joined(words[0], words[1])


def _epoch(seed, size, epoch):
    """The data set's examples in the order of an epoch."""
    words = philox(random_key(seed, "data stream"), epoch, 0)
    key = _joined(words[0], words[1])
    half = np.uint64(1)
    while half < 32 and 1 << 2 * int(half) < size:
        half += np.uint64(1)
    mask = np.uint64((1 << int(half)) - 1)

    def network(value):
        left, right = value >> half, value & mask
        for step in range(4):
            left, right = right, left ^ (philox(key, right, step)[..., 0] & mask)
        return left << half | right

    order = network(np.arange(size, dtype=np.uint64))
    while (order >= size).any():
        order = np.where(order >= size, network(order), order)
    return order.astype(np.int64)


def examples(seed, size, count):
    """The first `count` examples of the stream of a data set of `size`."""
    epochs = -(-count // size)
    return np.concatenate([_epoch(seed, size, each) for each in range(epochs)])[:count]


def example_keys(seed, places):
    """Of each place of the stream: uint64, as random_bits joins the two words."""
    words = philox(random_key(seed, "example keys"), places, 0)
    return _joined(words[..., 1], words[..., 0])


def step_keys(seed, consumed):
    """Of steps before which so many examples were read: uint64, likewise."""
    words = philox(random_key(seed, "step keys"), consumed, 0)
    return _joined(words[..., 1], words[..., 0])


def random_bits(keys, site, count):
    """What a random_bits or a shared_random_bits of `site` draws for each key: uint32 [..., count]."""
    blocks = np.arange(-(-count // 4), dtype=np.uint64)
    words = philox(keys[..., None], blocks, site)
    return words.reshape(*keys.shape, -1)[..., :count]
