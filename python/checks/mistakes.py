"""Mistakes that need JAX to be seen: each call beside the words that its error must have.

    PODSIM_BIN=build/release/bin PYTHONPATH=python python python/checks/mistakes.py"""

import itertools
import pathlib
import re
import sys
import tempfile
import warnings

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import podsim

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1000, 16)).astype(np.float32)
Y = RNG.integers(0, 10, 1000)
PARAMS = {"dense": {"kernel": np.zeros((16, 10), np.float32), "bias": np.zeros(10, np.float32)}}


def loss_fn(params, batch):
    x, y = batch
    log_p = jax.nn.log_softmax(x @ params["dense"]["kernel"] + params["dense"]["bias"])
    return -jnp.mean(log_p[jnp.arange(len(y)), y])


def with_metrics(params, batch):
    return loss_fn(params, batch), {"norm": jnp.sum(params["dense"]["bias"] ** 2)}


def averaged(params, state, batch):
    """A state made of the shapes of params, which is no gradient."""
    return loss_fn(params, batch), jax.tree_util.tree_map(lambda a, b: 0.9 * a + 0.1 * b, state,
                                                          {"mean": params})


def rows(params, batch):
    """A loop over 19 rows, which are no examples."""
    made = jax.lax.map(lambda row: jnp.sum(row @ params["dense"]["kernel"]), jnp.ones((19, 16)))
    return loss_fn(params, batch) + jnp.sum(made)


class Digits:
    """As torch has a data set."""

    def __len__(self):
        return len(X)

    def __getitem__(self, index):
        return X[index], int(Y[index])


class Batches(Digits):
    """As keras has one."""

    def __getitem__(self, index):
        return X[8 * index:8 * index + 8], Y[8 * index:8 * index + 8]


def call(loss=loss_fn, data=(X, Y), **more):
    settings = {"topology": "v3-8", "batch_per_core": 8, "epochs": 1,
                "optimizer": podsim.adamw(1e-3)} | more
    return podsim.train(loss, PARAMS, data, progress=False, **settings)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(8)(x)
        return nn.Dense(10)(nn.Dropout(0.5, deterministic=False)(h))


NET = {"params": {"Dense_0": {"kernel": np.zeros((16, 8), np.float32),
                              "bias": np.zeros(8, np.float32)},
                  "Dense_1": {"kernel": np.zeros((8, 10), np.float32),
                              "bias": np.zeros(10, np.float32)}}}


def of_net(*arguments):
    """A loss of the mean of what the net returns for these arguments of apply."""
    return lambda params, batch: jnp.mean(Net().apply(params, batch[0], *arguments))


def kept(log):
    def loss(params, batch):
        log.append(loss_fn(params, batch))
        return sum(log) / len(log)

    return loss


def each(params, batch):
    """The loss of each example."""
    x, y = batch
    return -jax.nn.log_softmax(x @ params["dense"]["kernel"])[jnp.arange(len(y)), y]


def outputs(params, batch):
    """Of a network, without a loss."""
    return batch[0] @ params["dense"]["kernel"] + params["dense"]["bias"]


KEY = jax.random.key(0)
CONV = {"kernel": np.zeros((3, 1, 4), np.float32), "bias": np.zeros(4, np.float32)}


def exported(loss, params=PARAMS, data=(X, Y), **more):
    with tempfile.TemporaryDirectory() as folder:
        podsim.export(loss, params, data, pathlib.Path(folder, "model"), **more)


