"""Finding and running podsim's programs."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sysconfig
from typing import Sequence

from . import _errors
from ._errors import PodsimError

_HERE = pathlib.Path(__file__).resolve().parent


def _places() -> list[pathlib.Path]:
    """Folders of programs: PODSIM_BIN, the package itself, the source tree that it
    stands in. Raises PodsimError for a PODSIM_BIN that is no folder."""
    own = [_HERE / "bin", _HERE.parents[1] / "build" / "release" / "bin"]
    given = os.environ.get("PODSIM_BIN", "")
    if given and not pathlib.Path(given).is_dir():
        raise PodsimError(f"PODSIM_BIN is {given!r}, which is no folder: set it to the folder of "
                          "podsim's programs, or unset it")
    return [pathlib.Path(given), *own] if given else own


def find(name: str) -> pathlib.Path:
    """Where a program is: the first of PODSIM_BIN, the package itself and its source
    tree that has it, else PATH."""
    places = _places()
    for place in places:
        if (place / name).is_file():
            return place / name
    # The commands of this package stand for what is looked for here.
    own = sysconfig.get_path("scripts")
    folders = [each for each in os.get_exec_path() if each != own]
    on_path = shutil.which(name, path=os.pathsep.join(folders))
    if on_path:
        return pathlib.Path(on_path)
    raise PodsimError(f"{name} is not there (looked in {', '.join(map(str, places))} and PATH): "
                      "./run in the source tree builds it, or set PODSIM_BIN to the folder of "
                      "podsim's programs")


def names() -> list[str]:
    """The programs that stand where pod_launch does, by the list that the build makes."""
    folder = find("pod_launch").parent
    listed = folder.parent / "programs.txt"
    if listed.is_file():
        return sorted(listed.read_text().split())
    return sorted(path.name for path in folder.glob("pod_*"))


def environment() -> dict[str, str]:
    """Of a program: without what is this package's own."""
    return {name: value for name, value in os.environ.items() if name != "PODSIM_BIN"}


def run(name: str, arguments: Sequence[str | os.PathLike[str]]) -> str:
    """What the program prints. Raises PodsimError with its error's line."""
    command = [os.fspath(find(name)), *[os.fspath(each) for each in arguments]]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=environment())
    if done.returncode != 0:
        raise _errors.of_program(name, done.stderr, done.returncode)
    return str(done.stdout)
