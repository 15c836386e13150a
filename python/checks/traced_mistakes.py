"""Mistakes about what stays outside of a function that is traced: a batch that it does not read,
numbers that it draws or keeps itself, arrays that are gone, and results that are no functions.

    PODSIM_BIN=build/release/bin PYTHONPATH=python python python/checks/traced_mistakes.py"""

import pathlib
import random
import sys
import tempfile
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import optax
import podsim
from mistakes import PARAMS, X, Y, averaged, call, each, exported, loss_fn, wrong_of
from wide_mistakes import OF_WIDE

RNG = np.random.default_rng(0)
KEPT = []
MASKED = np.ma.masked_array(X, np.zeros(X.shape, bool))
MASKED[70, :2] = np.ma.masked
LABELS = np.ma.masked_array(Y, np.arange(len(Y)) == 3)


def classified(params, batch):
    x, y = batch
    logits = x @ params["dense"]["kernel"] + params["dense"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def global_arrays(params, batch):
    return loss_fn(params, (X, Y))


def of_params(params, b):
    return jnp.sum(params["dense"]["kernel"] ** 2)


class Model:
    def loss(self, params, batch):
        return loss_fn(params, batch)

    def drawn(self, params, batch, key):
        return loss_fn(params, batch) + 0 * jax.random.normal(key)


def sized(params, batch):
    assert batch[0].shape[0] == 64
    return loss_fn(params, batch)


def typed(params, batch):
    assert batch[1].dtype == jnp.float32, "labels are numbers"
    return loss_fn(params, batch)


def noise(made):
    """A loss of images with noise that `made(shape)` returns."""
    def loss(params, batch):
        x, y = batch
        return loss_fn(params, (x + made(x.shape), y))

    return loss


def of_generator(params, batch):
    return loss_fn(params, batch) * RNG.random()


def deleted(array):
    gone = jnp.asarray(array)
    jax.jit(lambda x: x + 1, donate_argnums=0)(gone)
    gone.delete()  # where the machine donates nothing
    return gone


def of_npz(**arrays):
    """Opens a file of these arrays."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(pathlib.Path(folder, "a.npz"), **arrays)
        return np.load(pathlib.Path(folder, "a.npz"))


def train(params=PARAMS, loss=loss_fn, **more):
    return podsim.train(loss, params, (X, Y), topology="v3-8", batch_per_core=8, epochs=1,
                        optimizer=podsim.sgd(0.1), progress=False, **more)


def wide(**more):
    """Trains while JAX computes with 64 bits."""
    with jax.enable_x64(True):
        return train(**more)


def with_dense(**arrays):
    return {"dense": PARAMS["dense"] | arrays}


UNREAD = "the loss does not use its batch: every step would see the same numbers; "
DRAWS = "the loss function draws by {}: it is traced, not run at each step"
GONE = "is a deleted array, as donate_argnums of jax.jit leaves it"
X64 = "is float64, and jax_enable_x64 is on: turn that off, or give float32"
# What a function computes with beside its arguments.
OF_FUNCTIONS = [
    ("a loss of global arrays", lambda: call(global_arrays), ValueError,
     UNREAD + "take X, Y = batch, not the X and Y outside of the function"),
    ("a loss of global arrays, of a dict", lambda: call(global_arrays, {"x": X, "y": Y}),
     ValueError, UNREAD + "take its arrays by their keys, as in batch['x'], not the X and Y"),
    ("a loss of params alone", lambda: call(of_params), ValueError, UNREAD + "take x, y = b"),
    ("a loss of one array", lambda: call(of_params, X), ValueError, UNREAD + "compute it from b"),
    ("a loss of a part of the batch", lambda: exported(
        lambda p, b: jnp.mean((b[0] @ p["dense"]["kernel"]) ** 2)), None, ""),
    ("a method of a class", lambda: exported(Model.loss), TypeError,
     "the loss function is Model.loss, a method without its object: give Model(...).loss"),
    ("a method of a class with a key", lambda: exported(Model.drawn), TypeError,
     "is Model.drawn, a method without its object"),
    ("a method of a class for an evaluation", lambda: exported(loss_fn, eval_fn=Model.loss),
     TypeError, "eval_fn is Model.loss, a method without its object"),
    ("a method", lambda: exported(Model().loss), None, ""),
    ("a compiled method", lambda: exported(jax.jit(Model().loss)), None, ""),
    ("an assertion of the number of examples", lambda: exported(sized), AssertionError,
     "fails: assert batch[0].shape[0] == 64: the number of examples is not fixed"),
    ("an assertion of a type", lambda: exported(typed), AssertionError,
     'assert batch[1].dtype == jnp.float32, "labels are numbers": the assertion is the'),
    ("noise of numpy", lambda: exported(noise(lambda shape: np.random.normal(size=shape))),
     TypeError, DRAWS.format("np.random")),
    ("noise of numpy, one number", lambda: exported(noise(lambda shape: np.random.rand())),
     TypeError, DRAWS.format("np.random")),
    ("noise of a generator", lambda: exported(of_generator), TypeError, DRAWS.format("RNG")),
    ("noise of a new generator", lambda: exported(noise(
        lambda shape: np.random.default_rng().random(shape, np.float32))), podsim.PodsimError,
     "random numbers are drawn from a key, the last argument of the function"),
    ("noise of Python", lambda: exported(noise(lambda shape: random.random())), TypeError,
     DRAWS.format("random")),
    ("an evaluation that draws", lambda: exported(loss_fn, eval_fn=lambda p, b: {
        "margin": each(p, b) * np.random.rand()}), TypeError,
     "eval_fn draws by np.random, but an evaluation draws nothing"),
    ("probabilities of an evaluation", lambda: exported(loss_fn, eval_fn=lambda p, b: {
        "p": jax.nn.softmax(b[0] @ p["dense"]["kernel"])}), TypeError, "eval_fn's 'p' has the "
     "shape (N, 10); it must be one number for each example: reduce the other axes, as in "
     "jnp.mean(..., axis=-1)"),
    ("maps of an evaluation", lambda: exported(loss_fn, eval_fn=lambda p, b: {
        "p": jnp.ones((len(b[0]), 3, 4))}), TypeError, "as in jnp.mean(..., axis=(1, 2))"),
]

# Arrays that are gone, are of 64 bits, or have one name.
OF_ARRAYS = [
    ("donated params", lambda: train(with_dense(bias=deleted(np.zeros(10, np.float32)))),
     TypeError, "the parameter 'dense/bias' " + GONE),
    ("donated images", lambda: call(data=(deleted(X), Y)), TypeError,
     "the array '0' of the data set " + GONE),
    ("a donated state", lambda: call(averaged, state={"mean": deleted(X[0])}), TypeError,
     "the state 'mean' " + GONE),
    ("params of 64 bits", lambda: wide(params=with_dense(bias=np.zeros(10))), TypeError,
     "the parameter 'dense/bias' " + X64),
    ("a state of 64 bits", lambda: wide(loss=averaged, state={"mean": np.zeros(3)}), TypeError,
     "the state 'mean' " + X64),
    ("params of 64 bits that JAX narrows", lambda: train(with_dense(bias=np.zeros(10))), None, ""),
    ("params of one name", lambda: train({"a/b": X, "a": {"b": X}}), ValueError,
     "params['a']['b'] and params['a/b'] would both be called 'a/b'"),
    ("an open file for params", lambda: train(of_npz(w=X)), TypeError,
     "params is an open file of np.savez, which holds w: give its arrays, dict(np.load('"),
    ("an open file for a data set", lambda: call(data=of_npz(x=X, y=Y)), TypeError,
     "dataset is an open file of np.savez, which holds x, y: give its arrays, dict(np.load('"),
    ("fewer examples than are said", lambda: call(data=lambda i: (X[i], Y[i]), examples=2000),
     ValueError, "fails at index 1000 of 2000 examples: IndexError: index 1000 is out of bounds "
     "for axis 0 with size 1000: if it has no more than 1000 examples, say examples=1000"),
    ("a masked example behind others", lambda: call(data=lambda i: (MASKED[i], Y[i]),
                                                    examples=1000), TypeError, "the array '0' of "
     "dataset(70) is a masked array, 2 of whose values are masked; podsim knows no masks"),
    ("a masked label", lambda: call(data=lambda i: (X[i], LABELS[i]), examples=1000), TypeError,
     "the array '1' of dataset(3) is a masked array, 1 of whose values are masked"),
    ("a masked row that is an example", lambda: call(
        lambda p, x: jnp.mean((x @ p["dense"]["kernel"]) ** 2) + jnp.sum(p["dense"]["bias"]),
        lambda i: MASKED[i], examples=1000), TypeError,
     "dataset(70) is a masked array, 2 of whose values"),
    ("masks of nothing", lambda: call(data=lambda i: (np.ma.masked_array(X[i]), Y[i]),
                                      examples=1000), None, ""),
    ("labels from 1", lambda: call(classified, (X, Y + 1)), podsim.PodsimError,
     "array 1 (labels) holds the label 10, which is none of 0 to 9, in example "),
]


def run_of(function):
    return lambda: function(train())


# A run that is taken for something else.
OF_RUNS = [
    ("a run that is called", run_of(lambda run: run(X)), TypeError, "a podsim.Run is no function: "
     "give the weights, run.params, to a function of your own"),
    ("a summary that is called", run_of(lambda run: run.summary()), TypeError,
     "run.summary is a dict, not a function: leave () out, as in run.summary['loss']"),
    ("a run for a dict", run_of(lambda run: dict(**run)), TypeError, "its weights are run.params"),
    ("a run for a loss", run_of(exported), TypeError, "loss_fn is a podsim.Run; it must be a "),
    ("a run for a data set", run_of(lambda run: call(data=run)), TypeError,
     "dataset is a podsim.Run; its weights are run.params"),
]


def keeping(params, batch):
    KEPT.append(loss_fn(params, batch))
    return KEPT[-1]


def with_key(params, batch, key):
    return loss_fn(params, (X + jax.random.normal(key, X.shape), Y))


# What is trained, with a warning.
WARNED = [
    ("losses that are kept", keeping, "the loss function keeps traced values in 'KEPT': "),
    ("a loss of a key and global arrays", with_key, "the loss does not use its batch: no example "
     "of the data set reaches it; take X, Y = batch"),
    ("a loss", loss_fn, ""),
]


def all_warned():
    """Prints the warnings; how many are wrong."""
    wrong = 0
    for name, loss, says in WARNED:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exported(loss)
        texts = [str(each.message) for each in caught]
        right = len(texts) == 1 and says in texts[0] if says else not texts
        wrong += not right
        print(f"| {name} | {'' if right else 'WRONG: '}{'; '.join(texts) or '(it trains)'} |")
    return wrong


def guessed():
    """Whether Python makes a guess of its own behind what a summary says."""
    run = train()
    try:
        run.summary.accuracy
    except AttributeError as error:
        return error.name is not None or error.obj is not None
    return True


def all_said():
    """Prints the table; whether each error has its words."""
    print("| mistake | what is said |\n|---|---|")
    return wrong_of([*OF_FUNCTIONS, *OF_WIDE, *OF_ARRAYS, *OF_RUNS]) + all_warned() + guessed() == 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(0 if all_said() else 1)