# Failures of the caller's functions: each has this file's name and a line.
FAILURES = [
    ("numpy", lambda p, b: np.mean(np.array(each(p, b))), TypeError, "(np.array): use jax.numpy"),
    ("a mask", lambda p, b: each(p, b)[b[1] == 0].mean(), IndexError, "jnp.where(mask, x, 0)"),
    ("while_loop", lambda p, b: jax.lax.while_loop(lambda v: v > 1e-3, lambda v: v * 0.5,
                                                   loss_fn(p, b)), ValueError, "use lax.scan"),
    ("a list that keeps losses", kept([]), TypeError, "earlier call (in 'log')"),
    ("x and y as arguments", lambda p, x, y: loss_fn(p, (x, y)), TypeError,
     "(p, x, y) is called as (params, batch, key): x is the whole batch"),
    ("params and batch the other way round", lambda b, p: loss_fn(p, b), ValueError,
     "change their order to (p, b)"),
    ("a fixed number of examples", lambda p, b: loss_fn(p, (b[0].reshape(32, 16), b[1])),
     TypeError, "has the shape (N, 16), another number of elements; the number of examples"),
    ("pmap", jax.pmap(loss_fn, in_axes=(None, 0)), ValueError,
     "is jax.pmap of loss_fn: give loss_fn itself"),
    ("vmap", jax.vmap(loss_fn), ValueError, "is jax.vmap of loss_fn"),
    ("examples beside one another", lambda p, b: jnp.mean(b[0] @ b[0].T) + loss_fn(p, b),
     podsim.PodsimError, "a product of matrices (@, jnp.dot, jnp.einsum): "),
    ("a key of its own", lambda p, b: loss_fn(p, b) + jnp.mean(jax.random.normal(
        jax.random.PRNGKey(0), (len(b[1]),))), podsim.PodsimError, "take a third argument"),
    ("a key of the module", lambda p, b: loss_fn(p, b) + jnp.mean(jax.random.bernoulli(
        KEY, 0.8, (len(b[1]),))), podsim.PodsimError, "none of the function's arguments"),
    ("a sort of the examples", lambda p, b: jnp.mean(jnp.sort(each(p, b))), podsim.PodsimError,
     "jnp.sort"),
    ("a model", nn.Dense(4), TypeError, "is a Dense, a module of flax: give a function of its "
     "outputs"),
    ("images and labels as arguments, with a key", lambda params, x, y, key: loss_fn(
        params, (x, y)), TypeError, "takes 4 arguments: take (params, batch, key), and x, y = batch"),
    ("a column beside a row", lambda p, b: jnp.mean((outputs(p, b)[:, :1] - b[1]) ** 2),
     podsim.PodsimError, "x[:, 0] makes the first of them [N]"),
    ("three things", lambda p, b: (loss_fn(p, b), {}, {}), TypeError, "returns 3 things"),
    ("item", lambda p, b: loss_fn(p, b).item(), TypeError, ".item() of a traced value"),
    ("a key that is not there", lambda p, b: loss_fn(p["net"], b), TypeError, "KeyError: 'net'"),
    ("a name that is not there", lambda p, b: jnp.men(each(p, b)), AttributeError, "mean"),
    ("a shape that differs", lambda p, b: jnp.mean(each(p, b) * jnp.ones(32)), TypeError,
     "x * y is given x: float32[N], y: float32[32]"),
    ("a carry that changes", lambda p, b: jax.lax.fori_loop(0, 3, lambda i, c: (c, i), 0.0),
     TypeError, "return it as it came in"),
    ("branches that differ", lambda p, b: jax.lax.cond(
        loss_fn(p, b) > 0, lambda: 1.0, lambda: 1), TypeError, "make them alike"),
]


def failing(name, loss, kind, says):
    return name, lambda: exported(loss), kind, says


def by_index(at, other):
    """A function of the index, of which one example is another."""
    return lambda index: other if index == at else (X[index], int(Y[index]))


def narrower(width=15):
    """Batches of which one has another width."""
    for i in range(8):
        yield X[32 * i:32 * i + 32, :width if i == 2 else 16], Y[32 * i:32 * i + 32]


# Data sets of which a part differs from the others.
PARTS = [
    ("a narrower batch", lambda: call(data=narrower()), ValueError,
     "dataset: the array '0' of batch 2 (from example 64) has examples of (15,), those before "
     "(16,): pad all to one shape"),
    ("a narrower held-out batch", lambda: call(eval_dataset=narrower()), ValueError,
     "eval_dataset: the array '0' of batch 2"),
    ("an example that is None", lambda: call(data=by_index(77, None), examples=256), ValueError,
     "dataset(77) is None, those before are (float32[16], int32): return an example for every "
     "index from 0 to 255"),
    ("a label that is None", lambda: call(data=by_index(5, (X[0], None)), examples=256),
     ValueError, "dataset(5) is (float32[16], None), those before are (float32[16], int32)"),
    ("a label of another type", lambda: call(data=by_index(200, (X[0], 0.5)), examples=256),
     ValueError, "dataset(200) is (float32[16], float32), those before"),
    ("a narrower example", lambda: call(data=by_index(77, (X[0, :9], 1)), examples=256),
     ValueError, "dataset(77) is (float32[9], int32), those before are (float32[16], int32): pad"),
    ("no example at all", lambda: call(data=lambda index: None, examples=9), TypeError,
     "dataset(0) is None: return an example"),
    ("a generator function", lambda: call(data=narrower), TypeError,
     "dataset is the generator function narrower: call it, dataset=narrower()"),
    ("doubles among floats", lambda: call(data=by_index(77, (X[0].astype(float), 1)),
                                          examples=256), None, ""),
]

