"""A loss function of JAX on an emulated v3-32: trained, evaluated, read back.

    python examples/jax_mlp.py"""

import jax
import jax.numpy as jnp
import numpy as np
import podsim

rng = np.random.default_rng(0)
centres = rng.normal(size=(10, 64))
labels = rng.integers(0, 10, 6000)
images = (centres[labels] + rng.normal(size=(6000, 64))).astype(np.float32)


def logits(params, x):
    return jax.nn.relu(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]


def loss_fn(params, batch):
    x, y = batch
    log_p = jax.nn.log_softmax(logits(params, x))
    return -jnp.mean(log_p[jnp.arange(len(y)), y])


def per_example(params, batch):
    x, y = batch
    return {"accuracy": logits(params, x).argmax(-1) == y}


params = {"w1": rng.normal(size=(64, 128)).astype(np.float32) / 8, "b1": np.zeros(128, np.float32),
          "w2": rng.normal(size=(128, 10)).astype(np.float32) / 11, "b2": np.zeros(10, np.float32)}

run = podsim.train(loss_fn, params, (images[:5000], labels[:5000]), topology="v3-32",
                   optimizer=podsim.adamw(1e-3), batch_per_core=8, epochs=3,
                   eval_fn=per_example, eval_dataset=(images[5000:], labels[5000:]))

right = jnp.mean(logits(run.params, images[5000:]).argmax(-1) == labels[5000:])
print(f"JAX on this machine, with the trained weights: accuracy {float(right):.2%}")
