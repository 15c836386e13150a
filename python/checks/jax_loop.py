"""JAX's own loop over podsim's stream: its order of the examples, the bits that each
draws, and which examples see one another."""

from __future__ import annotations

import pathlib
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax

import draws
import gradients
import podsim
import stream
from podsim import _trees
from training_models import GLOBAL

SEED = 0  # of podsim's jobs


def named(losses, params, state):
    """float64, by name."""
    results = {"losses": np.asarray(losses, np.float64)}
    for prefix, tree in (("", params), ("state/", state)):
        names, leaves, _ = _trees.named_leaves(tree, "params")
        results |= {prefix + name: np.asarray(leaf, np.float64)
                    for name, leaf in zip(names, leaves)}
    return results


def _model_file(model):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "model")
        podsim.export(model.loss, model.params, model.batch, file, state=model.state)
        return file.read_bytes()


def _mean_of_groups(x):
    """A whole number stays one."""
    mean = x.mean(0)
    return mean if jnp.issubdtype(x.dtype, jnp.floating) else jnp.round(mean).astype(x.dtype)


class Loop:
    """`steps` of JAX over `groups` of examples that see only one another."""

    def __init__(self, model, groups, steps):
        self._model = model
        rows = (steps, groups, GLOBAL // groups)
        self._order = stream.examples(SEED, GLOBAL, steps * GLOBAL).reshape(rows)
        self._bits = np.zeros((*rows, 0), np.uint32)
        self._kind = None
        if model.draws:
            sites = draws.Sites.of(_model_file(model))
            places = np.arange(steps * GLOBAL)
            self._bits = draws.bits_of(
                sites, stream.example_keys(SEED, places).reshape(rows),
                stream.step_keys(SEED, places // GLOBAL * GLOBAL).reshape(rows))
            self._kind = draws.key_kind(sites, GLOBAL // groups)

    def _mean(self, params, state, examples, bits):
        model = self._model

        def of_group(examples, bits):
            given = [params] if model.state is None else [params, state]
            key = [draws.wrap(bits, self._kind)] if model.draws else []
            returned = model.loss(*given, examples, *key)
            return (returned, None) if model.state is None else returned

        losses, states = jax.vmap(of_group)(examples, bits)
        return losses.mean(), jax.tree_util.tree_map(_mean_of_groups, states)

    def run(self, transformation, dtype, generator=None):
        """generator: shuffles groups, and examples within each."""
        order, bits = self._order, self._bits
        if generator is not None:
            for axis in (1, 2):
                shuffled = generator.permutation(order.shape[axis])
                order, bits = (np.take(x, shuffled, axis) for x in (order, bits))
        with jax.enable_x64(dtype == np.float64):
            params, state, batch = (gradients._cast(tree, dtype) for tree in (
                self._model.params, self._model.state, self._model.batch))
            moments = transformation.init(params)

            @jax.jit
            def step(params, state, moments, examples, bits):
                (loss, state), gradient = jax.value_and_grad(self._mean, has_aux=True)(
                    params, state, examples, bits)
                updates, moments = transformation.update(gradient, moments, params)
                return optax.apply_updates(params, updates), state, moments, loss

            losses = []
            for rows, drawn in zip(order, bits):
                examples = jax.tree_util.tree_map(lambda x: x[rows], batch)
                params, state, moments, loss = step(params, state, moments, examples, drawn)
                losses.append(loss)
            return named(*jax.device_get((losses, params, state)))
