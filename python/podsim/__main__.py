"""podsim's programs, as `python -m podsim PROGRAM ...` and as commands of their own.

    python -m podsim pod_launch --topology v3-32 --model mlp"""

from __future__ import annotations

import os
import sys
from typing import Callable, NoReturn, Sequence

from . import _programs
from ._errors import PodsimError
from ._names import near


def _become(program: str, arguments: Sequence[str]) -> NoReturn:
    """Replaces this process by the program, so that signals and exit codes are its
    own."""
    try:
        path = os.fspath(_programs.find(program))
        if sys.stdout is not None:
            sys.stdout.flush()
        os.execve(path, [program, *arguments], _programs.environment())
    except (OSError, PodsimError) as error:
        sys.exit(f"{program}: {error}")


def __getattr__(name: str) -> Callable[[], NoReturn]:
    """What a command of the wheel calls: the program of its name."""
    if not name.startswith("pod_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return lambda: _become(name, sys.argv[1:])


def _refuse(text: str) -> NoReturn:
    """As the programs do of what was typed."""
    print(text, file=sys.stderr)
    sys.exit(2)


def _of_python(name: str) -> str:
    """Of a function of the package that stands in the place of a program, or nothing."""
    if name not in ("train", "plan", "ladder", "export"):
        return ""
    return (f"; podsim.{name} is a function of Python, in a script that imports podsim: "
            "python train.py")


def main(arguments: Sequence[str]) -> NoReturn:
    try:
        names = _programs.names()
    except (OSError, PodsimError) as error:
        _refuse(f"podsim: {error}")
    usage = (f"python -m podsim PROGRAM [ARGUMENTS]; the programs are {', '.join(names)}; "
             "PROGRAM --help says what one does")
    if not arguments:
        _refuse(f"no program was named: {usage}")
    if arguments[0] in ("-h", "--help", "help"):
        print(usage)
        sys.exit(0)
    if arguments[0] in ("-V", "--version"):
        _become("pod_launch", ["--version"])
    if arguments[0] not in names:
        meant = _of_python(arguments[0]) or near(arguments[0].replace("-", "_"), names)
        _refuse(f"{arguments[0]!r} is no program of podsim{meant}: {usage}")
    _become(arguments[0], arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
