"""Where JAX says 0, 1, infinity or NaN: values and gradients of element-wise functions at the
ends of the range, and of softmax, losses, norms and attention of rows with such ends.

    python python/checks/ends.py            JAX against the tests' file, podsim against JAX
    python python/checks/ends.py --write    the tests' file again, as JAX says

Numbers are the same within 1e-5 of themselves, with 1e-7 for what is nearly 0; infinities are
the same with their sign, and NaN is NaN."""

from __future__ import annotations

import functools
import itertools
import pathlib
import sys
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.append(str(ROOT / "python"))  # of the tree, where none is installed

import gradients  # noqa: E402
from podsim import _lowering, _programs, _safetensors  # noqa: E402

FILE = ROOT / "tests" / "testing" / "jax_ends.txt"
# XLA may rewrite what is compiled: 0 x as 0, which is NaN of infinity.
AS_WRITTEN = {"xla_backend_optimization_level": 0, "xla_disable_hlo_passes": "algsimp"}
INF, NAN = float("inf"), float("nan")
ENDS = (0.0, -0.0, INF, -INF, NAN, 1, -1, 0.5, -0.5, 2, -2, 3, 50, -50)
BOUNDS = (0.0, INF, -INF, NAN, 1, -1, 2)
CLASSES = 4
ROWS = ((1e-3, 0.1, 10, 1000), (2, 2, 2, 2), (1e30, -1e30, 3e29, 0), (2e38, -2e38, 0, 1),
        (1, INF, -1, 0), (INF, INF, 0, 1), (1, -INF, -1, 0), (-INF,) * 4, (1, -1, NAN, 0),
        (INF, -INF, 1, 0), (INF, NAN, 0, 1))


def rounded(method):
    return functools.partial(lax.round, rounding_method=method)


# By the names of podsim's op table.
UNARY = {
    "Relu": jax.nn.relu, "negate": lax.neg, "abs": lax.abs, "sign": lax.sign,
    "floor": lax.floor, "ceil": lax.ceil,
    "round_nearest_even": rounded(lax.RoundingMethod.TO_NEAREST_EVEN),
    "round_nearest_afz": rounded(lax.RoundingMethod.AWAY_FROM_ZERO),
    "exponential": lax.exp, "exponential_minus_one": lax.expm1, "log": lax.log,
    "log_plus_one": lax.log1p, "logistic": lax.logistic, "tanh": lax.tanh, "sqrt": lax.sqrt,
    "rsqrt": lax.rsqrt, "cbrt": lax.cbrt, "sine": lax.sin, "cosine": lax.cos, "tan": lax.tan,
    "erf": lax.erf,
}
BINARY = {
    "add": lax.add, "subtract": lax.sub, "multiply": lax.mul, "divide": lax.div,
    "remainder": lax.rem, "maximum": lax.max, "minimum": lax.min, "power": lax.pow,
    "atan2": lax.atan2,
}
ACTIVATIONS = {
    "gelu_tanh": jax.nn.gelu, "gelu_erf": functools.partial(jax.nn.gelu, approximate=False),
    "silu": jax.nn.silu, "x_tanh_x": lambda x: x * jnp.tanh(x),
    "softplus": lambda x: jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x))),
    "mish": lambda x: x * jnp.tanh(
        jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x)))),
    "relu6": lambda x: jnp.minimum(jnp.maximum(x, 0), 6), "elu": jax.nn.elu,
    "selu": jax.nn.selu, "leaky_relu": jax.nn.leaky_relu, "soft_sign": jax.nn.soft_sign,
    "hard_swish": lambda x: x * jnp.minimum(jnp.maximum(x + 3, 0), 6) / 6,
}
# These have rules of their own in JAX, or other formulas than the tests' graphs.
JAX_ALONE = {"jax_mish": jax.nn.mish, "jax_softplus": jax.nn.softplus,
             "jax_relu6": jax.nn.relu6, "celu": jax.nn.celu, "log_sigmoid": jax.nn.log_sigmoid,
             "jax_hard_swish": jax.nn.hard_swish, "hard_tanh": jax.nn.hard_tanh,
             "logaddexp": lambda x: jnp.logaddexp(x, 1.0)}


def normalized(x, scale=1.5, bias=0.25, factored=False):
    centred = x - x.mean()
    inverse = lax.rsqrt((centred * centred).mean() + 1e-5)
    return centred * (inverse * scale) + bias if factored else centred * inverse * scale + bias


