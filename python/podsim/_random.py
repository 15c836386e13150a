"""A kind of JAX's random keys whose draws the importer knows by their names.

In JAX they draw as threefry does; models/import puts podsim's own bits in their place."""

from __future__ import annotations

import functools
from typing import Any

from . import _errors


@functools.cache
def _implementation() -> Any:
    import jax
    import jax.numpy as jnp
    from jax.extend import random as extended

    def threefry(key: Any) -> Any:
        return jax.random.wrap_key_data(key, impl="threefry2x32")

    def named(function: Any, name: str, *static: int) -> Any:
        function.__name__ = function.__qualname__ = name
        return jax.jit(function, static_argnums=static)

    bits_of = named(lambda key, shape: jax.random.bits(threefry(key), shape, "uint32"),
                    "podsim_random_bits", 1)
    split_of = named(lambda key, shape: jax.random.key_data(
        jax.random.split(threefry(key), shape)), "podsim_split", 1)
    fold_of = named(lambda key, data: jax.random.key_data(
        jax.random.fold_in(threefry(key), data)), "podsim_fold_in")

    def random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
        bits = bits_of(key, tuple(shape))
        if bit_width == 32:
            return bits
        if bit_width == 8:
            return jnp.right_shift(bits, 24).astype("uint8")
        raise _errors.said(TypeError(f"podsim draws no random numbers of {bit_width} bits: draw "
                                       "in float32 (or 32 bits) and convert"))

    return extended.define_prng_impl(
        key_shape=(2,),
        seed=lambda seed: jax.random.key_data(jax.random.key(seed, impl="threefry2x32")),
        split=lambda key, shape: split_of(key, tuple(shape)),
        random_bits=random_bits,
        fold_in=lambda key, data: fold_of(key, jnp.asarray(data, "uint32")),
        name="podsim")


@functools.cache
def _silent() -> Any:
    import jax.numpy as jnp
    from jax.extend import random as extended

    def random_bits(*_: Any) -> Any:
        raise _errors.said(TypeError("eval_fn draws random numbers from its state, but an "
                                       "evaluation draws nothing: switch dropout off there "
                                       "(flax: model.eval())"))

    def key(*_: Any) -> Any:
        return jnp.zeros(2, "uint32")

    return extended.define_prng_impl(
        key_shape=(2,), seed=key, fold_in=key, random_bits=random_bits,
        split=lambda _, shape: jnp.zeros((*shape, 2), "uint32"), name="podsim_silent")


def silent() -> Any:
    """A key from which nothing can be drawn."""
    import jax
    import jax.numpy as jnp

    return jax.random.wrap_key_data(jnp.zeros(2, "uint32"), impl=_silent())


def wrap(numbers: Any) -> Any:
    """A key of uint32 [2]."""
    import jax

    return jax.random.wrap_key_data(numbers, impl=_implementation())
