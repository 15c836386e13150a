"""Random expressions of jnp and lax: imported right, or refused by name.

    python python/checks/random_programs.py --seeds 0 2000

Each seed draws shapes, types and a handful of operations on examples and weights;
loss and gradients are compared with JAX's in float64. A tensor may be four times as far
from them as the farthest of twelve float32 runs of JAX whose inputs differ in their
last bits and whose operations, forward and backward, are off by what podsim's op table
allows a kernel: so far does rounding carry, through floor and bfloat16, too. A program
that podsim does not import must say why in one line; all else is a failure."""

from __future__ import annotations

import argparse
import collections
import sys

import jax
import jax.numpy as jnp
import numpy as np

import gradients
from podsim import PodsimError, _lowering, _trees

BATCH = 8
# What a kernel may be off by, in units of 2^-24: error_units of models/ops, the most of
# all functions, and of arithmetic. Others are exact: what they hand on is a number that
# they were given.
FUNCTION_UNITS, ARITHMETIC_UNITS = 10, 1
ARITHMETIC = {"add", "add_any", "conv_general_dilated", "cumsum", "div", "dot_general",
              "integer_pow", "mul", "reduce_prod", "reduce_sum", "reduce_window_sum",
              "scatter_add", "square", "sub"}
FUNCTIONS = {"atan2", "cbrt", "cos", "erf", "exp", "expm1", "log", "log1p", "logistic", "pow",
             "rsqrt", "sin", "sqrt", "tan", "tanh"}


def roughly(jaxpr, consts, arguments, key):
    """The results of a jaxpr whose operations are off by what kernels may be off by."""
    known = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *arguments]))

    def value(atom):
        return atom.val if hasattr(atom, "val") else known[atom]

    for i, equation in enumerate(jaxpr.eqns):
        operands = [value(each) for each in equation.invars]
        at = jax.random.fold_in(key, i)
        inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
        name = equation.primitive.name
        if inner is not None and name not in ("scan", "while", "cond"):
            results = roughly(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()),
                              operands, at)
        else:
            parameters = equation.primitive.get_bind_params(equation.params)
            results = equation.primitive.bind(*operands, **parameters)
            results = results if equation.primitive.multiple_results else [results]
            units = (FUNCTION_UNITS if name in FUNCTIONS else
                     ARITHMETIC_UNITS if name in ARITHMETIC else 0)
            results = [off(each, units, at) for each in results]
        known.update(zip(equation.outvars, results))
    return [value(each) for each in jaxpr.outvars]


def off(x, units, key):
    if x.dtype != np.float32 or units == 0:
        return x
    bound = units * 2.0**-24
    return x * (1 + jax.random.uniform(key, x.shape, x.dtype, -bound, bound))


