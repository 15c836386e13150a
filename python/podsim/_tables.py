"""Records of a run as columns, for pandas."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping


def columns(records: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """One list a name, each as long as there are records. A dict within a record becomes
    names with dots, as in metrics.accuracy; None where a record has no such name."""
    rows = [dict(_flat(record)) for record in records]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _flat(record: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value
