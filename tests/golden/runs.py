"""Training runs of a model: 20 steps in float64, in float32, and by optax."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax

import draws
import rules

STEPS = 20
BATCH = 64
WARM_UP = 5 * BATCH  # examples


@dataclasses.dataclass
class Result:
    """Everything by name; losses are those of the steps, before the updates."""

    tensors: dict  # weights, and slots as "<weight>/<slot>"
    losses: np.ndarray
    nearest_kink: float


@dataclasses.dataclass(frozen=True)
class Case:
    model: object
    settings: dict  # as in rules.SETTINGS
    weights: dict  # float32
    batches: list

    def cast(self, dtype):
        """Weights and batches with their floats in `dtype`."""
        def of(x):
            return jnp.asarray(x, dtype if x.dtype == np.float32 else x.dtype)
        return jax.tree.map(of, self.weights), jax.tree.map(of, self.batches)


def case_of(model, rule, seed):
    settings = dict(rules.SETTINGS[rule])
    settings["learning_rate"] = (settings["learning_rate"]
                                 | {"warmup_examples": WARM_UP})
    weights = {name: draws.weights(seed, name, variable)
               for name, variable in model.variables.items()}
    examples = draws.examples(seed, STEPS * BATCH)
    batches = [{name: examples[name][i * BATCH:(i + 1) * BATCH]
                for name in model.inputs} for i in range(STEPS)]
    return Case(model, settings, weights, batches)


def make_step(case):
    rule = rules.RULES[case.settings["optimizer"]]

    def step(scalars, weights, slots, batch):
        loss, gradients = jax.value_and_grad(case.model.loss)(weights, batch)
        kink = (case.model.kinks(weights, batch) if case.model.kinks
                else jnp.inf)
        made = {name: rule(scalars, gradients[name], weights[name], slots[name],
                           rules.is_decayed(name)) for name in weights}
        return (loss, kink, {name: made[name][0] for name in weights},
                {name: made[name][1] for name in weights})
    return jax.jit(step)


def train(case, dtype, scalars_in=np.float64):
    """Scalars are computed in `scalars_in` and rounded to `dtype` once."""
    step_fn = make_step(case)
    weights, batches = case.cast(dtype)
    names = rules.SLOTS[case.settings["optimizer"]]
    slots = {name: tuple(jnp.zeros_like(w) for _ in names)
             for name, w in weights.items()}
    losses, kinks = [], []
    for number, batch in enumerate(batches, start=1):
        rate = rules.rate_of(case.settings, number, BATCH)
        exact = scalars_in == np.float64
        scalars = rules.scalars_of(case.settings, rate,
                                   number if exact else jnp.asarray(number))
        scalars = {name: jnp.asarray(value, dtype)
                   for name, value in scalars.items()}
        loss, kink, weights, slots = step_fn(scalars, weights, slots, batch)
        assert loss.dtype == dtype, "a loss of another type"
        losses.append(loss)
        kinks.append(kink)
    tensors = dict(weights)
    for name, of_name in slots.items():
        for slot, value in zip(names, of_name):
            tensors[f"{name}/{slot}"] = value
    assert all(value.dtype == dtype for value in tensors.values())
    return Result({name: np.asarray(value) for name, value in tensors.items()},
                  np.asarray(losses), float(min(kinks)))


def train_by_optax(case, dtype):
    """Weights alone: optax's slots have names of their own."""
    weights, batches = case.cast(dtype)
    made_by = rules.optax_of(case.settings, weights, BATCH)
    state = made_by.init(weights)

    @jax.jit
    def step(weights, state, batch):
        loss, gradients = jax.value_and_grad(case.model.loss)(weights, batch)
        updates, state = made_by.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, loss

    losses = []
    for batch in batches:
        weights, state, loss = step(weights, state, batch)
        losses.append(loss)
    return Result({name: np.asarray(value) for name, value in weights.items()},
                  np.asarray(losses), np.inf)


def moved(case, seed, run):
    """The case from weights one ulp away."""
    weights = {name: draws.moved_by_one_ulp(seed, run, name, value)
               for name, value in case.weights.items()}
    return dataclasses.replace(case, weights=weights)


def distance(values, reference):
    """Relative, of Euclidean norms, to four digits."""
    reference = np.asarray(reference, np.float64)
    gap = np.asarray(values, np.float64) - reference
    return float(f"{np.linalg.norm(gap) / np.linalg.norm(reference):.4g}")