def of_npz(**batch):
    """Trains with images and labels of a file of NumPy's; batch: as the call names them."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(pathlib.Path(folder, "train.npz"), images=X, labels=Y)
        call(lambda p, b: loss_fn(p, [*b.values()]), data="npz", data_dir=folder, batch=batch)


def restored():
    """The weights of a checkpoint that a call has nothing left to train on."""
    with tempfile.TemporaryDirectory() as folder:
        run = call(model_dir=folder)
        again = call(restore=pathlib.Path(folder, str(run.summary["steps"])))
        assert all(jax.tree.leaves(jax.tree.map(np.array_equal, run.params, again.params)))


# What nothing names, and what is named otherwise.
NAMED = [
    ("other names than the file's", lambda: of_npz(x=X, y=Y), podsim.PodsimError,
     "batch has 'x', 'y', but the data set npz has 'images' (float32 [B, 16]), 'labels' (int32 "
     "[B]): give batch these names, and read them in the loss function: batch[\"images\"]"),
    ("the file's names", lambda: of_npz(images=X, labels=Y), None, ""),
    ("weights of nothing", lambda: call(restore_weights_only=True), TypeError,
     "restore_weights_only takes the weights of restore=, which is not given"),
    ("an evaluation of nothing", lambda: call(mode="eval", eval_dataset=(X, Y)), TypeError,
     "neither model_dir nor restore says which"),
    ("an evaluation without examples", lambda: call(mode="eval", model_dir="runs/a"), TypeError,
     'mode="eval" evaluates eval_dataset, which is not given'),
    ("a batch of an evaluation without one", lambda: call(eval_batch_size=8), TypeError,
     "eval_batch_size is 8, but there is no eval_dataset that could be evaluated: give"),
    ("a checkpoint without a step left", restored, None, ""),
    ("evaluations of a call without them", lambda: call().evaluations[-1]["accuracy"], IndexError,
     "run.evaluations is empty: this call evaluated nothing; give eval_fn= and eval_dataset="),
]

def with_optax(optimizer, **more):
    return lambda: call(optimizer=optimizer, epochs=None, train_steps=10, **more)


# What is made of optax's parts, and its schedules.
OF_OPTAX = [(name, with_optax(optimizer), kind, says) for name, optimizer, kind, says in [
    ("a scale that climbs", optax.chain(optax.scale_by_adam(), optax.scale(1e-3)), TypeError,
     "scale(0.001) behind scale_by_adam climbs the gradient"),
    ("a scale that descends", optax.chain(optax.scale_by_adam(), optax.scale(-1e-3)), None, ""),
    ("no rate", optax.scale_by_adam(), TypeError, "no learning rate behind scale_by_adam"),
    ("decay after the rate", optax.chain(optax.adam(1e-3), optax.add_decayed_weights(1e-4)),
     TypeError, "podsim has these in another order: scale_by_adam, add_decayed_weights"),
    ("lion", optax.lion(1e-3), TypeError, "no lion (scale_by_lion); podsim has sgd"),
    ("muon", optax.contrib.muon(1e-3), TypeError, "podsim has no muon; "),
    ("a rule of one's own", optax.GradientTransformation(lambda p: (), lambda g, s, p=None: (g, s)),
     TypeError, "a lambda is an update rule of the caller's own"),
    ("a mask of some", optax.adamw(1e-3, mask={"dense": {"bias": False}}), TypeError,
     "the mask is a dict of 'dense/bias', params is a dict of 'dense/bias', 'dense/kernel'"),
    ("a schedule for an optimizer", optax.cosine_decay_schedule(1e-3, 10), TypeError,
     "optimizer is the schedule cosine_decay_schedule; give an optimizer that has it"),
    ("a longer schedule", optax.adam(optax.linear_schedule(1e-3, 0.0, 100)), TypeError,
     "falls for transition_steps=100 steps, but the job has 10; podsim's rate falls to the last "
     "step: give train_steps=100, or transition_steps=10"),
    ("a warm-up that falls", optax.adam(optax.warmup_cosine_decay_schedule(1e-3, 1e-4, 2, 10)),
     TypeError, "the warm-up begins at 0.001, its peak is 0.0001"),
    ("a schedule that is not called", optax.sgd(optax.cosine_decay_schedule), TypeError,
     "the schedule cosine_decay_schedule is not called; write cosine_decay_schedule(...)"),
    ("a rate that is a text", optax.adamw("1e-3"), TypeError,
     "the learning rate is a text; give one"),
    ("a decay that is a text", optax.adamw(1e-3, weight_decay="0.1"), TypeError,
     "add_decayed_weights has a text for weight_decay; give one number"),
    ("a rate that is an array", optax.sgd(np.array([0.1])), TypeError,
     "the learning rate is an array of the shape (1,); give one number, such as 1e-3"),
    ("a schedule of its length", optax.adam(optax.warmup_cosine_decay_schedule(0.0, 1e-3, 2, 10)),
     None, ""),
]]

# A name, what is called, the error's type, and what it says; none: it trains.
CASES = [
    *PARTS,
    *NAMED,
    *OF_OPTAX,
    ("value_and_grad", lambda: call(jax.value_and_grad(loss_fn)), TypeError,
     "the loss function returns a value and gradients"),
    ("grad", lambda: call(jax.grad(loss_fn)), TypeError, "the loss function returns gradients"),
    ("value_and_grad with has_aux",
     lambda: call(jax.value_and_grad(with_metrics, has_aux=True)), TypeError,
     "hand over the function that returns the loss"),
    ("a loss with metrics", lambda: call(with_metrics), None, ""),
    ("a state made of params", lambda: call(averaged, state={"mean": PARAMS}), None, ""),
    ("a loss for each example", lambda: call(lambda params, batch: batch[0].mean(-1)), TypeError,
     "this one is an array of the shape (N,): take jnp.mean of it"),
    ("a loss with outputs", lambda: call(lambda p, b: (loss_fn(p, b), outputs(p, b))), TypeError,
     "the loss function returns (loss, float32[N,10]); the second thing of a pair is metrics, a dict "
     'of numbers: return the loss alone, or loss, {"accuracy": ...}'),
    ("a loss with an accuracy", lambda: call(lambda p, b: (loss_fn(p, b), jnp.mean(b[1]))), TypeError,
     "the loss function returns (loss, one number); the second thing of a pair is metrics"),
    ("a loss with None", lambda: call(lambda p, b: (loss_fn(p, b), None)), TypeError,
     "the loss function returns (loss, None); the second thing"),
    ("outputs with a loss", lambda: call(lambda p, b: (outputs(p, b), loss_fn(p, b))), TypeError,
     "the loss function returns (float32[N,10], one number); the first thing of a pair is the loss"),
    ("outputs behind a state", lambda: call(
        lambda p, s, b: (loss_fn(p, b), (s, outputs(p, b))), state={"mean": X[0]}), TypeError,
     "the loss function returns (loss, (new_state, float32[N,10])); the second thing of a pair"),
    ("a new state without state=", lambda: call(
        lambda p, b: (loss_fn(p, b), {"batch_stats": {"mean": b[0].mean(0)}})), TypeError,
     "'batch_stats' is a dict, not an array of numbers: leave it out; what steps carry goes "
     "through state="),
    ("a loss in a dict", lambda: call(lambda p, b: {"loss": loss_fn(p, b)}), TypeError,
     "this one is a dict of 'loss'"),
    ("another state", lambda: call(lambda p, s, b: (loss_fn(p, b), {"a": s["mean"]}),
                                   state={"mean": X[0]}), TypeError,
     "beside the loss this one returns a dict of 'a', the state is a dict of 'mean'"),
    ("a loop over 19 rows", lambda: call(rows), None, ""),
    ("a loss without params", lambda: call(lambda p, b: loss_fn(PARAMS, b)), ValueError,
     "the loss does not use params"),
    ("a loss without a gradient",
     lambda: call(lambda p, b: jnp.mean(jnp.round(b[0] @ p["dense"]["kernel"]))), ValueError,
     "the gradient of the loss is 0 for every parameter"),
    ("a batch that does not unpack", lambda: call(data=X), ValueError,
     "the loss function fails: ValueError: too many values to unpack (expected 2); "
     "loss_fn(params, batch) is called as (params, batch), params a dict of dense/bias: "
     "float32[10], dense/kernel: float32[16,10]; batch float32[N,16] (N examples)"),
    ("labels that are no whole numbers", lambda: call(data=(X, Y.astype(np.float32))), TypeError,
     "i: a tuple (int32[N], float32[N]): indices are whole numbers"),
    ("None among params", lambda: podsim.export(loss_fn, {"dense": {"kernel": None}}, (X, Y), "m"),
     TypeError, "params is a dict of None alone, which has no array in it"),
    ("a parameter that is None",
     lambda: podsim.export(loss_fn, {"dense": PARAMS["dense"] | {"bias": None}}, (X, Y), "m"),
     TypeError, "params['dense']['bias'] is None"),
    ("a state of another shape", lambda: call(
        lambda p, s, b: (loss_fn(p, b), {"mean": jnp.zeros(5)}), state={"mean": X[0]}), TypeError,
     "returns 'mean' of the state with the shape (5,), but is given it with (16,)"),
    ("a metric called loss", lambda: call(lambda p, b: (loss_fn(p, b), {"loss": 0.0})),
     ValueError, "a metric is called 'loss'"),
    ("a list of examples", lambda: call(data=list(zip(X, Y))), ValueError,
     "dataset is a list of 1,000 examples, the first (float32[16], int32); a list holds batches: "
     "give their arrays, jax.tree.map(lambda *x: np.stack(x), *dataset), or dataset.__getitem__ "
     "with examples=1000"),
    ("an iterator of examples", lambda: call(data=zip(X, Y)), ValueError, "an item of dataset is "
     "one example, (float32[16], int32), and must be a batch, with examples along the first axis"),
    ("a list of lists", lambda: call(data=X.tolist()), ValueError,
     "dataset is a list of lists of numbers: make it an array, np.asarray(dataset)"),
    ("a key for a seed", lambda: call(seed=jax.random.key(0)), TypeError,
     "seed is a random key of JAX"),
    ("a schedule for a rate", lambda: call(optimizer=podsim.sgd(lambda step: 0.1)), TypeError,
     "learning_rate is a lambda, and podsim knows no function of the step"),
    ("slices in a tuple", lambda: call(topology=("v3-8", "v3-32")), TypeError,
     'train runs one slice, such as "v3-8"'),
    ("a data set's name for a batch", lambda: podsim.export(loss_fn, PARAMS, "mnist", "m"),
     TypeError, "export takes a tree of arrays"),
    ("params in place of the function", lambda: call(PARAMS), TypeError, "loss_fn is a dict"),
    ("a function that is not called", lambda: call(optimizer=podsim.adamw), TypeError,
     "call it, as in adamw(1e-3)"),
    ("no examples", lambda: call(data=(X[:0], Y[:0])), ValueError,
     "the data set has no examples: '0' has the shape (0, 16)"),
    ("psum", lambda: call(lambda p, b: jax.lax.psum(loss_fn(p, b), "i")), TypeError,
     "over the axis 'i'"),
    ("float", lambda: call(lambda p, b: float(loss_fn(p, b))), TypeError, "float() of a traced"),
    ("if", lambda: call(lambda p, b: loss_fn(p, b) if loss_fn(p, b) > 0 else 0.0), TypeError,
     "use jnp.where"),
    ("argmax", lambda: call(lambda p, b: jnp.argmax(p["dense"]["bias"])), TypeError,
     "the loss is int32"),
    ("no end", lambda: call(data=itertools.cycle([(X, Y)])), ValueError, "say train_steps=N"),
    ("a number of examples beside arrays", lambda: call(examples=10), TypeError,
     "examples is 10, but it is for"),
    ("held-out examples of another shape", lambda: call(eval_dataset=(X[:, :4], Y)), ValueError,
     "an example of eval_dataset has float32 of (4,) in '0'"),
    ("a held-out data set in a dict", lambda: call(eval_dataset={"x": X, "y": Y}), ValueError,
     "an example of eval_dataset is {'x': float32[16], 'y': int32}, one of the data set is "
     "(float32[16], int32): give both the same structure"),
    ("no held-out examples", lambda: call(eval_dataset=(X[:0], Y[:0])), ValueError,
     "eval_dataset: the data set has no examples"),
    ("examples by their index", lambda: call(data=Digits()), TypeError,
     "Digits, whose items are examples: give a function and their number: "
     "dataset.__getitem__, examples=len(dataset)"),
    ("the same as it says", lambda: call(data=Digits().__getitem__, examples=len(Digits())), None,
     ""),
    ("batches by their index", lambda: call(data=Batches()), TypeError,
     "whose items look like batches: give an iterable of them: (dataset[i] for i in range(len("
     "dataset)))"),
    ("texts for labels", lambda: call(data=(X, np.array(["cat", "dog"] * 500))), TypeError,
     "the array '1' of the data set is an array of texts (<U3); numbers are needed"),
    ("a data set that is none", lambda: call(data=None), TypeError, "dataset is None; give arrays"),
    ("a batch of texts for export",
     lambda: podsim.export(loss_fn, PARAMS, (X, np.array(["cat"] * 1000)), "m"), TypeError,
     "the array '1' of the batch is an array of texts"),
    ("params and data set swapped", lambda: podsim.train(loss_fn, (X, Y), PARAMS), TypeError,
     "the order is podsim.train(loss_fn, params, dataset)"),
    ("shapes for params", lambda: podsim.export(loss_fn, jax.eval_shape(lambda: PARAMS), (X, Y),
                                                "m"), TypeError,
     "the parameter 'dense/bias' is a jax.ShapeDtypeStruct, a shape without numbers"),
    ("a schedule for lr_schedule", lambda: call(lr_schedule=lambda step: 0.1), TypeError,
     "lr_schedule is a lambda; it takes a text, such as lr_schedule=\"cosine\""),
    ("labels in a list", lambda: call(data=(X, Y.tolist())), ValueError,
     "the data set has lists of numbers in '1', and JAX takes each number for an array of its own: "
     "make an array of each list, np.asarray(...)"),
    ("lengths that differ", lambda: call(data=(X, Y[1:])), ValueError,
     "here 1,000 in array 0; 999 in array 1: give as many of each, such as x[:999]"),
    ("examples along the last axis", lambda: call(data=(X.T, Y)), ValueError,
     "array 0 has 1,000 along axis 1: if these are its examples, give np.moveaxis(x, 1, 0)"),
    ("four arrays", lambda: call(data=(X[:500], Y[:500], X[500:900], Y[500:900])), ValueError,
     "podsim.train(loss_fn, params, (x, y), eval_dataset=(x_test, y_test))"),
    ("a part for a held-out data set", lambda: call(eval_dataset=0.2), TypeError,
     "eval_dataset is 0.2; podsim holds no part of the data set out: slice it"),
    ("a slice for a data set", lambda: call(data="v3-8"), TypeError,
     "the name of a slice: say topology='v3-8'"),
    ("several slices", lambda: call(topology="v3-8..v3-32"), TypeError,
     "podsim.plan takes them all"),
    ("a data set's name", lambda: call(data="mnistt"), TypeError, "did you mean mnist?"),
    ("lr", lambda: call(lr=0.1), TypeError, "say the learning rate"),
    ("no such slice", lambda: call(topology="v3-33"), podsim.PodsimError,
     "no slice is called 'v3-33'"),
    ("a batch that does not divide", lambda: call(batch_per_core=None, train_batch_size=33),
     podsim.PodsimError, "train_batch_size 33 does not divide"),
    ("a rate at which the loss is lost",
     lambda: call(optimizer=podsim.sgd(9e37), epochs=3), podsim.PodsimError, "at step"),
    ("labels in a column", lambda: exported(loss_fn, data=(X, Y[:, None])), podsim.PodsimError,
     "array 1 of the batch is int64[N,1] and is broadcast against [N]"),
    ("a state after the batch", lambda: exported(
        lambda p, b, s: (loss_fn(p, b), s), state={"mean": X[0]}), ValueError,
     "(p, b, s) is called as (params, state, batch): change their order to (p, s, b)"),
    ("params without the dictionary of collections",
     lambda: exported(of_net(), NET["params"]), ValueError, 'write m.apply({"params": params}, x)'),
    ("dropout without a key", lambda: exported(of_net(), NET), ValueError,
     'Dropout_0 needs a key for "dropout": take a third argument'),
    *[failing(*each) for each in FAILURES],
    ("what apply returns with mutable=", lambda: exported(
        lambda p, b: optax.softmax_cross_entropy_with_integer_labels(Net().apply(
            NET, b[0], mutable=["batch_stats"], rngs={"dropout": KEY}), b[1]).mean()), ValueError,
     "optax.softmax_cross_entropy_with_integer_labels is given a tuple (float32[N,10], a dict) for "
     "logits: apply with mutable= returns (output, new_state): write logits, new = m.apply(...)"),
    ("labels beside one-hot ones", lambda: exported(lambda p, b: optax.softmax_cross_entropy(
        outputs(p, b), b[1]).mean()), ValueError,
     "optax.softmax_cross_entropy is given logits: float32[N,10], labels: int32[N]: use "
     "optax.softmax_cross_entropy_with_integer_labels, or jax.nn.one_hot(labels, 10)"),
    ("one-hot labels beside class numbers", lambda: exported(
        lambda p, b: optax.softmax_cross_entropy_with_integer_labels(
            outputs(p, b), jax.nn.one_hot(b[1], 10)).mean()), TypeError,
     "use optax.softmax_cross_entropy, or labels.argmax(-1)"),
    ("an argument that a layer does not take", lambda: exported(lambda p, b: nn.Dense(10).apply(
        {"params": p["dense"]}, b[0], train=True).mean()), TypeError,
     "Dense.__call__ takes no argument 'train'; it takes (inputs): leave train= out"),
    ("a layer made for another width", lambda: exported(lambda p, b: nn.Conv(4, (3,)).apply(
        {"params": CONV}, b[0]).mean()), ValueError, "the kernel of Conv is (3, 1, 4), made for "
     "inputs [..., 1]; it is given float32[N,16]: give what init had, such as x[..., None]"),
    ("outputs for a loss", lambda: exported(outputs), TypeError,
     "what is trained is a loss, one number; this function returns (N, 10), as a network's "
     "outputs are: give a function of (params, batch) that returns the mean loss"),
    ("a class for a loss", lambda: exported(Digits), TypeError, "is the class Digits: give an "
     "object of it"),
    ("params that are one number", lambda: exported(loss_fn, np.float32(3)), TypeError,
     "params is one array, float32[], and is indexed by the key 'dense'"),
    ("a number in a batch", lambda: exported(loss_fn, data=(X, 3)), ValueError,
     "give one value for each example"),
    ("a carry that begins as a whole number", lambda: exported(lambda p, b: jax.lax.scan(
        lambda c, x: (c + x, None), 0, b[0].T)[0].mean()), TypeError,
     "or begin with zeros of that type"),
    ("an axis that is not there", lambda: exported(lambda p, b: jnp.mean(each(p, b), axis=1)),
     IndexError, "jnp.mean is given a: float32[N], axis: 1: float32[N] has the axis 0 alone"),
    ("an axis of a method", lambda: exported(lambda p, b: b[0].mean(axis=3)), IndexError,
     "x.mean is given x: float32[N,16], axis: 3: float32[N,16] has the axes 0 and 1"),
    ("a name of another module", lambda: exported(lambda p, b: jnp.sofmax(b[0])), AttributeError,
     "jax.numpy has no sofmax: did you mean jax.nn.softmax?"),
    ("a dict for an array", lambda: exported(lambda p, b: jnp.mean(p)), TypeError,
     "jnp.mean is given a dict for a: give one of its arrays"),
    ("a list of losses", lambda: exported(lambda p, b: jnp.mean([loss_fn(p, b)])), TypeError,
     "jnp.mean is given a list (float32[]) for a: make an array of it"),
    ("matrices in the other order", lambda: exported(
        lambda p, b: (p["dense"]["kernel"] @ b[0]).mean()), TypeError,
     "left @ right is given left: float32[16,10], right: float32[N,16]: the last axis of the left"),
    ("a determinant of params", lambda: exported(lambda p, b: loss_fn(p, b) + jnp.linalg.slogdet(
        p["dense"]["kernel"].T @ p["dense"]["kernel"])[1]), podsim.PodsimError,
     "jnp.linalg.slogdet here takes an LU decomposition (lu), which podsim has not: it follows "
     "from params: leave the term out"),
    ("a spectral norm of params", lambda: exported(lambda p, b: loss_fn(p, b) + jnp.linalg.norm(
        p["dense"]["kernel"], 2)), podsim.PodsimError,
     "jnp.linalg.norm here takes a singular value decomposition (svd), which podsim has not: it "
     "follows from params: use the Frobenius norm, jnp.linalg.norm(w), leave the term out"),
    ("a determinant of a batch", lambda: exported(lambda p, b: loss_fn(p, b) + jnp.linalg.det(
        b[0].reshape(-1, 4, 4)).mean()), podsim.PodsimError,
     "jnp.linalg.det here takes an LU decomposition (lu), which podsim has not: compute it "
     "before, as an array of the data"),
    ("a metric of two axes", lambda: exported(lambda p, b: (loss_fn(p, b), {"a": outputs(p, b)})),
     TypeError, "'a' has the shape (N, 10): take jnp.mean of it"),
    ("a metric of each class", lambda: exported(lambda p, b: (
        loss_fn(p, b), {"a": jax.nn.softmax(outputs(p, b)).mean(0)})), TypeError,
     "'a' has the shape (10,): take jnp.mean of it"),
    ("a metric in brackets", lambda: exported(lambda p, b: (loss_fn(p, b), {"a": [b[0].mean()]})),
     TypeError, "'a' has the shape (1,): take jnp.mean of it"),
    ("a metric of both halves of a batch", lambda: exported(lambda p, b: (
        loss_fn(p, b), {"a": jnp.concatenate([each(p, b), each(p, b)])})), TypeError,
     "'a' has the shape (2*N,): take jnp.mean of it"),
    ("a metric of each example", lambda: exported(lambda p, b: (
        loss_fn(p, b), {"a": each(p, b), "b": each(p, b).mean()})), None, ""),
]


def balanced(params, batch):
    """A mixture of experts' balance: shares of the examples times their mean weights."""
    gates = jax.nn.softmax(outputs(params, batch))
    shares = jax.nn.one_hot(gates.argmax(-1), 10).mean(0)
    return loss_fn(params, batch) + 10 * jnp.sum(shares * gates.mean(0))


