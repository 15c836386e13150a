"""The forecasts of blind_models.py: each model on its slice, with the published run's batch,
optimizer and types as far as a job has them. Prints the steps (sim), and what the kernels of
attention and of the update take.

    python python/checks/blind_plan.py [ROW...] [--explain]        such as B10 B15"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import jax

import podsim
from published import MODELS


class Row(NamedTuple):
    model: str
    slice: str
    rows: int  # examples of a core or chip in one pass
    optimizer: podsim.Optimizer
    parameters: int
    settings: dict[str, Any]
    passes: int = 1  # a step's, whose gradients are added in bfloat16
    is_half: bool = False  # published: weights, gradients and optimizer state in bfloat16


ADAMW = podsim.adamw(1e-3, weight_decay=0.1)
ROWS = {
    "B10": Row("haiku_resnet50_v2", "v3-32", 256, podsim.sgd(0.1, 0.9, nesterov=True), 25_549_352,
               {"ici_dtype": "bfloat16"}),
    "B11": Row("vit_s16", "v3-8", 128, podsim.adamw(1e-3, clip_norm=1.0), 22_122_472, {}),
    "B13": Row("llama_164m", "v6e-1", 4, ADAMW, 163_577_856, {}, 16, True),
    "B14": Row("llama_164m", "v5litepod-1", 4, ADAMW, 163_577_856, {}, 16, True),
    "B15": Row("llama_159m", "v6e-1", 4, ADAMW, 159_383_552, {}, 1, True)}


def planned(row):
    model = MODELS[row.model]()
    count = sum(leaf.size for leaf in jax.tree_util.tree_leaves(model.params))
    if count != row.parameters:
        sys.exit(f"{row.model} has {count:,} parameters, the published model {row.parameters:,}")
    examples = row.rows * 1024
    return podsim.plan(model.loss, model.params, lambda index: model.example, examples=examples,
                       state=model.state, name=row.model, topology=row.slice,
                       optimizer=row.optimizer, batch_per_core=row.rows, train_steps=100,
                       remat="none", **row.settings)


def seconds_of(kernels):
    return sum(kernel["seconds"] for kernel in kernels)


def update_of(explanation):
    """Kernels that are of no line of Python: the optimizer's."""
    return [kernel for kernel in explanation.kernels if kernel["source"] is None]


def whole_step(row, one_pass, update):
    """Seconds of a step of all its passes, and of the same with an update in bfloat16, which
    moves half the bytes. one_pass: of a step of one pass, with its update."""
    taken = seconds_of(update)
    a_byte = taken / sum(kernel["hbm_bytes"] for kernel in update)
    added = 3 * 2 * row.parameters * a_byte  # two sums read, one written
    step = row.passes * (one_pass - taken) + taken + (row.passes - 1) * added
    return step, step - taken / 2


def tell(name, row, plan):
    planned_row, explanation = plan[0], plan.explain()
    update = update_of(explanation)
    print(f"{name}: {row.model} on {row.slice}, {row.parameters:,} parameters, step of one pass "
          f"{1e3 * planned_row.step_seconds:.2f} ms sim ({1e3 * planned_row.step_seconds_low:.2f} "
          f"to {1e3 * planned_row.step_seconds_high:.2f}), update {1e3 * seconds_of(update):.2f} "
          f"ms, bound by {planned_row.bound_by}, MFU {planned_row.mfu:.1%}, HBM "
          f"{planned_row.hbm_bytes / 2 ** 30:.2f} of "
          f"{planned_row.hbm_bytes_available / 2 ** 30:.2f} GiB")
    if row.is_half:
        names = ("step_seconds_low", "step_seconds", "step_seconds_high")
        low, step, high = (whole_step(row, getattr(planned_row, each), update) for each in names)
        for what, which in (("as podsim trains", 0), ("update in bfloat16", 1)):
            print(f"  {row.passes} passes a step, {what}: {1e3 * step[which]:.1f} ms sim "
                  f"({1e3 * low[which]:.1f} to {1e3 * high[which]:.1f}), "
                  f"{row.passes * row.rows * 2048 / step[which]:,.0f} tokens/s")
    lines = {}
    for kernel in explanation.kernels:
        lines.setdefault(kernel["source"] or "the update", []).append(kernel)
    for source, kernels in sorted(lines.items(), key=lambda line: -seconds_of(line[1])):
        print(f"  {1e3 * seconds_of(kernels):8.2f} ms sim  {len(kernels):4} kernels  {source}")


def main():
    names = [name for name in sys.argv[1:] if name != "--explain"] or list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        sys.exit(f"no row {unknown[0]}; rows: {', '.join(ROWS)}")
    for name in names:
        plan = planned(ROWS[name])
        tell(name, ROWS[name], plan)
        if "--explain" in sys.argv:
            print(plan.explain())
        sys.stdout.flush()


if __name__ == "__main__":
    main()
