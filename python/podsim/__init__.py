"""podsim: train a model of JAX on a TPU pod that is not there.

    run = podsim.train(loss_fn, params, dataset, topology="v3-32",
                       optimizer=podsim.adamw(1e-3), batch_per_core=8, epochs=3)
    run.params, run.metrics, run.plan, run.summary

docs/jax.md of the source tree has the whole story."""

from ._api import export, plan, train
from ._errors import PodsimError
from ._errors import no_attribute as _no_attribute
from ._names import near as _near
from ._optimizers import Optimizer, adam, adamw, lamb, lars, sgd
from ._plan import Plan
from ._result import Run
from ._rows import PlanRow

__all__ = ["Optimizer", "Plan", "PlanRow", "PodsimError", "Run", "adam", "adamw", "export",
           "lamb", "lars", "plan", "sgd", "train"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name in ("load", "restore", "load_model", "load_params"):
        raise _no_attribute(f"podsim has no {name!r}: the weights are in run.params, and the same "
                            "call with model_dir= goes on from a checkpoint there")
    if name in ("evaluate", "eval", "test", "predict"):
        raise _no_attribute(f"podsim has no {name!r}: give podsim.train eval_dataset= and "
                            "eval_fn=, and read run.evaluations; run.params are the weights for "
                            "a function of your own")
    if name in ("momentum", "nesterov"):
        more = ", nesterov=True" if name == "nesterov" else ""
        raise _no_attribute(f"podsim has no {name!r}: it is an argument of sgd, "
                            f"podsim.sgd(0.1, momentum=0.9{more})")
    if name.endswith(("_schedule", "_decay")):
        raise _no_attribute(f"podsim has no {name!r}: a schedule is a setting, as in "
                            'lr_schedule="cosine", or optax\'s in an optimizer of optax, as in '
                            "optax.adam(optax.cosine_decay_schedule(1e-3, steps))")
    raise _no_attribute(f"podsim has no {name!r}{_near(name, __all__)}; it has "
                        f"{', '.join(__all__)}; optimizers of optax are taken too")
