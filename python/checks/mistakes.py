"""Mistakes that need JAX to be seen: each call beside the words that its error must have.

    PODSIM_BIN=build/release/bin PYTHONPATH=python python python/checks/mistakes.py"""

import itertools
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
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


# A name, what is called, the error's type, and what it says; none: it trains.
CASES = [
    ("value_and_grad", lambda: call(jax.value_and_grad(loss_fn)), TypeError,
     "the loss function returns a value and gradients"),
    ("grad", lambda: call(jax.grad(loss_fn)), TypeError, "the loss function returns gradients"),
    ("value_and_grad with has_aux",
     lambda: call(jax.value_and_grad(with_metrics, has_aux=True)), TypeError,
     "hand over the function that returns the loss"),
    ("a loss with metrics", lambda: call(with_metrics), None, ""),
    ("a state made of params", lambda: call(averaged, state={"mean": PARAMS}), None, ""),
    ("a loss for each example", lambda: call(lambda params, batch: batch[0].mean(-1)), TypeError,
     "this one is an array of the shape (19,)"),
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
     "the loss function fails: ValueError: too many values to unpack (expected 2); its batch is "
     "float32[N,16] (N examples), its params are dense/bias: float32[10], dense/kernel:"),
    ("labels that are no whole numbers", lambda: call(data=(X, Y.astype(np.float32))), TypeError,
     "its batch is 0: float32[N,16], 1: float32[N]"),
    ("None among params", lambda: podsim.export(loss_fn, {"dense": {"kernel": None}}, (X, Y), "m"),
     TypeError, "params has no array"),
    ("a parameter that is None",
     lambda: podsim.export(loss_fn, {"dense": PARAMS["dense"] | {"bias": None}}, (X, Y), "m"),
     TypeError, "dense/bias: NoneType"),
    ("a state of another shape", lambda: call(
        lambda p, s, b: (loss_fn(p, b), {"mean": jnp.zeros(5)}), state={"mean": X[0]}), TypeError,
     "returns 'mean' of the state with the shape (5,), but is given it with (16,)"),
    ("a metric called loss", lambda: call(lambda p, b: (loss_fn(p, b), {"loss": 0.0})),
     ValueError, "a metric is called 'loss'"),
    ("a list of examples", lambda: call(data=list(zip(X, Y))), ValueError, "np.stack"),
    ("a key for a seed", lambda: call(seed=jax.random.key(0)), TypeError,
     "seed is a random key of JAX"),
    ("a schedule for a rate", lambda: call(optimizer=podsim.sgd(lambda step: 0.1)), TypeError,
     "learning_rate is the function <lambda>"),
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
     "eval_dataset has the arrays 'x', 'y'"),
    ("no held-out examples", lambda: call(eval_dataset=(X[:0], Y[:0])), ValueError,
     "eval_dataset: the data set has no examples"),
    ("examples by their index", lambda: call(data=Digits()), TypeError,
     "dataset is a Digits, whose items are examples: give a function and their number: "
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
    ("labels in a list", lambda: call(data=(X, Y.tolist())), ValueError, "and 997 more"),
    ("lengths that differ", lambda: call(data=(X, Y[1:])), ValueError,
     "here 1,000 in '0'; 999 in '1'"),
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
]


def outcome(function):
    try:
        function()
    except Exception as error:
        return type(error), str(error)
    return None, ""


def main():
    warnings.simplefilter("ignore")
    wrong = 0
    print("| mistake | what is said |\n|---|---|")
    for name, function, kind, says in CASES:
        found, text = outcome(function)
        right = found is kind and says in text and "--" not in text
        wrong += not right
        shown = text if text else "(it trains)"
        print(f"| {name} | {'' if right else 'WRONG: '}{found.__name__ if found else ''} "
              f"{shown} |")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
