"""The goals, and whether the samples meet them. Pure."""

import statistics
from dataclasses import dataclass

from contenders import ALGORITHMS, ALL, KIB, MIB


@dataclass(frozen=True)
class Goal:
    sizes: tuple
    against: str  # what the reader calls it
    ours: str  # "same": podsim and the limit with the same algorithm
    theirs: tuple  # the fastest of these
    goal: float = None  # None: only reported
    floor: float = None  # None: no floor


LIMIT_OF = {  # podsim's algorithm -> the limit's forms of it
    "ring": ("limit/ring",),
    "halving_doubling": ("limit/halving_doubling",),
    "direct": ("limit/direct", "limit/direct_two_phase"),
}
GLOO = ("gloo/ring", "gloo/ring_chunked", "gloo/new_ring")
NAMED = tuple(f"podsim/{name}" for name in ALGORITHMS)
NAMED_SOCKETS = tuple(f"podsim/sockets-{name}" for name in ALGORITHMS)
TCP = ("openmpi/tcp",)
SHM = ("openmpi/shm",)
AUTO = "podsim/auto"
SOCKETS = "podsim/sockets"
FLOOR_MISSED = "FLOOR MISSED"
BIG = (16 * MIB, 64 * MIB)
TOP = (64 * MIB,)
MIDDLE = (1 * MIB, 4 * MIB)
SHORT = (64 * KIB, 256 * KIB)
TINY = (1 * KIB, 4 * KIB, 16 * KIB)

GOALS = (
    Goal(BIG, "limit of the same socket kind", AUTO, ("limit/ring",), .90, .75),
    Goal(BIG, "Gloo best", AUTO, GLOO, 1.5, 1.2),
    Goal(BIG, "OpenMPI TCP", AUTO, TCP, 1.3, 1.0),
    Goal(TOP, "OpenMPI shared memory", AUTO, SHM, 1.15, 0.9),
    Goal((16 * MIB,), "OpenMPI shared memory", AUTO, SHM, 1.2, 1.0),
    Goal(MIDDLE, "OpenMPI shared memory", AUTO, SHM, 1.1, 0.9),
    Goal(SHORT, "OpenMPI shared memory", AUTO, SHM, 1.0, 0.85),
    Goal(TINY, "OpenMPI shared memory", AUTO, SHM),
    Goal(MIDDLE, "limit, same algorithm", "same", (), .75, .5),
    Goal(TINY + SHORT, "limit, same algorithm", "same", (), .6, .35),
    Goal(MIDDLE, "Gloo best", AUTO, GLOO, 2.0),
    Goal(SHORT, "Gloo best", AUTO, GLOO, 3.0),
    Goal(TINY, "Gloo best", AUTO, GLOO, 3.0),
    Goal(MIDDLE, "OpenMPI TCP", AUTO, TCP, 1.0),
    Goal(SHORT, "OpenMPI TCP", AUTO, TCP, 0.8),
    Goal(TINY, "OpenMPI TCP", AUTO, TCP, 0.6),
    # As auto's table is meant: nowhere more than a tenth off.
    Goal(ALL, "podsim's best algorithm", AUTO, NAMED, .90),
    Goal(ALL, "the same over sockets alone", SOCKETS, NAMED_SOCKETS, .90),
    Goal(TOP, "bfloat16 wire: our float32", "podsim/bfloat16", (AUTO,)),
    Goal(BIG, "limit; podsim over sockets alone", SOCKETS, ("limit/ring",),
         .90),
    Goal(TOP, "bfloat16 wire: our float32, both over sockets alone",
         "podsim/sockets-bfloat16", (SOCKETS,)),
    Goal(TOP, "packed in one process: OpenMPI shared memory", "podsim/packed",
         SHM, 4.0, 2.5),
)


def by_contender(samples):
    """{(contender, size): [us of each round]}"""
    times = {}
    for sample in samples:
        key = (sample["contender"], sample["size"])
        times.setdefault(key, []).append(sample["us"])
    return times


def best(times, names, size):
    """Lowest median of those that were measured; None without any."""
    medians = [statistics.median(times[name, size])
               for name in names if (name, size) in times]
    return min(medians, default=None)


def ratio(times, goal, size):
    """Their time / ours: above 1 we are faster. None: not measured."""
    if goal.ours != "same":
        ours = best(times, (goal.ours,), size)
        theirs = best(times, goal.theirs, size)
    else:
        # The algorithm with which podsim is fastest at this size.
        measured = [(best(times, (f"podsim/{name}",), size), name)
                    for name in LIMIT_OF]
        measured = [pair for pair in measured if pair[0] is not None]
        if not measured:
            return None
        ours, name = min(measured)
        theirs = best(times, LIMIT_OF[name], size)
    return None if ours is None or theirs is None else theirs / ours


def judge(goal, ratios):
    """(worst ratio, words): a row is as good as its worst size.

    Words: "met", "goal missed", "FLOOR MISSED", "reported" where there is no
    goal, "not measured"; "in part" where sizes are missing.
    """
    known = [value for value in ratios.values() if value is not None]
    if not known:
        return None, "not measured"
    worst = min(known)
    if goal.goal is None:
        words = "reported"
    elif worst >= goal.goal:
        words = "met"
    elif goal.floor is not None and worst < goal.floor:
        words = FLOOR_MISSED
    else:
        words = "goal missed"
    return worst, words if len(known) == len(ratios) else f"{words}, in part"


def verdicts(samples):
    """[(goal, {size: ratio}, worst ratio, words)]"""
    times = by_contender(samples)
    rows = []
    for goal in GOALS:
        ratios = {size: ratio(times, goal, size) for size in goal.sizes}
        rows.append((goal, ratios, *judge(goal, ratios)))
    return rows
