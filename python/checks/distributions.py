"""Numbers that podsim draws against those of jax.random, in distribution.

    python python/checks/distributions.py              the table of docs/jax.md

The bits differ, so distributions are compared: of 4,096 numbers each, one per example,
drawn from the example's own key, the largest difference of the empirical distribution
functions (Kolmogorov-Smirnov). Allowed is what two samples of one distribution exceed
once in a thousand times. Neighbouring examples must not be correlated."""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import gradients
import stream
from podsim import _lowering, _programs, _safetensors

COUNT = 4096
ALLOWED = 1.95 * np.sqrt(2 / COUNT)
CORRELATED = 3.3 / np.sqrt(COUNT)
PROBABILITIES = jnp.arange(1., 7) / 21

R = jax.random


def _gamma(key, shape):
    return jnp.sum(R.exponential(key, (shape,)))


def _beta(key, a, b):
    first, second = R.split(key)
    x, y = _gamma(first, a), _gamma(second, b)
    return x / (x + y)


def _counted(key, rate, most):
    return jnp.sum(jnp.cumsum(R.exponential(key, (most,))) < rate)


# Name -> what is drawn from a key, and what JAX draws for it if that is something else.
DRAWS = {
    "bernoulli": (lambda key: R.bernoulli(key, 0.3), None),
    "uniform": (lambda key: R.uniform(key, minval=-2, maxval=3), None),
    "normal": (R.normal, None),
    "truncated_normal": (lambda key: R.truncated_normal(key, -1, 2), None),
    "exponential": (R.exponential, None),
    "gumbel": (R.gumbel, None),
    "laplace": (R.laplace, None),
    "rademacher": (R.rademacher, None),
    "geometric": (lambda key: R.geometric(key, 0.3), None),
    "randint": (lambda key: R.randint(key, (), -3, 1000), None),
    "categorical": (lambda key: R.categorical(key, jnp.log(PROBABILITIES)), None),
    "permutation": (lambda key: R.permutation(key, 6) @ jnp.arange(6) ** 2, None),
    "choice": (lambda key: R.choice(key, 6, (3,)) @ jnp.array([1, 10, 100]), None),
    "choice, p": (lambda key: R.choice(key, 6, p=PROBABILITIES), None),
    "choice, replace=False": (
        lambda key: R.choice(key, 6, (3,), replace=False) @ jnp.array([1, 10, 100]), None),
    "two draws of a key that is split": (
        lambda key: R.normal(R.split(key)[0]) * R.uniform(R.split(key)[1]), None),
    "poisson, as gaps": (lambda key: _counted(key, 4., 32), lambda key: R.poisson(key, 4.)),
    "gamma, as a sum": (lambda key: _gamma(key, 3), lambda key: R.gamma(key, 3.)),
    "beta, of two sums": (lambda key: _beta(key, 2, 3), lambda key: R.beta(key, 2., 3.)),
    "binomial, as a sum": (lambda key: jnp.sum(R.bernoulli(key, 0.4, (7,))),
                           lambda key: R.binomial(key, 7., 0.4)),
}


def ours(name, function):
    """A number of each of COUNT examples."""
    def loss(params, batch, key):
        drawn = jax.vmap(function)(R.split(key, len(batch))).astype("float32")
        return jnp.mean(batch * params), {"drawn": drawn}

    message = bytes(_lowering.import_message(
        name, loss, np.ones(1, np.float32), np.ones((COUNT, 1), np.float32), None))
    keys = stream.example_keys(gradients.SEED, np.arange(COUNT))
    words = np.stack([keys & np.uint64(0xFFFFFFFF), keys >> np.uint64(32)], -1)
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        model = gradients.imported(message, at)
        _safetensors.write(at / "in", {
            "variable/params": np.ones(1, np.float32), "input/keys": words.astype(np.uint32),
            "input/batch": np.ones((COUNT, 1), np.float32)})
        _programs.run("pod_program", ["run", model, f"--values={at / 'in'}",
                                      f"--output={at / 'out'}", "--precision=float32"])
        return _safetensors.read(at / "out")["metric/drawn"]


def theirs(function):
    keys = R.split(R.key(gradients.SEED), COUNT)
    return np.asarray(jax.jit(jax.vmap(function))(keys), np.float32)


def distance(one, other):
    places = np.sort(np.concatenate([one, other]))
    shares = [np.searchsorted(np.sort(x), places, "right") / len(x) for x in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


def check(name):
    drawn, reference = DRAWS[name]
    numbers = ours(name, drawn)
    far = distance(numbers, theirs(reference or drawn))
    together = float(abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]))
    good = far <= ALLOWED and together <= CORRELATED
    print(f"| {name} | {far:.3f} | {ALLOWED:.3f} | {together:.3f} | {CORRELATED:.3f} | "
          f"{'yes' if good else 'NO'} |", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print("| draw | off by | allowed | neighbours correlate by | allowed | within |\n"
          "|---|---|---|---|---|---|")
    good = [check(name) for name in arguments.names or DRAWS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
