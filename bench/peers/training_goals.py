"""The goals of training, and whether the samples meet them. Pure."""

import statistics
from dataclasses import dataclass

SPEED = "examples_per_second"
FLOOR_MISSED = "FLOOR MISSED"
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Cpu:
    """What decides which kernels there are to compare."""
    amx: bool  # a matrix unit for bfloat16
    above_v3: bool  # AVX-512

    @staticmethod
    def of(flags):
        return Cpu(amx={"amx_tile", "amx_bf16"} <= flags,
                   above_v3={"avx512f", "avx512bw", "avx512cd", "avx512dq",
                             "avx512vl"} <= flags)


@dataclass(frozen=True)
class Ratio:
    """Our examples/s over those of the fastest of `theirs`. Where each side
    takes its best split, that of the fastest of ours and `splits`."""
    what: str
    ours: str
    theirs: tuple
    goal: float
    floor: float
    needs_amx: bool = False
    splits: tuple = ()
    unit = "x"


@dataclass(frozen=True)
class AtMost:
    """A field of our samples: the smaller the better."""
    what: str
    ours: str
    field: str
    unit: str
    goal: float
    floor: float
    theirs = ()
    splits = ()
    needs_amx = False


PRODUCTS = ("products/eigen-float32", "products/openblas-float32",
            "products/onednn-float32")
TORCH = {dtype: (f"torch/4x1024-{dtype}", f"torch/2x2048-{dtype}")
         for dtype in ("float32", "bfloat16")}
CORETYPES = ("Haswell", "Zen")  # OpenBLAS's kernels for AVX2
TORCH_1 = tuple(f"torch1.13/{split}-{core}" for split in ("4x1024", "2x2048")
                for core in CORETYPES)
JAX = ("jax/32-devices", "jax/4-processes")
MODELS = ("lenet5", "encoder")
# Besides 4 processes. Packing changes no bits.
SPLITS = {dtype: (f"podsim/{dtype}-1-process", f"podsim/{dtype}-2-processes")
          for dtype in ("float32", "bfloat16")}


def goals(cpu):
    """The rows. Where a level is the best anyway nothing was pinned to it."""
    without_amx = "-v4" if cpu.amx else ""
    at_v3 = "-v3" if cpu.above_v3 else ""
    fastest, bfloat16 = "podsim/float32", "podsim/bfloat16"
    return (
        Ratio("float32 / its products alone", fastest, PRODUCTS, .85, .65),
        Ratio("float32 / PyTorch 2.x DDP, 4 processes", fastest,
              TORCH["float32"][:1], 1.8, 1.3),
        Ratio("float32 / PyTorch 2.x DDP, best splits of both", fastest,
              TORCH["float32"], 1.5, 1.1, splits=SPLITS["float32"]),
        Ratio("float32 / JAX, best splits of both", fastest, JAX, 2.2, 1.5,
              splits=SPLITS["float32"]),
        Ratio("bfloat16 on AMX / our float32", bfloat16, (fastest,), 3.0, 1.8,
              needs_amx=True),
        Ratio("bfloat16 on AMX / PyTorch 2.x autocast, 4 processes", bfloat16,
              TORCH["bfloat16"][:1], 2.2, 1.3, needs_amx=True),
        Ratio("bfloat16 on AMX / PyTorch 2.x autocast, best splits of both",
              bfloat16, TORCH["bfloat16"], 1.7, 1.0, needs_amx=True,
              splits=SPLITS["bfloat16"]),
        Ratio("bfloat16 without AMX / our float32 at the same ISA",
              bfloat16 + without_amx, (fastest + without_amx,), .97, .90),
        Ratio("float32 at v3 / PyTorch 1.13 of Debian, AVX2", fastest + at_v3,
              TORCH_1, 1.3, 1.0),
        Ratio("v3-2048 in 2 processes / v3-32, batch 8 per core",
              "podsim/v3-2048-batch8", ("podsim/v3-32-batch8",), .7, .4),
        *(Ratio(f"{model} in float32 / PyTorch 2.x, 1 thread each",
                f"{model}/podsim", (f"{model}/torch",), 1.0, .5)
          for model in MODELS),
        AtMost("start to first finished step, v3-32", fastest,
               "seconds_to_first_step", "s", .5, 1.5),
        AtMost("start to first finished step, v3-2048",
               "podsim/v3-2048-batch8", "seconds_to_first_step", "s", 3, 10),
        AtMost("memory per process beyond weights, gradients, activations",
               "podsim/memory", "mib_beyond", "MiB", 40, 100),
    )


def medians(samples, field):
    """{contender: median over rounds} of those that have the field."""
    values = {}
    for sample in samples:
        if field in sample:
            values.setdefault(sample["contender"], []).append(sample[field])
    return {name: statistics.median(of) for name, of in values.items()}


def figure(row, samples):
    """None: not measured."""
    if isinstance(row, AtMost):
        return medians(samples, row.field).get(row.ours)
    speeds = medians(samples, SPEED)
    theirs = [speeds[name] for name in row.theirs if name in speeds]
    if row.ours not in speeds or not theirs:
        return None
    ours = [speeds[name] for name in (row.ours, *row.splits) if name in speeds]
    return max(ours) / max(theirs)


def words_for(row, value):
    missed_by = ((lambda bound: value > bound) if isinstance(row, AtMost)
                 else (lambda bound: value < bound))
    if missed_by(row.floor):
        return FLOOR_MISSED
    return "goal missed" if missed_by(row.goal) else "met"


def judge(row, samples, absent, cpu):
    """(figure or None, words); `absent`: {contender: why it was left out}."""
    if row.needs_amx and not cpu.amx:
        return None, f"{NOT_MEASURED}: this CPU has no AMX"
    measured = {sample["contender"] for sample in samples}
    missing = [name for name in (row.ours, *row.splits, *row.theirs)
               if name not in measured]
    value = figure(row, samples)
    if value is None:
        reasons = dict.fromkeys(absent.get(name, f"no sample of {name}")
                                for name in missing)
        reasons = reasons or [f"no {row.field} in samples of {row.ours}"]
        return None, f"{NOT_MEASURED}: {'; '.join(reasons)}"
    words = words_for(row, value)
    if missing:
        words += f", in part: without {', '.join(missing)}"
    return value, words


def verdicts(samples, absent, cpu):
    """[(row, figure or None, words)]"""
    return [(row, *judge(row, samples, absent, cpu)) for row in goals(cpu)]


def wrong_samples(samples):
    """[(sample, why)]: what a driver found, and other weights in a round."""
    hashes, wrong = {}, []
    for sample in samples:
        expected = hashes.setdefault(sample["contender"],
                                     sample.get("weights_hash"))
        if sample["wrong"]:
            wrong.append((sample, "its check of the result failed"))
        elif sample.get("weights_hash") != expected:
            wrong.append((sample, "other weights than in the first round"))
    return wrong
