"""What auto takes beside the best algorithm, from pod_bench's JSON. Pure."""

import verdict
from contenders import ALGORITHMS, ALL

MOST_BEHIND = 1.10
MEDIA = (("shared memory", "podsim/", "podsim/auto"),
         ("sockets", "podsim/sockets-", "podsim/sockets"))


def chosen(record):
    """{size: algorithm} of a run with --algo=auto."""
    return {row["size"]: row["algorithm"] for row in record["results"]}


def samples(record, number, transport, chosen_by_size):
    """A sample per row of a run with --algo=all, and one more of the algorithm
    that auto takes; with compare_all_reduce's names of contenders."""
    prefix, auto = MEDIA[0 if transport == "shm" else 1][1:]
    named = [(prefix + row["algorithm"], row) for row in record["results"]]
    named += [(auto, row) for row in record["results"]
              if chosen_by_size[row["size"]] == row["algorithm"]]
    return [{"round": number, "contender": name,
             "size": row["size"], "us": row["in_place"]["time"],
             "wrong": sum(int(row[way]["nwrong"])
                          for way in ("in_place", "out_of_place"))}
            for name, row in named]


def beside_best(times, prefix, auto, size):
    """(auto's us, the best algorithm's us, its name), or None: not measured."""
    ours = verdict.best(times, (auto,), size)
    theirs = {name: verdict.best(times, (prefix + name,), size)
              for name in ALGORITHMS}
    theirs = {name: us for name, us in theirs.items() if us is not None}
    if ours is None or not theirs:
        return None
    name = min(theirs, key=theirs.get)
    return ours, theirs[name], name


def rows(samples):
    """[(medium, size, auto's us, the best's us, its name)] of what there is."""
    times = verdict.by_contender(samples)
    return [(medium, size, *found) for medium, prefix, auto in MEDIA
            for size in ALL
            if (found := beside_best(times, prefix, auto, size)) is not None]


def verdict_lines(samples):
    lines = [f"{medium:14} {size:9}  auto {ours:9.1f} us  best {best:9.1f} us "
             f"{name:17} {ours / best:.2f}"
             for medium, size, ours, best, name in rows(samples)]
    wrong = sum(sample["wrong"] for sample in samples)
    return lines + ([f"WRONG elements: {wrong}"] if wrong else [])


def is_behind(samples):
    """Whether something was wrong, or auto more than a tenth behind."""
    return any(sample["wrong"] for sample in samples) or any(
        ours > MOST_BEHIND * best for _, _, ours, best, _ in rows(samples))