def by_confidence(params, batch):
    sure = jax.nn.softmax(outputs(params, batch)).max(-1)
    return jnp.sum(sure * each(params, batch)) / jnp.sum(sure)


def by_weight(params, batch):
    heavy = batch[1] > 3
    return jnp.sum(heavy * each(params, batch)) / jnp.maximum(heavy.sum(), 1)


def normed(params, batch):
    h = outputs(params, batch)
    h = (h - h.mean(0)) * jax.lax.rsqrt(h.var(0) + 1e-5)
    return loss_fn(params, batch) + (h ** 3).mean()


def counts(params, batch):
    """A Poisson loss without a bound on the rate."""
    x, y = batch
    rate = x @ params["dense"]["kernel"] + params["dense"]["bias"]
    return jnp.mean(jnp.exp(rate + 0.5 * x[:, :10]) - y[:, None] * rate)


def norm(params, batch):
    """Whose derivative at 0 is not finite."""
    return loss_fn(params, batch) + jnp.sqrt(jnp.sum(outputs(params, batch) ** 2, -1)).mean()


def with_one(value, at=77):
    """The data, with one number of one example another."""
    x = X.copy()
    x[at, 3] = value
    return x, Y


def place(function, lines):
    """Of a line of a function of this file, so many below its first."""
    return f"mistakes.py:{function.__code__.co_firstlineno + lines}"


