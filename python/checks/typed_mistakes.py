"""Mistakes of typing that need JAX to be seen: arguments of another kind, in another order or in
another tree than podsim takes.

    PODSIM_BIN=build/release/bin PYTHONPATH=python python python/checks/typed_mistakes.py"""

import functools
import pickle
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import optax
import podsim
from mistakes import KEY, PARAMS, X, Y, Net, averaged, call, each, exported, loss_fn, wrong_of


def trained_in(transform):
    """podsim.train within a function that JAX transforms."""
    def train(params):
        return podsim.train(loss_fn, params, (X, Y), topology="v3-8", batch_per_core=8, epochs=1,
                            optimizer=podsim.sgd(0.1), progress=False).summary.loss

    return lambda: transform(train)(PARAMS)


def scheduled(schedule, **more):
    return lambda: call(**{"optimizer": None, "learning_rate": schedule} | more)


# Rates and types that are none, and what says the same.
OF_SETTINGS = [
    ("a schedule beside an optimizer's name", scheduled(
        optax.cosine_decay_schedule(1e-3, 100), optimizer="adamw"), TypeError,
     "learning_rate is the schedule cosine_decay_schedule of optax; give the optimizer that has "
     "it, optimizer=optax.adamw(schedule), or its peak and its shape, "
     'optimizer=podsim.adamw(0.001), lr_schedule="cosine"'),
    ("a linear schedule", scheduled(optax.linear_schedule(0.2, 0.1, 100), optimizer="sgd"),
     TypeError, 'optimizer=podsim.sgd(0.2), lr_schedule="linear", lr_end=0.5'),
    ("a schedule with a warm-up", scheduled(optax.warmup_cosine_decay_schedule(
        0.0, 1e-3, 10, 100)), TypeError, 'lr_schedule="cosine", warmup_steps=10'),
    ("a schedule of steps", scheduled(optax.piecewise_constant_schedule(1e-3, {50: 0.1})),
     TypeError, 'lr_schedule="step", lr_decay_at=[50 / train_steps], lr_decay_factor=0.1'),
    ("a constant schedule", scheduled(optax.constant_schedule(1e-3)), TypeError,
     "optimizer=optax.adamw(schedule), or optimizer=podsim.adamw(0.001)"),
    ("a schedule that podsim has not", scheduled(optax.exponential_decay(1e-3, 10, 0.9)),
     TypeError, "is the schedule exponential_decay of optax; podsim has constant_schedule, "),
    ("a schedule of the base rate", lambda: call(
        optimizer=None, base_learning_rate=optax.linear_schedule(1e-3, 0.0, 100)), TypeError,
     "base_learning_rate is the schedule linear_schedule of optax"),
    ("a schedule in an optimizer of podsim", lambda: podsim.lamb(
        optax.linear_schedule(1e-3, 0.0, 9)), TypeError, "optimizer=optax.lamb(schedule), or its "
     'peak and its shape, optimizer=podsim.lamb(0.001), lr_schedule="linear"'),
    ("a schedule that is not called", scheduled(optax.cosine_decay_schedule), TypeError,
     "a schedule is what it returns, and belongs into an optimizer: "
     "optimizer=optax.adamw(cosine_decay_schedule(...))"),
    ("an optimizer for a rate", scheduled(optax.adam(1e-3)), TypeError,
     "learning_rate is an optimizer; it belongs into optimizer="),
    ("an optimizer's function for a rate", scheduled(optax.adam), TypeError,
     "an optimizer belongs into optimizer=, called: optimizer=optax.adam(1e-3)"),
    ("an optimizer's state", lambda: call(optimizer=optax.adam(1e-3).init(PARAMS)), TypeError,
     "optimizer is (an optax.ScaleByAdamState, an optax.EmptyState), an optimizer's state, which "
     "podsim makes itself; give the optimizer, without .init(params), such as "
     "optimizer=optax.adam(1e-3)"),
    ("a type that podsim has not", lambda: call(precision=jnp.float16), TypeError,
     'precision is the type float16; give "bfloat16" or "float32", as in precision="float32"'),
    ("a type for its name", lambda: call(precision=jnp.bfloat16), TypeError,
     'precision is the type bfloat16; give its name, precision="bfloat16"'),
    ("a type for a number", lambda: call(seed=jnp.float32), TypeError, "seed is "),
    ("a number of too many digits", lambda: call(epochs=None, train_steps=10**20), ValueError,
     "train_steps is 100000000000000000000, which is too large; give a whole number below 2**63"),
]

