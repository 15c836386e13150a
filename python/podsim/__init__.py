"""podsim: train a model of JAX on a TPU pod that is not there.

    run = podsim.train(loss_fn, params, dataset, topology="v3-32",
                       optimizer=podsim.adamw(1e-3), batch_per_core=8, epochs=3)
    run.params, run.metrics, run.plan, run.summary

docs/jax.md of the source tree has the whole story."""

from ._api import export, plan, train
from ._errors import PodsimError
from ._optimizers import Optimizer, adam, adamw, lamb, lars, sgd
from ._plan import Plan, PlanRow
from ._result import Run

__all__ = ["Optimizer", "Plan", "PlanRow", "PodsimError", "Run", "adam", "adamw", "export",
           "lamb", "lars", "plan", "sgd", "train"]
__version__ = "0.1.0"