class Program:
    """A list of operations, drawn once; calling it computes them."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        self.width = int(self.draw.choice([3, 4, 5, 8]))
        self.length = int(self.draw.choice([2, 3, 6]))
        self.steps = [self._step() for _ in range(self.draw.integers(3, 9))]
        self.names = [name for name, _ in self.steps]

    def inputs(self):
        draw, n = self.draw, BATCH
        def normal(*shape):
            return draw.normal(size=shape).astype(np.float32)
        params = {"w": normal(self.width, self.width) / 2, "b": normal(self.width) / 4,
                  "t": normal(7, self.width)}
        batch = {"x": normal(n, self.length, self.width),
                 "i": draw.integers(0, 7, (n, self.length)).astype(np.int32)}
        return params, batch

    def _step(self):
        name = str(self.draw.choice(list(OPS)))
        return name, int(self.draw.integers(0, 1000))

    def __call__(self, p, batch):
        x = batch["x"] + p["t"][batch["i"]]
        for name, number in self.steps:
            y = OPS[name](x, p, batch, number)
            x = y if y.shape == x.shape else x + jnp.broadcast_to(
                y.reshape(y.shape[0], -1).mean(1)[:, None, None], x.shape)
        return jnp.mean(x * x / (1 + x * x) + 0.1 * x)


def unary(function):
    return lambda x, p, batch, number: function(x)


def _scan(x, p, batch, number):
    def step(carry, x_t):
        carry = jnp.tanh(x_t @ p["w"] + carry)
        return carry, carry * 0.5
    _, ys = jax.lax.scan(step, jnp.zeros_like(x[:, 0]), x.transpose(1, 0, 2),
                         reverse=bool(number % 2))
    return ys.transpose(1, 0, 2)


def _window(x, p, batch, number):
    fold = (jax.lax.max, jax.lax.add)[number % 2]
    first = (-jnp.inf, 0.0)[number % 2]
    return jax.lax.reduce_window(x, first, fold, (1, 2, 1), (1, 1, 1), "SAME")


def _choose(x, p, batch, number):
    return jax.lax.cond(p["b"][0] > 0, lambda v: v * 2, lambda v: v - 1, x)


def _vmapped(x, p, batch, number):
    return jax.vmap(lambda row: row @ p["w"] + row.sum(0) * p["b"])(x)


OPS = {
    "tanh": unary(jnp.tanh), "sin": unary(jnp.sin), "exp": unary(lambda x: jnp.exp(-jnp.abs(x))),
    "log1p": unary(lambda x: jnp.log1p(jnp.abs(x))), "relu": unary(jax.nn.relu),
    "gelu": unary(jax.nn.gelu), "silu": unary(jax.nn.silu), "erf": unary(jax.lax.erf),
    "softplus": unary(jax.nn.softplus), "elu": unary(jax.nn.elu),
    "sqrt": unary(lambda x: jnp.sqrt(jnp.abs(x) + 0.5)), "cbrt": unary(lambda x: jnp.cbrt(x * x + 1)),
    "square": unary(jnp.square), "rsqrt": unary(lambda x: jax.lax.rsqrt(x * x + 1)),
    "atan2": unary(lambda x: jnp.arctan2(x, 1 + x * x)), "expm1": unary(lambda x: jnp.expm1(jnp.tanh(x))),
    "power": unary(lambda x: jnp.power(jnp.abs(x) + 0.5, 1.3)),
    "round": unary(lambda x: x + jax.lax.stop_gradient(jnp.round(1.7 * x + 0.31))),
    "floor": unary(lambda x: x - jnp.floor(1.3 * x + 0.37)), "sign": unary(lambda x: x * jnp.sign(x)),
    "clip": unary(lambda x: jnp.clip(x, -0.7, 0.9)),
    "softmax": unary(lambda x: jax.nn.softmax(x, -1)), "log_softmax": unary(lambda x: jax.nn.log_softmax(x, 1)),
    "logsumexp": unary(lambda x: x - jax.nn.logsumexp(x, -1, keepdims=True)),
    "layer_norm": unary(lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-3)),
    "batch_norm": unary(lambda x: (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-2)),
    "max": unary(lambda x: x - x.max(-1, keepdims=True)), "min": unary(lambda x: x * x.min(1, keepdims=True)),
    "prod": unary(lambda x: x + jnp.prod(jnp.tanh(x), -1, keepdims=True)),
    "cumsum": unary(lambda x: jnp.cumsum(x, 1)), "cummax": unary(lambda x: jax.lax.cummax(x, 2)),
    "flip": unary(lambda x: x[:, ::-1]), "roll": unary(lambda x: jnp.roll(x, 1, 2)),
    "transpose": unary(lambda x: x.transpose(2, 0, 1).transpose(1, 2, 0) * 0.9),
    "pad": unary(lambda x: jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]),
    "concatenate": unary(lambda x: jnp.concatenate([x[:, 1:], x[:, :1]], 1)),
    "split": unary(lambda x: sum(jnp.split(x, x.shape[1], 1)) + x),
    "repeat": unary(lambda x: jnp.repeat(x, 2, 1)[:, ::2]), "tile": unary(lambda x: jnp.tile(x, (1, 2, 1))[:, : x.shape[1]]),
    "stack": unary(lambda x: jnp.stack([x, -x], 3).sum(3) + x), "sort": unary(lambda x: jnp.sort(x, -1)),
    "where": unary(lambda x: jnp.where(x > 0.1, x, 0.3 * x)), "bfloat16": unary(lambda x: (x.astype(jnp.bfloat16) * 1.5).astype(x.dtype)),
    "int": unary(lambda x: x * (jax.lax.stop_gradient(x * 4).astype(jnp.int32) % 3).astype(x.dtype)),
    "bits": unary(lambda x: x * ((jax.lax.stop_gradient(x * 9).astype(jnp.int32) >> 1) & 3).astype(x.dtype)),
    "argmax": unary(lambda x: x * (1 + jnp.argmax(x, -1)[..., None].astype(x.dtype))),
    "argmin": unary(lambda x: x + jnp.argmin(x, 1)[:, None].astype(x.dtype)),
    "one_hot": lambda x, p, batch, number: x + jax.nn.one_hot(batch["i"] % x.shape[2], x.shape[2], dtype=x.dtype),
    "bias": lambda x, p, batch, number: x + p["b"], "scale": lambda x, p, batch, number: x * p["b"],
    "matmul": lambda x, p, batch, number: x @ p["w"],
    "einsum": lambda x, p, batch, number: jnp.einsum("bld,de->ble", x, p["w"].T),
    "attend": lambda x, p, batch, number: jax.nn.softmax(jnp.einsum("bld,bmd->blm", x, x)) @ x,
    "outer": lambda x, p, batch, number: jnp.einsum("bld,bme->bld", x, jnp.tanh(x)),
    "take": lambda x, p, batch, number: x + jnp.take(p["t"], (batch["i"] + number) % 7, axis=0),
    "take_along": lambda x, p, batch, number: x * jnp.take_along_axis(x, (batch["i"] % x.shape[2])[..., None], 2),
    "own_row": lambda x, p, batch, number: x + x[jnp.arange(x.shape[0]), batch["i"][:, 0] % x.shape[1]][:, None],
    "update": lambda x, p, batch, number: x.at[:, 0].set(p["b"]), "add_at": lambda x, p, batch, number: x.at[:, number % x.shape[1]].add(1.5),
    "dynamic": lambda x, p, batch, number: jax.lax.dynamic_update_slice(x, x[:, :1] * 2, (0, number % x.shape[1], 0)),
    "mean_batch": lambda x, p, batch, number: x - 0.3 * x.mean((0, 1)), "max_batch": lambda x, p, batch, number: x / (1 + jnp.abs(x).max(0)),
    "conv": lambda x, p, batch, number: jax.lax.conv_general_dilated(x, p["w"][None], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
    "scan": _scan, "window": _window, "cond": _choose, "vmap": _vmapped,
    "checkpoint": lambda x, p, batch, number: jax.checkpoint(lambda v: jnp.sin(v @ p["w"]))(x),
}


def allowed(program, params, batch, exact):
    generator = np.random.default_rng(gradients.SEED)
    farthest = dict.fromkeys(exact, gradients.LEAST)
    both, structure = jax.make_jaxpr(jax.value_and_grad(program), return_shape=True)(
        params, batch)
    structure = jax.tree_util.tree_structure(structure)

    @jax.jit
    def compiled(params, batch, key):
        leaves = jax.tree_util.tree_leaves((params, batch))
        return jax.tree_util.tree_unflatten(structure, roughly(
            both.jaxpr, both.consts, leaves, key))

    def nudged(x):
        if x.dtype != np.float32:
            return x
        return x * (1 + 2.0**-22 * generator.uniform(-1, 1, x.shape)).astype(np.float32)

    for i in range(12):
        inputs = jax.tree_util.tree_map(nudged, (params, batch))
        run = gradients._named(*compiled(*inputs, jax.random.key(i)))
        for name in exact:
            farthest[name] = max(farthest[name], gradients.distance(run[name], exact[name]))
    return {name: 4 * far for name, far in farthest.items()}


def try_seed(seed):
    """None if equal, "refused: ..." or "WRONG: ..."."""
    program = Program(seed)
    params, batch = program.inputs()
    try:
        message = bytes(_lowering.import_message(
            f"random_{seed}", program.__call__, params, batch, None))
    except Exception as error:  # JAX itself cannot lower it
        return f"jax: {type(error).__name__}"
    values = {}
    for prefix, tree in (("variable/", params), ("input/", batch)):
        names, leaves, _ = _trees.named_leaves(tree, "x")
        values |= {prefix + key: np.asarray(x) for key, x in zip(names, leaves)}
    exact = gradients.exact_results(program.__call__, params, batch)
    try:
        ours = gradients.podsim_results(message, values)
    except PodsimError as error:
        text = str(error)
        return f"{'refused' if 'cannot import' in text and len(text.splitlines()) == 1 else 'WRONG'}: {text}"
    least = 4 * gradients.LEAST
    if all(gradients.distance(ours[key], exact[key]) <= least for key in exact):
        return None
    bounds = allowed(program, params, batch, exact)
    for key, value in exact.items():
        size = np.linalg.norm(value)
        far = gradients.distance(ours[key], value)
        # A gradient that is nothing but rounding has no digits to compare.
        if far > bounds[key] and far * size > 1e-6:
            return f"WRONG: {key} is off by {far:.1e}, {bounds[key]:.1e} allowed"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 100))
    arguments = parser.parse_args()
    counts = collections.Counter()
    reasons = collections.Counter()
    for seed in range(*arguments.seeds):
        verdict = try_seed(seed)
        kind = "equal" if verdict is None else verdict.split(":")[0]
        counts[kind] += 1
        if kind == "refused":
            reasons[verdict.split("training: ")[-1].split(" (")[0]] += 1
        elif kind not in ("equal",):
            print(f"seed {seed}: {verdict} in {', '.join(Program(seed).names)}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    print("refused by:", ", ".join(f"{name} {count}" for name, count in reasons.most_common()))
    sys.exit(1 if counts["WRONG"] else 0)


if __name__ == "__main__":
    main()
