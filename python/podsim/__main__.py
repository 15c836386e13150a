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


def main(arguments: Sequence[str]) -> NoReturn:
    names = _programs.names()
    usage = (f"python -m podsim PROGRAM [ARGUMENTS]; the programs are {', '.join(names)}; "
             "PROGRAM --help says what one does")
    if not arguments:
        sys.exit(f"no program was named: {usage}")
    if arguments[0] in ("-h", "--help"):
        print(usage)
        sys.exit(0)
    if arguments[0] not in names:
        sys.exit(f"{arguments[0]!r} is no program of podsim{near(arguments[0], names)}: {usage}")
    _become(arguments[0], arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
