"""Loss and gradients of imported functions against JAX.

    python python/checks/gradients.py                  the table of docs/jax.md
    python python/checks/gradients.py mlp lstm         of these alone
    python python/checks/gradients.py --golden DIR     writes the tests' files

Each number is a relative L2 distance to JAX's float64. A tensor may be four
times as far as the farthest of five float32 runs of JAX, which add the examples
up in other orders; what is nearer than 2e-7 counts as 2e-7."""

from __future__ import annotations

import argparse
import inspect
import pathlib
import re
import sys
import tempfile

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.append(str(ROOT / "python"))  # of the tree, where none is installed

import draws  # noqa: E402
import functions  # noqa: E402
import layers  # noqa: E402
import stream  # noqa: E402
from podsim import _lowering, _programs, _safetensors, _trees  # noqa: E402

LEAST = 2e-7
RUNS = 5
SEED = 1


def _cast(tree, dtype):
    def of(x):
        x = np.asarray(x)
        return x.astype(dtype) if x.dtype == np.float32 else x
    return jax.tree_util.tree_map(of, tree)


def _named(loss, gradients):
    loss, gradients = jax.device_get((loss, gradients))
    names, leaves, _ = _trees.named_leaves(gradients, "params")
    return {"loss": np.asarray(loss, np.float64)} | {
        f"gradient/{name}": np.asarray(leaf, np.float64)
        for name, leaf in zip(names, leaves)}


def exact_results(loss_fn, params, batch):
    """JAX's loss and gradients in float64, by name."""
    with jax.enable_x64(True):
        return _named(*jax.jit(jax.value_and_grad(loss_fn))(
            _cast(params, np.float64), _cast(batch, np.float64)))


def distance(ours, exact):
    norm = np.linalg.norm(exact)
    off = np.linalg.norm(np.ravel(ours).astype(np.float64) - np.ravel(exact))
    return float(off / norm) if norm else float(off)


def allowed(loss_fn, params, batch, exact):
    generator = np.random.default_rng(SEED)
    farthest = dict.fromkeys(exact, LEAST)
    compiled = jax.jit(jax.value_and_grad(loss_fn))
    for _ in range(RUNS):
        order = generator.permutation(layers.BATCH)
        shuffled = jax.tree_util.tree_map(lambda x: x[order], batch)
        run = _named(*compiled(params, shuffled))
        for name in exact:
            farthest[name] = max(farthest[name], distance(run[name], exact[name]))
    return {name: 4 * far for name, far in farthest.items()}


def imported(message, at):
    """The model file in the folder `at`."""
    (at / "f.import").write_bytes(message)
    _programs.run("pod_program", ["import", at / "f.import", f"--output={at / 'f.model'}"])
    return at / "f.model"


def drawn(loss_fn, message):
    """The loss function of params and (batch, bits), what the examples of a batch draw
    when podsim runs it, and the keys that it draws them from."""
    with tempfile.TemporaryDirectory() as folder:
        sites = draws.Sites.of(imported(message, pathlib.Path(folder)).read_bytes())
    own = stream.example_keys(SEED, np.arange(layers.BATCH))
    shared = stream.step_keys(SEED, np.zeros(layers.BATCH))
    kind = draws.key_kind(sites, layers.BATCH)
    keys = {name: np.stack([of & 0xFFFFFFFF, of >> np.uint64(32)], -1).astype(np.uint32)
            for name, of, table in (("input/keys", own, sites.own),
                                    ("input/step_keys", shared, sites.shared)) if table}
    return (lambda params, batch: loss_fn(params, batch[0], draws.wrap(batch[1], kind)),
            draws.bits_of(sites, own, shared), keys)


def podsim_results(message, values):
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        imported(message, at)
        _safetensors.write(at / "in", values)
        _programs.run("pod_program", ["run", at / "f.model", f"--values={at / 'in'}",
                                      f"--output={at / 'out'}", "--precision=float32"])
        out = _safetensors.read(at / "out")
    return {"loss": out["metric/loss"].mean(dtype=np.float64)} | {
        name: x for name, x in out.items() if name.startswith("gradient/")}


def check(name, golden):
    loss_fn, params, batch = functions.FUNCTIONS[name](
        layers.Draw(np.random.default_rng(SEED)))
    message = bytes(_lowering.import_message(name, loss_fn, params, batch, None))
    values = {}
    for prefix, tree in (("variable/", params), ("input/", batch)):
        names, leaves, _ = _trees.named_leaves(tree, "params" if prefix[0] == "v" else "batch")
        values |= {prefix + key: np.asarray(x, _lowering.stored(np.asarray(x).dtype))
                   for key, x in zip(names, leaves)}
    if len(inspect.signature(loss_fn).parameters) == 3:
        loss_fn, bits, keys = drawn(loss_fn, message)
        batch, values = (batch, bits), values | keys
    exact = exact_results(loss_fn, params, batch)
    bounds = allowed(loss_fn, params, batch, exact)
    if golden:
        (golden / f"{name}.import").write_bytes(message)
        known = {f"exact/{key}": np.asarray(x, np.float32) for key, x in exact.items()}
        known |= {f"allowed/{key}": np.float32(x) for key, x in bounds.items()}
        _safetensors.write(golden / f"{name}.safetensors", values | known)
    ours = podsim_results(message, values)
    worst = max(exact, key=lambda key: distance(ours[key], exact[key]) / bounds[key])
    far = distance(ours[worst], exact[worst])
    good = set(ours) == set(exact) and far <= bounds[worst]
    print(f"| {name} | {len(params)} | {distance(ours['loss'], exact['loss']):.1e} | "
          f"{worst} | {far:.1e} | {bounds[worst]:.1e} | {'yes' if good else 'NO'} |",
          flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--golden", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.golden:  # files that are the same wherever the tree lies
        jax.config.update("jax_hlo_source_file_canonicalization_regex",
                          re.escape(f"{ROOT}/") + "|^.*/lib/python3[^/]*/")
    print("| function | tensors | loss is off by | tensor nearest to its bound | off by | "
          "allowed | within |\n|---|---|---|---|---|---|---|")
    good = [check(name, arguments.golden) for name in arguments.names or functions.FUNCTIONS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
