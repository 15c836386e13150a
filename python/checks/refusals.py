"""What is refused, left out or warned of, in the words of the caller's code.

    python python/checks/refusals.py

Each message must name this file with the line that is to be changed, and say what to do
instead."""

from __future__ import annotations

import functools
import pathlib
import re
import sys
import tempfile
import warnings

import jax
import jax.numpy as jnp
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).parent)]

import podsim  # noqa: E402

PARAMS = {"w": np.ones((4, 3), np.float32)}
BATCH = np.ones((8, 4), np.float32)


def running_sum(p, x):
    return jnp.mean(jnp.cumsum(x @ p["w"], axis=0))


def counted_examples(p, x):
    return jnp.mean((x @ p["w"]) * jnp.arange(len(x))[:, None])


def compared_examples(p, x):
    h = x @ p["w"]
    return jnp.mean(h @ h.T)


def loop_by_data(p, x):
    h = x @ p["w"]
    return jnp.mean(jax.lax.while_loop(lambda y: jnp.sum(y) < 9., lambda y: y * 2.,
                                       jax.lax.stop_gradient(h)) * h)


def loop_over_examples(p, x):
    _, ys = jax.lax.scan(lambda carry, row: (carry + 1., row @ p["w"] * carry), 0., x)
    return jnp.mean(ys)


def callback(p, x):
    h = x @ p["w"]
    shape = jax.ShapeDtypeStruct(h.shape, h.dtype)
    return jnp.mean(h * jax.pure_callback(np.asarray, shape, jax.lax.stop_gradient(h)))


def sharded(p, x):
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("data")
    return jnp.mean(jax.shard_map(lambda rows: rows @ p["w"], mesh=mesh, in_specs=spec,
                                  out_specs=spec)(x))


def mapped_over_devices(p, x):
    return jnp.mean(jax.pmap(lambda rows: rows @ p["w"])(x[None]))


EXPLICIT = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Explicit,))
ROWS = jax.sharding.NamedSharding(EXPLICIT, jax.sharding.PartitionSpec("data", None))


def resharded(p, x):
    return jnp.mean(jax.sharding.reshard(x, ROWS) * p["w"][:, 0])


def resharded_for_a_product(p, x):
    """JAX itself refuses its gradient."""
    return jnp.mean(jax.sharding.reshard(x, ROWS) @ p["w"])


def resharded_without_a_mesh(p, x):
    return jnp.mean(jax.sharding.reshard(x, jax.sharding.PartitionSpec("data")) @ p["w"])


def sharded_product(p, x):
    return jnp.mean(jnp.einsum("bi,io->bo", x, p["w"], out_sharding=ROWS))


def sets_a_mesh(p, x):
    with jax.set_mesh(EXPLICIT):
        return jnp.mean(x @ p["w"])


def places_twice(p, x):
    places = jax.lax.stop_gradient(x).astype(int)
    return jnp.mean(jnp.zeros((len(x), 4)).at[:, places[0]].set(x @ p["w"][:, :1]))


def sorted_twice(p, x):
    h = x @ p["w"]
    return jnp.mean(h * jnp.lexsort((h, h > 0)))


def fewer_bits(p, x):
    return jnp.mean(jax.lax.reduce_precision(x @ p["w"], 5, 10))


def permuted(p, x, key):
    return jnp.mean(x[jax.random.permutation(key, len(x))] @ p["w"])


def keys_but_the_first(p, x, key):
    keys = jax.random.split(key, len(x) + 1)
    noise = jax.vmap(lambda one: jax.random.normal(one, (3,)))(keys[1:])
    return jnp.mean(x @ p["w"] * noise)


def keys_of_all(p, x, key):
    """The way round."""
    keys = jax.random.split(key, len(x))
    noise = jax.vmap(lambda one: jax.random.normal(one, (3,)))(keys)
    return jnp.mean(x @ p["w"] * noise) * jax.random.uniform(jax.random.fold_in(key, 1))


NAMELESS = lambda p, x: jnp.mean(jnp.fft.fft(x @ p["w"]).real)  # noqa: E731

REFUSED = [(running_sum, "another axis"), (counted_examples, "array of the data set"),
           (compared_examples, "compared with"), (loop_by_data, "length is known"),
           (loop_over_examples, "jax.vmap"), (callback, "compute it before"),
           (sharded, ": jax.shard_map divides the work over devices, but podsim does"),
           (mapped_over_devices, ": jax.pmap divides the work over devices"),
           (resharded, ": jax.sharding.reshard divides the work over devices"),
           (resharded_for_a_product, "places arrays on devices itself"),
           (resharded_without_a_mesh, "places arrays on devices itself"),
           (sharded_product, ": out_sharding= of dot_general divides the work"),
           (sets_a_mesh, "places arrays on devices itself"),
           (places_twice, "unique_indices=True"), (permuted, "leave them out"),
           (fewer_bits, "of bfloat16 (8 and 7)"),
           (keys_but_the_first, "fold_in(key, 1)"),
           (sorted_twice, "sorts as jnp.sort does"), (NAMELESS, "complex numbers (complex64")]