def attention(keys, values, query):
    return jax.nn.softmax(0.5 * query * keys) @ values


QUERIES, VALUES = jnp.array([0.5, -0.5, 2, 1]), jnp.array([1.0, -2.0, 0.5, 3.0])
# Of a row of 4 and of a class or place of it.
COMPOSITES = {
    "softmax": lambda x, c: jax.nn.softmax(x)[c],
    "log_softmax": lambda x, c: jax.nn.log_softmax(x)[c],
    "log_likelihood": lambda x, c: -jnp.take_along_axis(
        jax.nn.log_softmax(x), c[None], -1)[0],
    "cross_entropy": optax.softmax_cross_entropy_with_integer_labels,
    "smoothed_cross_entropy": lambda x, c: optax.softmax_cross_entropy(
        x, optax.smooth_labels(jax.nn.one_hot(c, CLASSES), 0.1)),
    "one_hot_cross_entropy": lambda x, c: optax.softmax_cross_entropy(
        x, jax.nn.one_hot(c, CLASSES)),
    "layer_norm": lambda x, c: normalized(x)[c],
    "batch_norm": lambda x, c: normalized(x, factored=True)[c],
    "rms_norm": lambda x, c: (x * lax.rsqrt((x * x).mean() + 1e-5))[c],
    "attention_by_keys": lambda x, c: attention(x, VALUES, QUERIES[c]),
    "attention_of_values": lambda x, c: attention(VALUES, x, QUERIES[c]),
}


def columns(ends, count, ordered=False):
    """Every combination of the ends; if ordered, without those whose first is above the
    last."""
    rows = [row for row in itertools.product(ends, repeat=count)
            if not (ordered and row[0] > row[-1])]
    return [np.array(column, np.float32) for column in zip(*rows)]


def element_wise():
    """name -> (function, operands)"""
    functions = {name: (function, columns(ENDS, 1))
                 for name, function in (UNARY | ACTIVATIONS).items()}
    functions |= {name: (function, columns(ENDS, 2)) for name, function in BINARY.items()}
    functions["clamp"] = (lax.clamp, columns(BOUNDS, 3, ordered=True))
    return functions


def composite_operands():
    """Each row once for each of its places, and the place."""
    x = np.repeat(np.array(ROWS, np.float32), CLASSES, axis=0)
    return x, np.tile(np.arange(CLASSES, dtype=np.int32), len(ROWS))


def jax_results(functions):
    """name -> [value, gradient by each operand], element by element"""
    def every(operands, x, places):
        results = {}
        for name, (function, _) in functions.items():
            y, backward = jax.vjp(function, *operands[name])
            results[name] = [y, *backward(jnp.ones_like(y))]
        for name, function in COMPOSITES.items():
            results[name] = jax.vmap(jax.value_and_grad(function))(x, places)
        return results

    compiled = jax.jit(every, compiler_options=AS_WRITTEN)
    operands = {name: list(each) for name, (_, each) in functions.items()}
    results = compiled(operands, *composite_operands())
    return {name: [np.asarray(part) for part in parts] for name, parts in results.items()}


def tables(functions, results):
    """What the tests' file has: name -> numbers."""
    lines = {"rows": np.array(ROWS, np.float32)}
    for name, (_, operands) in functions.items():
        lines |= {f"{name} x{i}": x for i, x in enumerate(operands)
                  if name in ("exponential", "add", "clamp")}
    for name, (y, *derivatives) in results.items():
        lines[f"{name} y"] = y
        lines |= {f"{name} d{i}": dx for i, dx in enumerate(derivatives)}
    return {name: np.ravel(numbers) for name, numbers in lines.items()}


def alike(ours, known):
    both = np.isfinite(ours) & np.isfinite(known)
    with np.errstate(invalid="ignore"):
        near = np.abs(ours - known) <= 1e-5 * np.abs(known) + 1e-7
    return np.where(both, near, (ours == known) | (np.isnan(ours) & np.isnan(known)))


def file_says_the_same(lines):
    told = {}
    for line in FILE.read_text().splitlines():
        name, numbers = line.split(": ")
        told[name] = np.array(numbers.split(), np.float32)
    wrong = [name for name in told | lines
             if name not in told or name not in lines or told[name].shape != lines[name].shape
             or not alike(told[name], lines[name]).all()]
    if wrong:
        print(f"{FILE.name} is not what JAX {jax.__version__} says of {', '.join(wrong)}; look "
              f"at the difference after python/checks/ends.py --write")
    return not wrong


