"""Numbers that this generator and golden_draws.h make alike, so that no file
has to hold them: pure functions of a seed, a name and a counter.

The generator is SplitMix64's mixing function [Steele, Lea and Flood, Fast
splittable pseudorandom number generators, 2014]. Every number is exact: spreads
are powers of two, so that weights are rounded once, to float32.
"""

import hashlib

import numpy as np

CLASSES = 10
PIXELS = 64  # of an example, 8x8
LEVELS = 17  # of a centre's pixel and of the noise on it


def mix(z):
    z = (z + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def key_of(seed, name):
    key = mix(np.array([seed], np.uint64))
    for byte in name.encode():
        key = mix(key ^ np.uint64(byte))
    return key


def bits24(seed, name, counters):
    """24 random bits for each counter."""
    words = mix(key_of(seed, name) + np.asarray(counters, np.uint64))
    return words >> np.uint64(40)


def whole(seed, name, counters, below):
    """Integers in [0, below)."""
    bits = bits24(seed, name, counters)
    return (bits * np.uint64(below) >> np.uint64(24)).astype(np.int64)


def weights(seed, name, variable):
    """Uniform in centre +- spread, float32."""
    count = int(np.prod(variable.shape))
    bits = bits24(seed, name, np.arange(count)).astype(np.float64)
    values = variable.centre + variable.spread * (bits * 2.0**-23 - 1)
    return values.astype(np.float32).reshape(variable.shape)


def moved_by_one_ulp(seed, run, name, values):
    """Each value to its neighbour above or below."""
    up = bits24(seed, f"ulp {run} {name}", np.arange(values.size)) >> 23
    towards = np.where(up.reshape(values.shape), np.inf, -np.inf)
    return np.nextafter(values, towards.astype(np.float32))


def examples(seed, count):
    """Examples 0 to count - 1 of the stream, as every input that models read:
    a class's picture and noise, pixel by pixel in 0..32."""
    number = np.arange(count)[:, None]
    pixel = np.arange(PIXELS)[None, :]
    labels = whole(seed, "labels", np.arange(count), CLASSES)
    centres = whole(seed, "centres", labels[:, None] * PIXELS + pixel, LEVELS)
    noise = whole(seed, "noise", number * PIXELS + pixel, LEVELS)
    level = centres + noise
    return {"features": (level / 32).astype(np.float32).reshape(-1, 8, 8),
            "tokens": (level // 2).astype(np.int32),
            "labels": labels.astype(np.int32)}


def digest(arrays):
    """SHA-256 of the bytes of arrays, one behind the other."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()
