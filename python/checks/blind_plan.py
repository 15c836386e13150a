"""The forecasts of blind_models.py: each model on its slice, with the published run's batch,
optimizer and dtypes as far as a job has them. Prints the steps (sim), then each step's kernels.

    python python/checks/blind_plan.py [ROW...]            such as B10 B15"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import jax

import podsim
from published import MODELS

EXPLAINED = 12  # lines of each


class Row(NamedTuple):
    model: str
    slice: str
    rows: int  # of a core or chip, all passes of a step together
    optimizer: podsim.Optimizer
    parameters: int
    settings: dict[str, Any]


ADAMW = podsim.adamw(1e-3, weight_decay=0.1)
PASSES_OF_4 = {"reduction": "tree", "microbatch_size": 4}
ROWS = {
    "B10": Row("haiku_resnet50_v2", "v3-32", 256, podsim.sgd(0.1, 0.9, nesterov=True), 25_549_352,
               {"ici_dtype": "bfloat16"}),
    "B11": Row("vit_s16", "v3-8", 128, podsim.adamw(1e-3, clip_norm=1.0), 22_122_472, {}),
    "B13": Row("llama_164m", "v6e-1", 64, ADAMW, 163_577_856, PASSES_OF_4),
    "B14": Row("llama_164m", "v5litepod-1", 64, ADAMW, 163_577_856, PASSES_OF_4),
    "B15": Row("llama_159m", "v6e-1", 4, ADAMW, 159_383_552, {})}


def planned(row):
    model = MODELS[row.model]()
    count = sum(leaf.size for leaf in jax.tree_util.tree_leaves(model.params))
    if count != row.parameters:
        sys.exit(f"{row.model} has {count:,} parameters, the published model {row.parameters:,}")
    return podsim.plan(model.loss, model.params, lambda index: model.example, examples=1,
                       state=model.state, name=row.model, topology=row.slice,
                       optimizer=row.optimizer, batch_per_core=row.rows, train_steps=100,
                       remat="none", **row.settings)


def main():
    names = sys.argv[1:] or list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        sys.exit(f"no row {unknown[0]}; rows: {', '.join(ROWS)}")
    for name in names:
        plan = planned(ROWS[name])
        print(f"{name}: {plan}\n{plan.explain()}", flush=True)


if __name__ == "__main__":
    main()