def message_of(function):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            podsim.export(function, PARAMS, BATCH, pathlib.Path(folder, "model"))
        except (podsim.PodsimError, ValueError) as error:
            return str(error)
    return "it is taken"


def with_placed_params():
    """They are taken: the numbers are the same wherever they lie."""
    placed = jax.device_put(PARAMS, jax.sharding.NamedSharding(
        EXPLICIT, jax.sharding.PartitionSpec("data")))
    with tempfile.TemporaryDirectory() as folder:
        podsim.export(keys_of_all, placed, BATCH, pathlib.Path(folder, "model"))
    return True


def within_a_mesh(kind):
    """What is said where a mesh with such axes is in effect around the call."""
    with jax.set_mesh(jax.make_mesh((1,), ("data",), axis_types=(kind,))):
        return message_of(keys_of_all)


def lines_of(function):
    code = function.__code__
    return {line for _, _, line in code.co_lines() if line is not None}


def check(function, says):
    text = message_of(function)
    found = re.search(r"refusals\.py:(\d+): ", text)
    lines = lines_of(function)
    good = found is not None and int(found[1]) in lines and says in text
    print(f"| {function.__name__.strip('<>')} | {text} | {'yes' if good else 'NO'} |", flush=True)
    return good


def shows(p, x):
    jax.debug.print("{}", x)
    return jnp.mean(x @ p["w"])


def sharded_rows(p, x):
    where = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return jnp.mean(jax.lax.with_sharding_constraint(x, where) @ p["w"])


MESH = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
WHOLE = jax.sharding.NamedSharding(MESH, jax.sharding.PartitionSpec())


def put_on_devices(p, x):
    return jnp.mean(jax.device_put(x, WHOLE) @ p["w"])


def sharded_operands(p, x):
    return jnp.mean(jax.jit(jnp.tanh, in_shardings=WHOLE)(x) @ p["w"])


def sharded_results(p, x):
    return jnp.mean(jax.jit(jnp.tanh, out_shardings=WHOLE)(x @ p["w"]))


def donated(p, x):
    return jnp.mean(jax.jit(jnp.tanh, donate_argnums=0)(x @ p["w"]))


def compiled(p, x):
    """Nothing of this is left out, nor of the next two."""
    return jnp.mean(jax.jit(jnp.tanh)(jax.device_put(x) @ p["w"]))


@jax.checkpoint
def again(p, x):
    return jnp.mean(jnp.tanh(x @ p["w"]))


@functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_saveable)
def again_but_products(p, x):
    return jnp.mean(jnp.tanh(x @ p["w"]) @ jnp.ones((3, 3)))


def warnings_of(function):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        podsim.export(function, PARAMS, BATCH, pathlib.Path(folder, "model"))
    return [str(each.message) for each in caught]


def check_left_out(function, says):
    """It is taken, and what is left out of it is said once, with its line."""
    texts = warnings_of(function)
    said = [int(re.match(r"refusals\.py:(\d+): ", text)[1]) for text in texts if says in text]
    good = len(said) == len(texts) == 1 and said[0] in lines_of(function)
    print(f"| {function.__name__} | {'; '.join(texts)} | {'yes' if good else 'NO'} |", flush=True)
    return good


def all_said():
    """Prints the table; whether each is as it should be."""
    print("| function | what is said | as it should be |\n|---|---|---|")
    good = [check(*each) for each in REFUSED]
    good += [check_left_out(shows, "left out"),
             check_left_out(sharded_rows, "with_sharding_constraint has no effect"),
             check_left_out(put_on_devices, "jax.device_put has no effect: each core has its own"),
             check_left_out(sharded_operands, "in_shardings or out_shardings of jax.jit has no"),
             check_left_out(sharded_results, "in_shardings or out_shardings of jax.jit has no"),
             check_left_out(donated, "donate_argnums or donate_argnames of jax.jit has no effect")]
    good += [not warnings_of(each) for each in (compiled, again, again_but_products)]
    good.append(message_of(keys_of_all) == "it is taken")
    good.append(with_placed_params())
    good.append(within_a_mesh(jax.sharding.AxisType.Auto) == "it is taken")
    good.append("jax.set_mesh has put a mesh into effect whose axis 'data' divides arrays"
                in within_a_mesh(jax.sharding.AxisType.Explicit))
    return all(good)


if __name__ == "__main__":
    sys.exit(0 if all_said() else 1)
