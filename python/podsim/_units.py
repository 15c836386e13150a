"""Numbers as people read them."""

from __future__ import annotations


def span(seconds: float) -> str:
    """"47.2 us", "1.5 h", of a simulated time, as the programs write it."""
    for limit, unit, name in ((1e-3, 1e-6, "us"), (1, 1e-3, "ms"), (120, 1, "s"),
                              (7200, 60, "min")):
        if seconds < limit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 3600:.3g} h"


def gib(count: int) -> str:
    """Of bytes: "10.57 GiB", "1.2 MiB"."""
    for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << power:
            return f"{count / (1 << power):.2f} {name}"
    return f"{count} B"


def thousands(count: float, unit: str = "") -> str:
    """"129 G", "129 GFLOP": three digits of a count."""
    names = ["", "K", "M", "G", "T", "P", "E"]
    while count >= 999.5 and len(names) > 1:
        count, names = count / 1000, names[1:]
    return f"{count:.3g} {names[0]}{unit}".strip()


def share(part: float) -> str:
    return f"{100 * part:.0f}%"


def fine_share(part: float) -> str:
    """The same with two digits of a small part: "0.12%"."""
    return f"{100 * part:.2g}%" if 0 < part < 0.1 else share(part)
