"""Whole numbers of 64 bits that a loss function holds, of which JAX makes 32 without a word: a
table of traced_mistakes.py."""

import jax
import jax.numpy as jnp
import numpy as np
from mistakes import exported, loss_fn

WIDE = np.array([2**40, 3, 2**33 + 5] + [1] * 13)
LARGE = np.int64(2**40 + 7)
TABLES = {"scale": WIDE, "names": ["a"]}


def of_wide(scaled):
    """A loss of images times what `scaled(images)` makes of them."""
    def loss(params, batch):
        return loss_fn(params, (scaled(batch[0]), batch[1]))

    return loss


def by_helper(x):
    return x * WIDE


class Scaled:
    def __init__(self):
        self.scale = WIDE

    def loss(self, params, batch):
        return loss_fn(params, (batch[0] * self.scale, batch[1]))


NARROWED = (": {} is int64 and holds 1099511627776, of which JAX makes int32, 0, without a word: "
            "give numbers from -2147483648 to 2147483647, or float32")
# Whole numbers of 64 bits that a function holds.
OF_WIDE = [
    ("int64 beyond int32", lambda: exported(of_wide(lambda x: x * WIDE)), ValueError,
     NARROWED.format("WIDE")),
    ("int64 beyond int32, in a helper", lambda: exported(of_wide(jax.jit(by_helper))), ValueError,
     NARROWED.format("WIDE")),
    ("int64 beyond int32, in vmap", lambda: exported(of_wide(jax.vmap(lambda row: row * WIDE))),
     ValueError, NARROWED.format("WIDE")),
    ("int64 beyond int32, in a dict", lambda: exported(of_wide(lambda x: x * TABLES["scale"])),
     ValueError, NARROWED.format("an array in TABLES")),
    ("int64 beyond int32, of an object", lambda: exported(Scaled().loss), ValueError,
     NARROWED.format("self.scale")),
    ("int64 beyond int32, a part", lambda: exported(of_wide(lambda x: x[:, :3] @ (
        jnp.zeros((3, 16)) + WIDE[:3, None]))), ValueError, NARROWED.format("WIDE")),
    ("int64 beyond int32, of an evaluation", lambda: exported(loss_fn, eval_fn=lambda p, b: {
        "scaled": (b[0] * WIDE).mean(1)}), ValueError, NARROWED.format("WIDE")),
    ("a number beyond int32", lambda: exported(of_wide(lambda x: x * LARGE)), ValueError,
     ": LARGE is int64 and holds 1099511627783, of which JAX makes int32, 7, without a word"),
    ("int64 beyond int32 as float32", lambda: exported(of_wide(
        lambda x: x * WIDE.astype(np.float32))), None, ""),
    ("a number beyond int32 as float32", lambda: exported(of_wide(
        lambda x: x * np.float32(LARGE))), None, ""),
    ("int64 within int32", lambda: exported(of_wide(lambda x: x * WIDE[1:2])), None, ""),
    ("a number of Python beyond int32 as float", lambda: exported(of_wide(
        lambda x: x * float(2**40))), None, ""),
]
