"""ResNet-50 at 224x224, 128 examples a core: what podsim.plan says of it on v3-8 to
v3-2048, and in what time.

    python python/checks/resnet_plan.py        the ladder of docs/jax.md"""

from __future__ import annotations

import time

import numpy as np

import gradients
import image_models
import layers
import podsim

EXAMPLES = 1_281_167  # ImageNet's
SIDE = 224


def example(index):
    return np.zeros((SIDE, SIDE, 3), np.float32), np.int32(index % layers.CLASSES)


def main():
    loss_fn, params, _ = image_models.resnet_50(
        layers.Draw(np.random.default_rng(gradients.SEED)))
    begin = time.perf_counter()
    print(podsim.plan(loss_fn, params, example, examples=1, topology="v3-8..v3-2048",
                      batch_per_core=128, train_steps=90 * EXAMPLES // 1024,
                      reference_topology="v3-8", optimizer=podsim.sgd(0.1, 0.9)))
    print(f"{time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
