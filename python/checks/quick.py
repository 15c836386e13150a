"""Three minutes of these checks, for every run of ./check: values and gradients of a few
functions, and those of every element-wise one at infinities and NaN; a few optimizers, what
examples draw from their own keys, a flax model and one with a state, each against JAX; what is
refused, and in which words; what TensorBoard reads of a job.

    python python/checks/quick.py

Prints the rows of gradients.py, optimizers.py, distributions.py and training.py."""

from __future__ import annotations

import pickle
import sys
import time
import warnings

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

import coupled_losses
import distributions
import ends
import gradients
import layers
import mistakes
import optimizers
import podsim
import refusals
import tensorboard_runs
import traced_mistakes
import training
import typed_mistakes
from training_models import GLOBAL, Model, target_net

FUNCTIONS = ("mlp", "bert_layer", "lstm", "separable_block", "masked_labels", "recomputed",
             "bfloat16_resnet", "bfloat16_bert", "bfloat16_orders")
OPTIMIZERS = ("sgd, momentum", "adamw, mask", "lamb", "lars",
              "adam, warmup_cosine_decay_schedule")
# Drawn from an example's own key.
DRAWS = ("randint", "permutation", "choice")
STEPS = 20


class Cnn(nn.Module):
    """A small network of flax with a convolution, a norm and two products."""

    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(8, (3, 3))(x)), (2, 2), (2, 2))
        x = nn.LayerNorm()(x).reshape(x.shape[0], -1)
        return nn.Dense(10)(nn.gelu(nn.Dense(32)(x)))