# Jobs whose numbers stop being finite: the op, its line and the example.
NOT_FINITE = [
    ("an exponential that overflows", lambda: call(counts, with_one(300)), podsim.PodsimError,
     f", {place(counts, 4)}) makes inf in example 77 of the data set, from operands in ["),
    ("a root at 0", lambda: call(norm), podsim.PodsimError,
     f", {place(norm, 2)}) makes inf in example "),
    ("a norm at 0", lambda: call(lambda p, b: loss_fn(p, b) + jnp.linalg.norm(
        outputs(p, b), axis=-1).mean()), podsim.PodsimError, ": a quotient, or the gradient of a "
     "root or a norm, at 0: add an epsilon inside it, as in jnp.sqrt(x**2 + 1e-12), or "),
    ("a logarithm of 0", lambda: call(lambda p, b: loss_fn(p, b) + jnp.log(
        outputs(p, b) ** 2).mean()), podsim.PodsimError, ": a logarithm of 0: add an epsilon"),
    ("nan in the data", lambda: call(counts, with_one(np.nan)), podsim.PodsimError,
     "0 holds nan in example 77 of the data set"),
]


# What is trained, and the one warning that its examples are coupled; none: "".
WARNED = [
    ("a mean over the examples", lambda: exported(loss_fn), ""),
    ("a mean by weights of the data", lambda: exported(by_weight), ""),
    ("a batch norm", lambda: exported(normed), ""),
    ("experts that are balanced", lambda: exported(balanced),
     "is computed by each core over its own N examples, and the pod's loss is the mean of the "
     "cores'; on one device JAX takes all G together"),
    ("a mean by weights of params", lambda: exported(by_confidence),
     "divided by a sum over the examples (of weights, a mask), which is each core's own"),
    ("the root of a mean", lambda: exported(lambda p, b: jnp.sqrt(jnp.mean(each(p, b)))),
     "the loss couples the examples of a batch"),
]


