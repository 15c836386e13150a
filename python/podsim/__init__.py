"""podsim: train a model of JAX on a TPU pod that is not there.

    run = podsim.train(loss_fn, params, dataset, topology="v3-32",
                       optimizer=podsim.adamw(1e-3), batch_per_core=8, epochs=3)
    run.params, run.metrics, run.plan, run.summary

docs/jax.md of the source tree has the whole story."""

from ._api import export, ladder, plan, train
from ._errors import PodsimError
from ._errors import no_attribute as _no_attribute
from ._explain import Explanation
from ._ladder import Ladder, LadderRow
from ._names import near as _near
from ._optimizers import Optimizer, adam, adamw, lamb, lars, sgd
from ._plan import Plan
from ._result import Run
from ._rows import PlanRow
from ._unknown import LIKE as _LIKE

__all__ = ["Explanation", "Ladder", "LadderRow", "Optimizer", "Plan", "PlanRow", "PodsimError",
           "Run", "adam", "adamw", "export", "ladder", "lamb", "lars", "plan", "sgd", "train"]
__version__ = "0.1.0"


# What other libraries have, and what does it here.
_MEANT = {
    **dict.fromkeys(("load", "restore", "load_model", "load_params"), "the weights are in "
                    "run.params, and the same call with model_dir= goes on from a checkpoint there"),
    **dict.fromkeys(("save", "save_model", "save_params", "save_checkpoint"),
                    "podsim.train(..., model_dir=DIR) keeps checkpoints, and run.params are arrays; "
                    "podsim.export(loss_fn, params, batch, path) writes the model"),
    **dict.fromkeys(("fit", "run", "launch"), "podsim.train(loss_fn, params, dataset, ...) trains"),
    **dict.fromkeys(("evaluate", "eval", "test", "predict"), "give podsim.train eval_dataset= and "
                    "eval_fn=, and read run.evaluations; run.params are the weights for a function "
                    "of your own"),
    "momentum": "it is an argument of sgd, podsim.sgd(0.1, momentum=0.9)",
    "nesterov": "it is an argument of sgd, podsim.sgd(0.1, momentum=0.9, nesterov=True)",
}


def __getattr__(name: str) -> object:
    meant = _MEANT.get(name, "")
    if name.endswith(("_schedule", "_decay")):
        meant = ('a schedule is a setting, as in lr_schedule="cosine", or optax\'s in an optimizer '
                 "of optax, as in optax.adam(optax.cosine_decay_schedule(1e-3, steps))")
    if name.lower() in _LIKE:
        meant = (f"it has sgd, adam, adamw, lamb and lars: say podsim.{_LIKE[name.lower()]}; of "
                 "optax the same are taken")
    raise _no_attribute(f"podsim has no {name!r}: {meant}" if meant else
                        f"podsim has no {name!r}{_near(name, __all__)}; it has "
                        f"{', '.join(__all__)}")
