"""Update rules with optax's formulas, written out so that the scalars of a step
can be float64, and optax's own to check them against.

A rule is a function (scalars, gradient, weight, slots, decays) -> (weight,
slots); `decays` is false for variables that weight decay and the trust ratio
leave out. What stands in SETTINGS is podsim's PlanBits.
"""

import jax.numpy as jnp
import optax

EXCLUDED = ["bias", "norm"]

SETTINGS = {
    "momentum": {
        "optimizer": "momentum", "momentum": 0.9,
        "learning_rate": {"peak": 0.1}},
    "adamw": {
        "optimizer": "adamw",
        "update": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8,
                   "weight_decay": 0.01, "weight_decay_exclude": EXCLUDED},
        "learning_rate": {"peak": 0.01}},
    "lamb": {
        "optimizer": "lamb",
        "update": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-6,
                   "weight_decay": 0.01, "trust_coefficient": 1.0,
                   "weight_decay_exclude": EXCLUDED},
        "learning_rate": {"peak": 0.02}},
}
SLOTS = {"momentum": ("momentum",), "adamw": ("mu", "nu"), "lamb": ("mu", "nu")}


def is_decayed(name):
    return not any(part in name for part in EXCLUDED)


def rate_of(settings, step, batch):
    """After the warm-up's straight line the peak; steps count from 1."""
    peak = settings["learning_rate"]["peak"]
    warm_up = settings["learning_rate"]["warmup_examples"]
    seen = step * batch
    return peak * seen / warm_up if seen < warm_up else peak


def scalars_of(settings, rate, step):
    """What the elements of a step have in common. `step` is a whole number, for
    float64, or an array, for what JAX makes of it."""
    scalars = {"rate": rate}
    if "update" not in settings:
        return scalars | {"momentum": settings["momentum"]}
    update = settings["update"]
    b1, b2 = update["beta1"], update["beta2"]
    return scalars | {
        "b1": b1, "rest1": 1 - b1, "correction1": 1 - b1**step,
        "b2": b2, "rest2": 1 - b2, "correction2": 1 - b2**step,
        "epsilon": update["epsilon"], "decay": update["weight_decay"]}


def momentum(s, g, w, slots, decays):
    del decays  # nothing decays here
    (v,) = slots
    v = s["momentum"] * v + g
    return w - s["rate"] * v, (v,)


def adam_direction(s, g, slots):
    mu, nu = slots
    mu = s["b1"] * mu + s["rest1"] * g
    nu = s["b2"] * nu + s["rest2"] * jnp.square(g)
    size = jnp.sqrt(nu / s["correction2"]) + s["epsilon"]
    return mu / s["correction1"] / size, (mu, nu)


def adamw(s, g, w, slots, decays):
    u, slots = adam_direction(s, g, slots)
    if decays:
        u = u + s["decay"] * w
    return w - s["rate"] * u, slots


def norm(x):
    return jnp.sqrt(jnp.sum(jnp.square(x)))


def lamb(s, g, w, slots, decays):
    u, slots = adam_direction(s, g, slots)
    if decays:
        u = u + s["decay"] * w
        of_w, of_u = norm(w), norm(u)
        no_ratio = jnp.logical_or(of_w == 0, of_u == 0)
        u = u * jnp.where(no_ratio, 1, of_w / jnp.where(no_ratio, 1, of_u))
    return w - s["rate"] * u, slots


RULES = {"momentum": momentum, "adamw": adamw, "lamb": lamb}


def optax_of(settings, names, batch):
    """optax's transformation for weights by name."""
    decayed = {name: is_decayed(name) for name in names}

    def rate(count):  # counts from 0
        seen = (count + 1) * batch
        warm_up = settings["learning_rate"]["warmup_examples"]
        peak = settings["learning_rate"]["peak"]
        return jnp.where(seen < warm_up, peak * seen / warm_up, peak)

    if settings["optimizer"] == "momentum":
        return optax.sgd(rate, momentum=settings["momentum"])
    update = settings["update"]
    adam = {"b1": update["beta1"], "b2": update["beta2"],
            "eps": update["epsilon"]}
    if settings["optimizer"] == "adamw":
        return optax.adamw(rate, weight_decay=update["weight_decay"],
                           mask=decayed, **adam)
    # optax.lamb, but for the mask on the trust ratio.
    return optax.chain(
        optax.scale_by_adam(**adam),
        optax.add_decayed_weights(update["weight_decay"], decayed),
        optax.masked(optax.scale_by_trust_ratio(), decayed),
        optax.scale_by_learning_rate(rate))
