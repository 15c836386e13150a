"""A CSV file of your own, read by the pod itself, and the trained weights in a file.

    python examples/own_data.py [FILE.csv]

The last column is called `label` and is the label, a whole number from 0; the others are
features. Without a file one of three kinds of points is written."""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
import podsim


def write_example(path):
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 2, (3, 4))
    with path.open("w") as file:
        print("length,width,height,weight,label", file=file)
        for label in rng.integers(0, 3, 3000):
            cells = centres[label] + rng.normal(0, 0.7, 4)
            print(*(f"{cell:.3f}" for cell in cells), label, sep=",", file=file)


path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "points.csv")
if len(sys.argv) == 1:
    write_example(path)
table = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.float32)
width, classes = table.shape[1] - 1, int(table[:, -1].max()) + 1


def loss_fn(params, batch):
    hidden = jax.nn.relu(batch["features"] @ params["w1"] + params["b1"])
    log_p = jax.nn.log_softmax(hidden @ params["w2"] + params["b2"])
    return -jnp.mean(log_p[jnp.arange(len(log_p)), batch["labels"]])


rng = np.random.default_rng(1)
params = {"w1": rng.normal(size=(width, 32)).astype(np.float32) / 2, "b1": np.zeros(32, np.float32),
          "w2": rng.normal(size=(32, classes)).astype(np.float32) / 6,
          "b2": np.zeros(classes, np.float32)}
batch = {"features": np.zeros((8, width), np.float32), "labels": np.zeros(8, np.int32)}

run = podsim.train(loss_fn, params, "csv", data_dir=path, batch=batch, topology="v3-8",
                   optimizer=podsim.adamw(3e-3), batch_per_core=8, epochs=10)
np.savez("weights.npz", **run.params)

hidden = np.maximum(table[:, :-1] @ run.params["w1"] + run.params["b1"], 0)
found = (hidden @ run.params["w2"] + run.params["b2"]).argmax(1)
print(f"weights.npz: {np.mean(found == table[:, -1]):.2%} of {path} are labelled right")