def podsim_results(name, each_y, params, batch):
    """(y of each example, name -> gradient of their sum), imported from JAX. A loss is known
    as a mean alone, so that y is seen as the gradient of what it is multiplied by."""
    count = len(batch["place"])
    params = params | {"factors": np.zeros(count, np.float32)}

    def loss_fn(params, batch):
        y = each_y(params, batch)
        return (y + params["factors"][batch["place"]] * lax.stop_gradient(y)).mean()

    message = bytes(_lowering.import_message(name, loss_fn, params, batch, None))
    values = {f"variable/{key}": x for key, x in params.items()}
    values |= {f"input/{key}": x for key, x in batch.items()}
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        model = gradients.imported(message, at)
        _safetensors.write(at / "in", values)
        _programs.run("pod_program", ["run", model, f"--values={at / 'in'}",
                                      f"--output={at / 'out'}", "--precision=float32"])
        out = _safetensors.read(at / "out")
    slopes = {key: np.float32(count) * out[f"gradient/{key}"].reshape(x.shape)
              for key, x in params.items()}
    return slopes.pop("factors"), slopes


def podsim_of_element_wise(functions):
    """All in one loss, of whose elements each example has one."""
    params = {f"{name}_x{i}": x for name, (_, operands) in functions.items()
              for i, x in enumerate(operands)}

    def each_y(params, batch):
        every = [function(*(params[f"{name}_x{i}"] for i in range(len(operands))))
                 for name, (function, operands) in functions.items()]
        return jnp.concatenate(every)[batch["place"]]

    sizes = [len(operands[0]) for _, operands in functions.values()]
    batch = {"place": np.arange(sum(sizes), dtype=np.int32)}
    y, slopes = podsim_results("element_wise", each_y, params, batch)
    parts = np.split(y, np.cumsum(sizes)[:-1])
    return {name: [part, *(slopes[f"{name}_x{i}"] for i in range(len(operands)))]
            for part, (name, (_, operands)) in zip(parts, functions.items())}


def podsim_of_composite(name):
    x, places = composite_operands()

    def each_y(params, batch):
        return jax.vmap(COMPOSITES[name])(params["x"][batch["place"]], batch["label"])

    batch = {"place": np.arange(len(x), dtype=np.int32), "label": places}
    y, slopes = podsim_results(name, each_y, {"x": x}, batch)
    return [y, slopes["x"]]


def operands_of(name, functions, element):
    """What the check says of an element's operands."""
    if name in functions:
        return [float(x[element]) for x in functions[name][1]]
    x, places = composite_operands()
    return f"{x[element].tolist()}, place {places[element]}"


def podsim_says_the_same(functions, known):
    ours = podsim_of_element_wise(functions)
    ours |= {name: podsim_of_composite(name) for name in COMPOSITES}
    good = True
    for name, parts in ours.items():
        for what, got, want in zip(("value", "first gradient", "second gradient",
                                    "third gradient"), parts, known[name]):
            for at in map(tuple, np.argwhere(~alike(got, want))[:3]):
                good = False
                print(f"{name} of {operands_of(name, functions, at[0])}: podsim's {what} is "
                      f"{got[at]}, JAX's {want[at]}")
    return good


def all_alike() -> bool:
    begin = time.monotonic()
    functions = element_wise()
    alone = {name: (function, columns(ENDS, 1)) for name, function in JAX_ALONE.items()}
    known = jax_results(functions | alone)
    recorded = {name: parts for name, parts in known.items() if name not in alone}
    good = file_says_the_same(tables(functions, recorded))
    functions |= alone
    good &= podsim_says_the_same(functions, known)
    print(f"values and gradients of {len(functions) + len(COMPOSITES)} functions at the ends of "
          f"the range: {'as JAX has them' if good else 'NOT as JAX has them'}, "
          f"{time.monotonic() - begin:.0f} s", flush=True)
    return good


def main():
    if sys.argv[1:] == ["--write"]:
        functions = element_wise()
        FILE.write_text("".join(
            f"{name}: {' '.join(f'{number:.7g}' for number in numbers)}\n"
            for name, numbers in tables(functions, jax_results(functions)).items()))
        return
    sys.exit(0 if all_alike() else 1)


if __name__ == "__main__":
    main()