# Arguments in each other's place, and in a function that JAX transforms.
ORDER = "the order is podsim.{}(loss_fn, params, "
OF_ARGUMENTS = [
    ("path and batch swapped", lambda: podsim.export(loss_fn, PARAMS, "model.pod", (X, Y)),
     TypeError, "'model.pod' stands in the place of batch, and a tuple stands in the place of "
     "path; " + ORDER.format("export") + "batch, path)"),
    ("params and batch left out", lambda: podsim.export(loss_fn, "model.pod"), TypeError,
     "podsim.export is called without params and batch: 'model.pod' stands in the place of params; "
     "it is podsim.export(loss_fn, params, batch, 'model.pod'); params are the weights, a tree of "
     "arrays; batch is a few examples, such as (x[:8], y[:8])"),
    ("batch left out", lambda: podsim.export(loss_fn, PARAMS, "model.pod"), TypeError,
     "podsim.export is called without batch: 'model.pod' stands in its place; "),
    ("params before the function", lambda: podsim.train(PARAMS, loss_fn, (X, Y)), TypeError,
     "the function loss_fn stands in the place of params, and a dict stands in the place of "
     "loss_fn; " + ORDER.format("train") + "dataset, "),
    ("params and data set of a plan swapped", lambda: podsim.plan(loss_fn, (X, Y), PARAMS),
     TypeError, ORDER.format("plan") + "dataset)"),
    ("params and arrays of a data set swapped", lambda: podsim.train(loss_fn, (X, X), PARAMS[
        "dense"]), TypeError, "the arrays of params have one first axis, as examples have, and "
     "those of dataset differ there, as weights do: " + ORDER.format("train")),
    ("params twice", lambda: podsim.train(loss_fn, PARAMS, PARAMS), TypeError,
     "params and dataset are the same dict; "),
    ("an optimizer for a data set", lambda: podsim.train(loss_fn, PARAMS, optax.sgd(0.1)),
     TypeError, "an optimizer belongs into optimizer="),
    ("train within grad", trained_in(jax.grad), TypeError, "the parameter 'dense/bias' is a traced "
     "value: a function of podsim is called within one that JAX transforms"),
    ("train within jit", trained_in(jax.jit), TypeError, "call it outside, with arrays"),
    ("train within a loss", lambda: call(lambda p, b: podsim.train(loss_fn, p, (X, Y))), TypeError,
     "is a traced value: a function of podsim is called within one that JAX transforms"),
    ("a module before the loss", lambda: podsim.train(Net(), loss_fn, PARAMS, (X, Y)), TypeError,
     "the function loss_fn stands in the place of params, and a mistakes.Net stands in the "
     "place of loss_fn; " + ORDER.format("train")),
    ("held-out data by its place", lambda: podsim.train(loss_fn, PARAMS, (X, Y), (X, Y)), TypeError,
     "needs its name; held-out examples are eval_dataset="),
    ("a loss that is called", lambda: podsim.train(loss_fn(PARAMS, (X, Y)), PARAMS, (X, Y)),
     TypeError, "loss_fn is an array of the shape (); it must be a function, (params, batch) -> "
     "loss: give the function itself, not what it returns"),
    ("an optimizer within jit", lambda: jax.jit(podsim.adamw)(1e-3), TypeError,
     "podsim.adamw: learning_rate is a traced value; it must be a number"),
]


def of_dict(loss, **more):
    """Trains on a dict of images and labels."""
    return lambda: call(loss, data={"image": X, "label": Y}, **more)


def by_keys(params, batch):
    return loss_fn(params, (batch["image"], batch["label"]))


def nested(params, batch):
    (x, y), z = batch
    return loss_fn(params, (x, y)) + z.mean()


def three(params, batch):
    x, y, z = batch
    return loss_fn(params, (x, y)) + z.mean()


def looped(params, batch):
    parts = []
    for part in batch:
        parts.append(part.mean())
    return loss_fn(params, batch) + sum(parts)


def of_parts(params, batch):
    parts = params["dense"]
    kernel, bias = parts
    return (batch[0] @ kernel + bias).mean()


def branching(params, batch):
    loss = loss_fn(params, batch)
    if loss > 3:
        loss = loss * 2
    return loss


def asserting(params, batch):
    loss = loss_fn(params, batch)
    assert jnp.isfinite(loss), "the loss is not finite"
    return loss