def flax_model():
    draw = layers.Draw(np.random.default_rng(gradients.SEED))
    images, labels = draw.normal(GLOBAL, 12, 12, 1), draw.classes(GLOBAL)
    model = Cnn()
    params = jax.device_get(model.init(jax.random.key(0), images)["params"])

    def loss(params, batch):
        x, y = batch
        logits = model.apply({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
    return Model(loss, params, (images, labels), "adamw")


def check_flax():
    model = flax_model()
    bounds = training.expected(model, optax.adamw(1e-3), steps=STEPS)
    run = training.ours(model, podsim.adamw(1e-3), "v3-8", STEPS)
    row, within = training.cells(run, *bounds)
    print(f"| flax CNN | adamw | v3-8 | {row}", flush=True)
    return within


def check_state():
    """A state named like the params, and a counter of whole numbers."""
    model = target_net(layers.Draw(np.random.default_rng(gradients.SEED)))
    bounds = training.expected(model, optax.adam(1e-3), steps=STEPS)
    run = training.ours(model, podsim.adam(1e-3), "v3-8", STEPS)
    row, within = training.cells(run, *bounds)
    print(f"| target_net | adam | v3-8 | {row}", flush=True)
    return within


def check_plan_reads_one_example():
    """Of each split of a million, and leaves the second item of an iterable to others."""
    read = []

    def example(index):
        read.append(index)
        return {"x": np.zeros(784, np.float32), "y": np.int32(0)}

    def loss(params, batch):
        return optax.softmax_cross_entropy_with_integer_labels(
            batch["x"] @ params["w"], batch["y"]).mean()

    params = {"w": np.zeros((784, 10), np.float32)}
    job = {"topology": "v3-8", "batch_per_core": 8, "optimizer": podsim.sgd(0.1)}
    plan = podsim.plan(loss, params, example, examples=1_000_000, eval_dataset=example,
                       eval_examples=1_000, epochs=2, **job)
    batches = iter([jax.tree.map(lambda *x: np.stack(x), *map(example, range(64)))] * 2)
    endless = podsim.plan(loss, params, batches, train_steps=100, **job)
    good = (read[:2] == [0, 0] and len(read) == 66 and plan[0].train_steps == 31_250
            and "plan hash      not known (the data was not read)" in str(plan)
            and "6,400 examples" in str(endless) and len(list(batches)) == 1
            and plan[0].step_seconds_low <= plan[0].step_seconds <= plan[0].step_seconds_high)
    print(f"a plan reads one example of each split: {'as it should' if good else plan}",
          flush=True)
    return good


def check_evaluations_cost_nothing():
    """A training step is priced alike with an eval_fn that computes a hundred times as much,
    and without one; a run has the low and high of its plan."""

    def loss(params, batch):
        return optax.softmax_cross_entropy_with_integer_labels(
            batch["x"] @ params["w"], batch["y"]).mean()

    def per_example(params, batch):
        wide = batch["x"] @ np.ones((784, 4096), np.float32)
        return {"norm": (wide * wide).sum(1) + (batch["x"] @ params["w"]).sum(1)}

    params = {"w": np.zeros((784, 10), np.float32)}
    batch = {"x": np.ones((256, 784), np.float32), "y": np.zeros(256, np.int32)}
    job = {"topology": "v3-8..v3-32", "batch_per_core": 8, "optimizer": podsim.sgd(0.1),
           "train_steps": 2, "eval_dataset": batch}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with_it = podsim.plan(loss, params, batch, eval_fn=per_example, **job)
        without = podsim.plan(loss, params, batch, **job)
        run = podsim.train(loss, params, batch, eval_fn=per_example, quiet=True,
                           **job | {"topology": "v3-8"})
    prices = [[(row.step_seconds, row.compute_seconds, row.all_reduce_seconds, row.seconds)
               for row in plan] for plan in (with_it, without)]
    good = (prices[0] == prices[1] and run.evaluations[-1]["metrics"]["norm"] > 0
            and run.plan.step_seconds == without["v3-8"].step_seconds
            and run.plan.step_seconds_low < run.plan.step_seconds < run.plan.step_seconds_high
            and run.summary.simulated_seconds_run >= run.summary.simulated_seconds_steps > 0)
    print(f"evaluations cost no step anything: {'as it should' if good else (prices, run)}",
          flush=True)
    return good


def check_explanation():
    """A plan's explanation names the lines of this file, the gradients' too, when the call and
    its files are gone."""

    def loss(params, batch):
        logits = batch["x"] @ params["w"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    params = {"w": np.zeros((784, 10), np.float32)}
    batch = {"x": np.ones((256, 784), np.float32), "y": np.zeros(256, np.int32)}
    plan = podsim.plan(loss, params, batch, topology="v3-8", batch_per_core=8, train_steps=2,
                       optimizer=podsim.sgd(0.1))
    explained = pickle.loads(pickle.dumps(plan)).explain()
    product = f"quick.py:{loss.__code__.co_firstlineno + 1}"
    sources = {kernel["source"] for kernel in explained.kernels}
    good = ({kernel["source"] for kernel in explained.kernels if kernel["kind"] == "product"}
            == {product} and all(each is None or each.startswith("quick.py:")
                                 for each in sources) and product in str(explained))
    print(f"an explanation names lines: {'as it should' if good else explained}", flush=True)
    return good


def check_checkpoints_take_less_hbm():
    """Of a block under jax.checkpoint a core keeps what enters it, and computes the rest again."""
    width = 128

    def example(_index):
        return {"x": np.zeros(width, np.float32), "y": np.zeros(width, np.float32)}

    def block(x, p):
        return x + jnp.tanh(x @ p["up"]) @ p["down"]

    def planned(block):
        def loss(params, batch):
            x = batch["x"]
            for p in params:
                x = block(x, p)
            return jnp.mean((x - batch["y"]) ** 2)

        return podsim.plan(loss, params, example, examples=1 << 20, topology="v3-8", train_steps=10,
                           batch_per_core=8192, optimizer=podsim.sgd(0.1))["v3-8"]

    params = [{"up": np.zeros((width, 4 * width), np.float32),
               "down": np.zeros((4 * width, width), np.float32)} for _ in range(6)]
    kept, again = planned(block), planned(jax.checkpoint(block))
    good = (again.hbm_bytes < 0.7 * kept.hbm_bytes
            and again.compute_seconds > kept.compute_seconds)
    print("six blocks under jax.checkpoint take less HBM, and more time: "
          f"{'as they should' if good else (kept, again)}", flush=True)
    return good


def check_ladder():
    """A loss function climbs to v3-32 with a small rate; with a larger one it learns less there,
    and the ladder stops and says which keyword to change."""
    draw = np.random.default_rng(gradients.SEED)
    centers = draw.normal(size=(4, 16)).astype(np.float32)
    labels = draw.integers(0, 4, 2048).astype(np.int32)
    images = centers[labels] + draw.normal(size=(2048, 16)).astype(np.float32)

    def per_example(params, batch):
        x, y = batch
        return optax.softmax_cross_entropy_with_integer_labels(
            jnp.tanh(x @ params["up"]) @ params["down"], y)

    def loss(params, batch):
        return per_example(params, batch).mean()

    def climb(rate):
        return podsim.ladder(
            loss, params, (images[:1024], labels[:1024]), topology="v3-8,v3-32",
            optimizer=podsim.sgd(rate, momentum=0.9), batch_per_core=4, train_steps=800,
            eval_fn=lambda params, batch: {"loss": per_example(params, batch)},
            eval_dataset=(images[1024:], labels[1024:]), isa="v3", progress=False)

    params = {"up": (0.3 * draw.normal(size=(16, 32))).astype(np.float32),
              "down": (0.3 * draw.normal(size=(32, 4))).astype(np.float32)}
    passed, stopped = climb(0.003), climb(0.3)
    good = (passed.passed and passed.stopped_at is None and len(passed["v3-8"].runs) == 3
            and passed["v3-32"].runs[0]["steps"] == 200
            and not stopped.passed and stopped.stopped_at == "v3-32"
            and stopped.change.startswith("batch_per_core: 4 leaves 200 steps of 128 examples")
            and "--" not in stopped.change)
    print(f"a loss function climbs a ladder: {'as it should' if good else (passed, stopped)}",
          flush=True)
    return good


def main():
    begin = time.monotonic()
    print(f"JAX {jax.__version__}, podsim of {podsim.__path__[0]}")
    good = [gradients.check(name, None) for name in FUNCTIONS]
    good += [optimizers.check(name) for name in OPTIMIZERS]
    good += [distributions.check(name) for name in DRAWS]
    good.append(check_flax())
    good.append(check_state())
    good.append(check_plan_reads_one_example())
    good.append(check_evaluations_cost_nothing())
    good.append(check_explanation())
    good.append(check_checkpoints_take_less_hbm())
    good.append(check_ladder())
    good.append(refusals.all_said())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        good.append(mistakes.all_said())
        good.append(typed_mistakes.all_said())
        good.append(traced_mistakes.all_said())
        good.append(coupled_losses.all_equal_or_said())
    good.append(ends.all_alike())
    good.append(tensorboard_runs.check())
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed, in "
          f"{time.monotonic() - begin:.0f} s")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
