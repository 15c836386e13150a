"""Losses that hold sums over the whole batch: equal to JAX on one device, or warned of.

    python3 coupled_losses.py

A core has only its own examples. Where podsim takes such sums over the pod, loss and
gradient of one step are JAX's, and so is the loss of an evaluation, of all its examples at
once; where it cannot, it says so. Weights are dense, or zero on nearly all examples, so that
some cores have none.
"""

from __future__ import annotations

import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import optax
import podsim

BOUND = 1e-5  # of the norm, in float32; another loss is off by more than 1e-3
EXAMPLES, FEATURES, CLASSES = 192, 8, 3
HELD_OUT = 77  # no multiple of what the cores evaluate at once

# Of the loss l and the weight d of each example.
FORMS = {
    "a weighted mean": lambda l, d: (l * d).sum() / jnp.maximum(d.sum(), 1),
    "a weighted mean, computed again": jax.checkpoint(
        lambda l, d: (l * d).sum() / jnp.maximum(d.sum(), 1)),
    "where its weights have a sum": lambda l, d: jnp.where(
        d.sum() > 0, (l * d).sum() / jnp.where(d.sum() > 0, d.sum(), 1.0), 0.0),
    "by a condition": lambda l, d: jax.lax.cond(
        d.sum() > 0, lambda: (l * d).sum() / d.sum(), lambda: 0.0),
    "a mean over a mask": lambda l, d: jnp.mean(l, where=d > 0),
    "a count that is clipped": lambda l, d: (l * (d > 0)).sum() / jnp.clip((d > 0).sum(), 1),
    "another loss where there are few": lambda l, d: jnp.mean(l) * jnp.where(
        d.sum() > 5, 1.0, 2.0),
    "weights that are normalized first": lambda l, d: ((d / d.sum()) * l).sum(),
    "advantages": lambda l, d: jnp.mean((d - d.mean()) / jnp.sqrt(d.var() + 1.0) * l),
    "by the root of a sum": lambda l, d: (l * d).sum() / jnp.sqrt((d * d).sum() + 1.0),
    "by the effective number": lambda l, d: (l * d).sum() * d.sum() / ((d * d).sum() + 1.0),
    "by the logarithm of a sum": lambda l, d: jnp.mean(l) * jnp.log1p(d.sum()),
}
EQUAL = ("a weighted mean", "a weighted mean, computed again", "where its weights have a sum",
         "by a condition", "a mean over a mask", "a count that is clipped",
         "another loss where there are few", "weights that are normalized first", "advantages")
NOT_EVALUATED = ("advantages",)  # of EQUAL: a warning says so


def data(draw, examples):
    x = draw.normal(size=(examples, FEATURES)).astype(np.float32)
    y = draw.integers(0, CLASSES, examples).astype(np.int32)
    dense = draw.uniform(0.5, 1.5, examples).astype(np.float32)
    sparse = np.where(draw.uniform(size=examples) < 0.1, dense, 0).astype(np.float32)
    return {"dense": (x, y, dense), "sparse": (x, y, sparse)}


def distance(form, batch, held_out, params):
    """(how far loss and gradient, the evaluation's loss are from JAX's; whether podsim
    warned of each); no evaluation's loss: nan"""

    def loss(p, b):
        x, y, d = b
        return form(optax.softmax_cross_entropy_with_integer_labels(x @ p["w"], y), d)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = podsim.train(loss, params, batch, topology="v3-8",
                           batch_per_core=EXAMPLES // 8, train_steps=1, eval_dataset=held_out,
                           optimizer=podsim.sgd(1.0, momentum=0), precision="float32",
                           quiet=True)
    value, gradient = jax.value_and_grad(loss)(params, batch)
    step = params["w"] - np.asarray(run.params["w"])
    far = max(abs(run.losses[0] - float(value)) / abs(float(value)),
              float(np.linalg.norm(step - gradient["w"]) / np.linalg.norm(gradient["w"])))
    value = float(loss(run.params, held_out))
    far_of_eval = abs(run.evaluations[-1].get("loss", np.nan) - value) / abs(value)
    texts = [str(each.message) for each in said]
    return (far, far_of_eval, any("couples the examples" in text for text in texts),
            any("an evaluation has no loss" in text for text in texts))


def holds(name, far, far_of_eval, warned, warned_of_eval) -> bool:
    if name not in EQUAL:
        return warned
    evaluated = (far_of_eval <= BOUND and not warned_of_eval) if name not in NOT_EVALUATED \
        else (np.isnan(far_of_eval) and warned_of_eval)
    return far <= BOUND and not warned and evaluated


def all_equal_or_said() -> bool:
    draw = np.random.default_rng(11)
    params = {"w": draw.normal(size=(FEATURES, CLASSES)).astype(np.float32)}
    good = True
    print("| loss | weights | off JAX's | evaluation's | warned | |\n|---|---|---|---|---|---|")
    train, held_out = data(draw, EXAMPLES), data(draw, HELD_OUT)
    for weights, batch in train.items():
        for name, form in FORMS.items():
            found = distance(form, batch, held_out[weights], params)
            good &= holds(name, *found)
            print(f"| {name} | {weights} | {found[0]:.1e} | {found[1]:.1e} | "
                  f"{'yes' if found[2] else 'no'} | {'yes' if holds(name, *found) else 'NO'} |")
    return good


if __name__ == "__main__":
    sys.exit(0 if all_equal_or_said() else 1)