class Clipped:
    def loss(self, params, batch):
        return min(loss_fn(params, batch), 3.0)


IF = " takes an if, while, and, or or bool() of a traced value: use jnp.where or jax.lax.cond"
# Conditions on traced values: the line names the function too.
OF_CONDITIONS = [
    ("an if in a loss", lambda: exported(branching), TypeError, ": branching" + IF),
    ("an if in a function that a loss calls", lambda: exported(
        lambda p, b: branching(p, b)), TypeError, ": branching" + IF),
    ("an assert in a loss", lambda: exported(asserting), TypeError, ": asserting asserts a traced "
     "value, which has no concrete value: take the assert out; podsim stops by itself at a loss "
     "that is not finite"),
    ("min of a method", lambda: exported(Clipped().loss), TypeError, ": Clipped.loss" + IF),
    ("an if in a comprehension", lambda: exported(
        lambda p, b: sum([x for x in p["dense"]["bias"] if x > 0])), TypeError, ": a lambda" + IF),
    ("float() in a lambda", lambda: exported(lambda p, b: float(loss_fn(p, b))), TypeError,
     ": a lambda calls float() of a traced value"),
]

TAKES = "batch is a dict of 'image' and 'label'; "
# Dicts that are taken apart as tuples are, and the other way round.
OF_TREES = [
    ("a dict for a tuple", of_dict(loss_fn), TypeError, "mistakes.py:26: " + TAKES +
     'x, y = batch takes its keys: write x, y = batch["image"], batch["label"]'),
    ("a dict for a tuple, as a net is called", of_dict(
        lambda p, batch: each(p, batch).mean()), TypeError, 'write x, y = batch["image"], '),
    ("a dict for a nested tuple", of_dict(nested), ValueError, TAKES + "taking it apart takes its "
     'keys: take its arrays by their keys, as in batch["image"]'),
    ("a dict for three arrays", of_dict(three), ValueError,
     "x, y, z = batch takes its keys, of which there are 2: "),
    ("a loop over a dict", of_dict(looped), AttributeError,
     "for part in batch takes its keys: write for part in batch.values()"),
    ("a dict of params that is taken apart", lambda: call(of_parts), TypeError,
     "parts is a dict of 'bias' and 'kernel'; kernel, bias = parts takes its keys: write "
     'kernel, bias = parts["kernel"], parts["bias"]'),
    ("a dict of splits", lambda: call(data={"train": (X, Y), "test": (X, Y)}), TypeError,
     "a split is a data set of its own: give data['train'], and data['test'] as eval_dataset="),
    ("a dict by places", of_dict(lambda p, b: loss_fn(p, (b[0], b[1]))), TypeError,
     "batch is a dict of 'image', 'label', without an order: take an array by its key"),
    ("a tuple by keys", lambda: call(by_keys), TypeError, "batch is a tuple (float32[N,16], "
     "int32[N]), and batch['image'] is not in it: write batch[0] to batch[1], or give the data set "
     "as a dict that has 'image'"),
    ("a tuple in a product", lambda: call(lambda p, b: (b @ p["dense"]["kernel"]).mean()),
     TypeError, "b, the batch, is a tuple (float32[N,16], int32[N]): take one of them, as in b[0]"),
    ("None in a batch", lambda: call(data=(None, Y)), TypeError, "batch[0] is None: give an array"),
    ("a text beside an array", lambda: call(lambda p, b: loss_fn(p, b) * "2"), TypeError,
     "a text stands beside *: '2' is a text: without the quotes, 2"),
    ("a parameter that is a text", lambda: call_of({"w": "zeros(16, 4)"}), TypeError,
     "the parameter 'w' is 'zeros(16, 4)', a text; what is trained is float32: give an array of "
     "numbers, or leave it out of params"),
    ("a parameter that is a random key", lambda: call_of({"w": KEY}), TypeError,
     "the parameter 'w' is a random key; "),
    ("a parameter that is an old key", lambda: call_of({"w": X, "rng": jax.random.PRNGKey(0)}),
     TypeError, "the parameter 'rng' is a random key; "),
    ("a key for params", lambda: call_of(jax.random.PRNGKey(0)), TypeError,
     "params is a random key; what is trained is float32: give the weights, a tree of float32"),
    ("an old key in a state", lambda: call(averaged, state={"rng": jax.random.PRNGKey(0)}), TypeError,
     "the state 'rng' is a key of jax.random.PRNGKey; steps carry those of jax.random.key"),
    ("params with an optimizer's state", lambda: call_of((PARAMS, optax.adam(1e-3).init(PARAMS))),
     TypeError, "an optimizer's state, which podsim makes itself, stands there: give the weights"),
    ("a parameter that is a number", lambda: call_of({"steps": 3}), TypeError,
     "the parameter 'steps' is 3, an int; "),
    ("a parameter of objects", lambda: call_of({"w": np.array([1.0], object)}), TypeError,
     "the parameter 'w' is an array of objects; what is trained is float32: say .astype"),
    ("a parameter that is nan", lambda: call_of({"dense": PARAMS["dense"] | {
        "bias": np.full(10, np.nan, np.float32)}}), ValueError,
     "the parameter 'dense/bias' holds nan at [0]: training begins with these weights"),
    ("keys of two types", lambda: call_of({"w": X, 3: X}), TypeError,
     "the keys of params have no order, 'w' (str), 3 (int): "),
    ("the module for params", lambda: call_of(np), TypeError, "params is the module numpy; give a "
     "tree of arrays"),
    ("an optimizer's state for params", lambda: call_of(optax.adam(1e-3).init(PARAMS)), TypeError,
     "an optimizer's state, which podsim makes itself"),
    ("a text in a state", lambda: call(averaged, state={"mean": "x"}), TypeError,
     "the state 'mean' is 'x', a text; steps carry float32, int32 and random keys"),
    ("a state of a type of 16 bits", lambda: call(averaged, state={"mean": X[0].astype(
        np.float16)}), TypeError, "the state 'mean' is float16; steps carry float32"),
    ("a text for a state that is returned", lambda: call(
        lambda p, s, b: (loss_fn(p, b), {"mean": "x"}), state={"mean": X[0]}), TypeError,
     "the loss function returns 'x' for 'mean' of the state"),
]