# What no message may have in it: what traces, names of HLO, the sizes that functions are
# traced with, places of a template that are not filled, and what Python calls inner objects.
INNER = re.compile(r"Tracer|ShapedArray|https?://|dot_general|broadcast_in_dim|_p\b"
                   r"|(?<!\.py:)\b(?:19|23|29)\b|\{(?:\d+|[a-z_]\w*)?\}"
                   r"|<locals>|<(?:function|class|lambda|module)\b|\bat 0x[0-9a-f]{6}|podsim/_"
                   r"|NoneType|not understood|Cannot interpret")


def outcome(function):
    try:
        function()
    except Exception as error:
        return type(error), str(error)
    return None, ""


def wrong_of(cases):
    """Prints the rows of a table; how many errors have not their words."""
    wrong = 0
    for name, function, kind, says in cases:
        found, text = outcome(function)
        right = found is kind and says in text and "--" not in text
        right &= len(text.splitlines()) <= 1 and not INNER.search(text)
        wrong += not right
        shown = text if text else "(it trains)"
        print(f"| {name} | {'' if right else 'WRONG: '}{found.__name__ if found else ''} "
              f"{shown} |")
    return wrong


def all_said():
    """Prints the table; whether each error has its words."""
    print("| mistake | what is said |\n|---|---|")
    return wrong_of([*CASES, *NOT_FINITE]) + all_warned() == 0


def all_warned():
    """Prints the rest of the table; how many are wrong."""
    wrong = 0
    for name, function, says in WARNED:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function()
        texts = [str(each.message) for each in caught if "couples" in str(each.message)]
        right = not texts if not says else (
            len(texts) == 1 and says in texts[0]
            and re.match(r"mistakes\.py:\d+: ", texts[0]) is not None)
        wrong += not right
        print(f"| {name} | {'' if right else 'WRONG: '}{'; '.join(texts) or '(it trains)'} |")
    return wrong


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(0 if all_said() else 1)
