"""What a job says of an example that no loss can be made of, in the words of the call."""

from __future__ import annotations

import re

# "1 holds the label 3, which is none of 0 to 2, in example 233 of the data set"; arrays of a tuple
# are called by their places (host/train/bad_examples.cc).
_BAD = re.compile(r"(?<![^ ])(?P<name>\S+) holds (?P<what>the label (?P<label>-?\d+), which is "
                  r"none of 0 to (?P<last>\d+),|nan|inf)(?P<where> in example \d+ of the data set)")


def _way(found: re.Match[str]) -> str:
    if found["label"] is None:
        return "; give numbers, or leave the example out"
    label, last = int(found["label"]), int(found["last"])
    if label < 0:
        return "; leave such examples out, or number the classes from 0"
    return (f"; if the classes are numbered from 1, give y - 1; if there are more than {last + 1}, "
            f"give the last layer as many outputs" if label == last + 1 else
            f"; the loss has {last + 1} classes: number them from 0 to {last}, as "
            "np.unique(y, return_inverse=True)[1] does, or give the last layer more outputs")


def in_python(reason: str) -> str:
    found = _BAD.search(reason)
    if not found:
        return reason
    name = f"array {found['name']}" if found["name"].isdigit() else found["name"]
    labels = f"{name} (labels)" if found["label"] and name != "labels" else name
    return (f"{reason[:found.start()]}{labels} holds {found['what']}{found['where']}{_way(found)}"
            f"{reason[found.end():]}")