def call_of(params):
    return podsim.train(loss_fn, params, (X, Y), topology="v3-8", batch_per_core=8, epochs=1,
                        optimizer=podsim.sgd(0.1), progress=False)


# Data sets of other kinds.
OF_DATA = [
    ("a shape for an array", lambda: call(data=jax.ShapeDtypeStruct((9, 16), np.float32)),
     TypeError, "a jax.ShapeDtypeStruct, a shape without numbers; give an array, such as np.zeros("),
    ("a random key for a data set", lambda: call(data=KEY), TypeError, "dataset is a random key; "),
    ("examples that are random keys", lambda: call(data=jax.random.key, examples=9), TypeError,
     "dataset(0) has a random key; podsim makes keys"),
    ("examples that are texts", lambda: call(data=lambda i: "x", examples=9), TypeError,
     "dataset(0) is an array of texts (<U1); numbers are needed"),
    ("keys of two types in a data set", lambda: call(data={1: X, "y": Y}), TypeError,
     "the keys of dataset have no order, 1 (int), 'y' (str)"),
    ("a batch that is None", lambda: call(data=[(X, Y), None]), ValueError,
     "item 1 of the list of batches is None: leave it out"),
    ("numbered batches", lambda: call(data=enumerate([(X, Y)])), TypeError,
     "dataset is an enumerate, whose items are numbers beside batches"),
    ("a function of the index that is compiled", lambda: call(
        data=jax.jit(lambda i: (X[i], Y[i])), examples=9), ValueError,
     "examples: jax.jit traces the index: give the function itself, without jax.jit"),
    ("an empty data set", lambda: call(data=()), ValueError, "dataset is an empty tuple, which has "
     "no array in it; give arrays with examples along the first axis"),
]

