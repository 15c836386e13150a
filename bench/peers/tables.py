"""The tables of docs/performance.md, from the benches' JSON. Pure.

A record is what a bench writes: compare_all_reduce (all_reduce, auto),
train_bench (training) or pod_bench -J, one per collective (collectives).
Every function returns lines of markdown.
"""

import statistics

import auto_choice
import training_goals
import verdict
from contenders import ALL, KIB, MIB

ALL_REDUCE = (  # contenders, and what a reader calls them; the best of several
    ("podsim", ("podsim/auto",)),
    ("podsim, one process", ("podsim/packed",)),
    ("podsim, bfloat16 wire", ("podsim/bfloat16",)),
    ("podsim over sockets alone", ("podsim/sockets",)),
    ("the same, bfloat16 wire", ("podsim/sockets-bfloat16",)),
    ("limit, halving-doubling", ("limit/halving_doubling",)),
    ("limit, ring", ("limit/ring",)),
    ("Gloo, best of its rings", verdict.GLOO),
    ("OpenMPI, TCP", verdict.TCP),
    ("OpenMPI, shared memory", verdict.SHM),
)
TRAINING = (
    ("**podsim, bfloat16**",
     ("podsim/bfloat16", *training_goals.SPLITS["bfloat16"])),
    ("**podsim, float32**",
     ("podsim/float32", *training_goals.SPLITS["float32"])),
    ("podsim, float32 at AVX2", ("podsim/float32-v3",)),
    ("products alone, bfloat16", ("products/onednn-bfloat16",)),
    ("products alone, float32", training_goals.PRODUCTS),
    ("PyTorch 2.x DDP, bfloat16", training_goals.TORCH["bfloat16"]),
    ("PyTorch 2.x DDP, float32", training_goals.TORCH["float32"]),
    ("PyTorch 1.13 of Debian, AVX2", training_goals.TORCH_1),
    ("JAX, float32", training_goals.JAX),
    *((f"{who}, {model}, float32, 1 thread", (f"{model}/{name}",))
      for model in training_goals.MODELS
      for who, name in (("**podsim**", "podsim"), ("PyTorch 2.x", "torch"))),
)
PHASES = (("input", "seconds_input"), ("compute", "seconds_compute"),
          ("all-reduce", "seconds_reduce"), ("update", "seconds_update"),
          ("other", "seconds_other"))
# What computing and updating consist of.
WORK = (("products", "seconds_products"), ("packing", "seconds_packing"),
        ("element-wise", "seconds_elementwise"), ("sums", "seconds_sums"))


def size_name(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(row) + " |" for row in rows)]


def where(record):
    """The line above a table: nothing means anything without it."""
    facts = record["machine"]
    rounds = max(sample["round"] for sample in record["samples"])
    return [f"{facts['cpu']}, {facts['cores']} CPUs, podsim {facts['commit']}, "
            f"{rounds} round{'s' if rounds > 1 else ''}, medians:", ""]


def all_reduce_times(record):
    times = verdict.by_contender(record["samples"])
    rows = []
    for name, contenders in ALL_REDUCE:
        best = [verdict.best(times, contenders, size) for size in ALL]
        if any(best):
            rows.append([name, *("" if us is None else f"{us:,.0f}"
                                 for us in best)])
    return where(record) + table(["us", *map(size_name, ALL)], rows)


def all_reduce_ratios(record):
    """A row per rival; what misses goal or floor says which."""
    cells = {}
    for goal, ratios, _, _ in verdict.verdicts(record["samples"]):
        for size, value in ratios.items():
            if value is not None:
                cells.setdefault(goal.against, {})[size] = judged(goal, value)
    rows = [[against, *(of.get(size, "") for size in ALL)]
            for against, of in cells.items()]
    return table(["their time / ours", *map(size_name, ALL)], rows)


def judged(goal, value):
    if goal.floor is not None and value < goal.floor:
        return f"**{value:.2f}**, floor {goal.floor:g}"
    if goal.goal is not None and value < goal.goal:
        return f"{value:.2f}, goal {goal.goal:g}"
    return f"{value:.2f}"


def auto(record):
    """Auto beside the best algorithm, through memory and over sockets."""
    times = verdict.by_contender(record["samples"])
    rows = []
    for medium, prefix, chosen in auto_choice.MEDIA:
        cells = [auto_cells(times, prefix, chosen, size) for size in ALL]
        for what, column in zip(("`auto`, us", "the best, us", "which is",
                                 "`auto` / the best"), zip(*cells)):
            rows.append([medium, what, *column])
    return where(record) + table(["through", "", *map(size_name, ALL)], rows)


def auto_cells(times, prefix, chosen, size):
    """(auto's time, the best one, whose that is, their ratio), as text."""
    found = auto_choice.beside_best(times, prefix, chosen, size)
    if found is None:
        return "", "", "", ""
    ours, best, name = found
    return f"{ours:,.0f}", f"{best:,.0f}", f"`{name}`", f"{ours / best:.2f}"


def collectives(records):
    """{collective: pod_bench's record}: bus bandwidth in place."""
    sizes = sorted({row["size"] for record in records.values()
                    for row in record["results"]})
    rows = []
    for name, record in records.items():
        at = {row["size"]: row["in_place"]["bus_bw"]
              for row in record["results"]}
        rows.append([f"`{name}`", *(f"{at[size]:.2f}" if size in at else ""
                                    for size in sizes)])
    one = next(iter(records.values()))
    return [f"{one['machine']['cpu']}, {one['machine']['cpus']} CPUs, podsim "
            f"{one['build']}:", "",
            *table(["GB/s (busbw)", *map(size_name, sizes)], rows)]


def by_contender(samples, field):
    values = {}
    for sample in samples:
        if field in sample:
            values.setdefault(sample["contender"], []).append(sample[field])
    return values


def training_speeds(record):
    """Of those that a reader takes for one, the fastest."""
    samples = record["samples"]
    steps = by_contender(samples, "step_median")
    speeds = by_contender(samples, training_goals.SPEED)
    rows = []
    for name, contenders in TRAINING:
        measured = [one for one in contenders if one in speeds]
        if not measured:
            continue
        best = max(measured, key=lambda one: statistics.median(speeds[one]))
        values = speeds[best]
        rows.append([name, best, f"{statistics.median(values):,.0f}",
                     f"{min(values):,.0f} to {max(values):,.0f}",
                     f"{1e3 * statistics.median(steps[best]):.1f}"])
    return where(record) + table(
        ["", "", "examples/s", "lowest to highest", "a step, ms"], rows)


def training_ratios(record):
    cpu = training_goals.Cpu(**record["kernels"])
    rows = []
    for row, value, words in training_goals.verdicts(
            record["samples"], record["not_measured"], cpu):
        if value is None:
            continue
        unit = "" if row.unit == "x" else f" {row.unit}"
        rows.append([row.what, f"{value:.2f}{unit}", f"{row.goal:g}{unit}",
                     f"{row.floor:g}{unit}", words])
    return table(["", "figure", "goal", "floor", ""], rows)


def mark(name):
    """Where a table begins in a document."""
    return f"<!-- table: {name} -->\n"


def filled(text, tables):
    """`text` with each table between its marks put in the others' place.

    <!-- table: NAME --> ... <!-- end -->. KeyError: no such marks.
    """
    for name, lines in tables.items():
        begin = mark(name)
        if begin not in text:
            raise KeyError(name)
        head, rest = text.split(begin, 1)
        _, tail = rest.split("<!-- end -->", 1)
        text = (head + begin + "\n" + "\n".join(lines) + "\n\n<!-- end -->"
                + tail)
    return text
