"""A convolutional network of flax on a v3-8, and its weights in a file.

    pip install flax optax
    python examples/flax_cnn.py"""

import flax.linen as nn
import jax
import numpy as np
import optax
import podsim


class Cnn(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(8, (3, 3))(x)), (2, 2), (2, 2))
        x = nn.relu(nn.Conv(16, (3, 3))(x)).reshape(x.shape[0], -1)
        return nn.Dense(4)(nn.relu(nn.Dense(32)(x)))


def drawn(count, rng):
    """Images of 12x12 with noise, each with a bar; its direction is the label."""
    labels = rng.integers(0, 4, count).astype(np.int32)
    images = rng.normal(0, 0.3, (count, 12, 12, 1))
    line = np.arange(2, 10)
    places = {0: (6, line), 1: (line, 6), 2: (line, line), 3: (line, 11 - line)}
    for image, label in zip(images, labels):
        image[(*places[int(label)], 0)] += 1
    return images.astype(np.float32), labels


model = Cnn()
images, labels = drawn(2400, np.random.default_rng(0))
params = model.init(jax.random.key(0), images[:1])["params"]


def loss_fn(params, batch):
    x, y = batch
    return optax.softmax_cross_entropy_with_integer_labels(
        model.apply({"params": params}, x), y).mean()


def per_example(params, batch):
    x, y = batch
    return {"accuracy": model.apply({"params": params}, x).argmax(-1) == y}


run = podsim.train(loss_fn, params, (images[:2000], labels[:2000]), topology="v3-8",
                   optimizer=optax.adamw(2e-3), batch_per_core=8, epochs=3,
                   eval_fn=per_example, eval_dataset=(images[2000:], labels[2000:]))

weights = {jax.tree_util.keystr(path): leaf
           for path, leaf in jax.tree_util.tree_leaves_with_path(run.params)}
np.savez("flax_cnn.npz", **weights)
print(f"flax_cnn.npz has {len(weights)} arrays; a step on the pod would take "
      f"{1e3 * run.summary['simulated_step_seconds']:.2f} ms sim")