# Functions of libraries in the place of the caller's own.
OF_LIBRARIES = [
    ("optax's loss for a loss", lambda: exported(optax.softmax_cross_entropy), TypeError,
     "the loss function is softmax_cross_entropy of optax, which takes (logits, labels, "),
    ("numpy's mean for a loss", lambda: exported(np.mean), TypeError, "is mean of numpy, which "),
    ("a compiled loss", lambda: exported(jax.jit(loss_fn).lower(PARAMS, (X, Y)).compile()),
     TypeError, "is compiled for one batch, jax.jit(f).lower(...).compile(): give f itself"),
    ("make_jaxpr", lambda: exported(jax.make_jaxpr(loss_fn)), TypeError,
     "is jax.make_jaxpr of loss_fn: give loss_fn itself"),
    ("hessian", lambda: exported(jax.hessian(loss_fn)), TypeError,
     "is jax.jacobian of loss_fn: give loss_fn itself; podsim computes the gradients"),
    ("vmap of an evaluation", lambda: exported(loss_fn, eval_fn=jax.vmap(loss_fn)), ValueError,
     "if it takes one example, give jax.vmap(f, in_axes=(None, 0))"),
    ("a batch that is taken by its name", lambda: exported(lambda p, *, batch: loss_fn(p, batch)),
     TypeError, "batch is taken by its name alone: leave the * before it out"),
    ("a loss in a tuple of one", lambda: exported(lambda p, b: (loss_fn(p, b),)), TypeError,
     "returns one thing in a tuple; it must return a loss, or (loss, metrics); a comma"),
    ("the apply of a model for a loss", lambda: exported(Net().apply), TypeError,
     "the loss function is apply of a Net, which returns outputs: give a function of its "
     "outputs"),
    ("a loss of a cache", lambda: exported(functools.lru_cache(loss_fn)), TypeError,
     "the loss function keeps what it returned (functools.lru_cache)"),
    ("a loss of numpy's vectorize", lambda: exported(np.vectorize(loss_fn)), TypeError,
     "is a numpy.vectorize"),
    ("no loss", lambda: exported(lambda p, b: None), TypeError, "this one is None: return the"),
    ("an index of a number", lambda: exported(lambda p, b: loss_fn(p, b)[0]), IndexError,
     "float32[] is one number and has no axes: leave [...] out"),
]


class Made:
    def init(self, key):
        return PARAMS


def init_params():
    return PARAMS


# What is nearly the argument that is meant.
NEARLY = [
    ("training and held-out data as keras has them", lambda: call(
        data=((X[:500], Y[:500]), (X[500:900], Y[500:900]))), ValueError, "; training and held-out "
     "data are given apart: podsim.train(loss_fn, params, train, eval_dataset=test)"),
    ("arrays of different lengths, no splits", lambda: call(data=((X[:500], X[:9]), (Y, Y))),
     ValueError, "'1/0', '1/1'"),
    ("the init of a model, not called", lambda: call_of(Made().init), TypeError,
     "params is the function init, not called; give what it returns: params = model.init(...)"),
    ("a function of weights, not called", lambda: call_of(init_params), TypeError,
     "params is the function init_params, not called; give what it returns: params = "
     "init_params(...)"),
    ("bytes of a pickle", lambda: call_of(pickle.dumps(PARAMS)), TypeError,
     "params is bytes (a pickle); give a tree of arrays: pickle.loads(...)"),
    ("bytes of numbers", lambda: call_of(X.tobytes()), TypeError, "params is bytes; give a tree of "
     "arrays: np.frombuffer(...).reshape(...) makes one of raw numbers"),
    ("a data set in bytes", lambda: call(data=pickle.dumps((X, Y))), TypeError,
     "dataset is bytes (a pickle); give arrays with examples along the first axis: pickle.loads("),
    ("a rate of optax that is a text", lambda: call(optimizer=optax.adam("1e-3")), TypeError,
     "the learning rate is a text; give one number, such as 1e-3; float('1e-3') makes one of"),
    ("a function for momentum", lambda: podsim.momentum(0.1, 0.9), AttributeError,
     "podsim has no 'momentum': it is an argument of sgd, podsim.sgd(0.1, momentum=0.9)"),
    ("a function for nesterov", lambda: podsim.nesterov(0.1), AttributeError,
     "podsim.sgd(0.1, momentum=0.9, nesterov=True)"),
    ("a norm of 0 for no clipping", lambda: podsim.sgd(0.1, clip_norm=0), ValueError,
     "clip_norm is 0; it must be more than 0, such as 1; for no clipping leave it out"),
    ("a Run that is exported", lambda: podsim.export(call(), "model.pod"), TypeError,
     "podsim.export: the first argument is a Run, which has the weights: "
     "podsim.export(loss_fn, run.params, batch, path)"),
]


def all_said():
    """Prints the table; whether each error has its words."""
    print("| mistake | what is said |\n|---|---|")
    return wrong_of([*OF_SETTINGS, *OF_ARGUMENTS, *OF_CONDITIONS, *OF_TREES, *OF_DATA,
                     *OF_LIBRARIES, *NEARLY]) == 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(0 if all_said() else 1)
