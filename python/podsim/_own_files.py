"""What programs say of the files that a call makes for them, in the words of the call."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
from typing import Any, Iterator

from . import _trees
from ._errors import PodsimError

_READS = re.compile(r"model .* reads input (?P<name>.+) \((?P<type>\w+ \[[^]]*\])\), but data set "
                    r"(?P<set>\w+) offers (?P<offered>.+)")
_FIELD = re.compile(r"(?:^|, )(\S+) \((\w+ \[[^]]*\])\)")


def _of_fields(text: str, batch: Any) -> str:
    """Of a batch that names other fields than its data set has."""
    found = _READS.fullmatch(text)
    if found is None or batch is None:
        return text
    offered = dict(_FIELD.findall(found["offered"]))
    name, data = found["name"], found["set"]
    if name in offered:
        return (f"batch has {name!r} ({found['type']}), but the data set {data} has it as "
                f"{offered[name]}: give batch that shape and type")
    names, _, _ = _trees.named_leaves(batch, "batch")
    has = ", ".join(f"{each!r} ({kind})" for each, kind in offered.items())
    how = (f"give batch these names, and read them in the loss function: "
           f"batch[\"{next(iter(offered))}\"]")
    if isinstance(batch, dict) and set(names) > set(offered):
        how = f"leave {name!r} out of batch, and out of what the loss function reads"
    return f"batch has {', '.join(map(repr, names))}, but the data set {data} has {has}: {how}"


def _without(folder: pathlib.Path, text: str) -> str:
    """The text with what its reader knows in the place of a folder that soon is gone."""
    for own, said in (("model", "the model of the loss function"), ("run", "this call's memory"),
                      ("", "this call's memory")):
        place = re.escape(str(folder / own))
        whole = place + r"(?:/[\w./-]*\w)?"
        if own == "model":  # a setting that nobody gave
            text = re.sub(rf'model_file="?{whole}"?', said, text)
        text = re.sub(whole, said, text)
    return text


def _mended(error: PodsimError, folder: pathlib.Path, batch: Any) -> PodsimError:
    new = PodsimError(_of_fields(_without(folder, error.reason), batch), host=error.host,
                      step=error.step, details=error.details)
    for note in getattr(error, "__notes__", []):
        new.add_note(_without(folder, note))
    return new


@contextlib.contextmanager
def in_words(folder: pathlib.Path, batch: Any) -> Iterator[None]:
    """Errors within say no path of the call's own files. batch: as it names the fields of
    a data set that programs open."""
    try:
        yield
    except PodsimError as error:
        raise _mended(error, folder, batch) from None
    except OSError as error:
        if error.errno is not None or str(folder) not in str(error):
            raise
        raise OSError(str(error).replace(str(folder), os.path.dirname(folder))) from None
