"""Calls that Python refuses inside the caller's function: what the called one takes."""

from __future__ import annotations

import difflib
import inspect
import re
from typing import Any, Callable, Iterator

from . import _frames, _jaxprs, _tracebacks

_REFUSED = re.compile(
    r"^(?P<name>[\w.<>]+)\(\) (?:got an unexpected keyword argument '(?P<unknown>\w+)'"
    r"|missing \d+ required (?:positional|keyword-only) arguments?: (?P<missing>.*)"
    r"|takes .*? but (?P<given>\d+) (?:positional arguments? )?(?:.* )?(?:was|were) given"
    r"|got multiple values for argument '(?P<twice>\w+)')")

# Names that other libraries give to arguments.
_OTHERS = {"dim": "axis", "keepdim": "keepdims"}

# What functions of JAX call those with that they are given.
_CALLS = {"scan": "(carry, x)", "fori_loop": "(i, carry)", "while_loop": "(carry)",
          "map": "(x)", "cond": "(*operands)", "switch": "(*operands)"}


def _named(values: Iterator[Any], name: str) -> Iterator[Any]:
    for value in values:
        for each in (value, getattr(value, "func", None)):
            if callable(each) and name in (getattr(each, "__qualname__", None),
                                           getattr(each, "__name__", None)):
                yield each


def _function(error: BaseException, name: str, at: Any) -> Callable[..., Any] | None:
    """The function that refused; None: it is not found."""
    frame = _tracebacks.entries(error)[-1].tb_frame
    target = _frames.target(at)[1] if at is not None else None
    if name.endswith("__init__") and inspect.isclass(target):
        return target
    values = [target, *frame.f_locals.values(), *frame.f_globals.values(),
              *(at.tb_frame.f_locals.values() if at is not None else ())]
    values += [getattr(type(each), "__call__", None) for each in list(values)
               if not inspect.isroutine(each) and not inspect.isclass(each)]
    return next(_named(iter(values), name), None)


def _is_method(function: Any) -> bool:
    return "." in getattr(function, "__qualname__", "").rpartition("<locals>.")[2]


def _parameters(function: Any) -> list[inspect.Parameter]:
    """Without self."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    return found[1:] if found and found[0].name == "self" else found


def takes(function: Any) -> str:
    """"(x, num_classes, axis=-1)"; empty: it is not known."""
    if function is None:
        return ""
    said = []
    for each in _parameters(function):
        text = str(each.replace(annotation=each.empty))
        said.append(text if len(text) <= 30 else f"{each.name}=...")
    if len(said) > 8:
        said = [*said[:8], "..."]
    return f"({', '.join(said)})"


def _near(unknown: str, function: Any) -> str:
    known = [each.name for each in _parameters(function)]
    other = _OTHERS.get(unknown)
    found = [other] if other in known else difflib.get_close_matches(unknown, known, 1)
    return f": did you mean {found[0]}=?" if found else ""


def _where_else(function: Any) -> str:
    """What else than to leave an argument out, if it is a layer's."""
    if getattr(function, "__name__", "") != "__call__":
        return ""
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = code is not None and not _jaxprs.is_library(code.co_filename)
    return (", or add it to the module's __call__" if own else
            ", or give it to a module of your own whose __call__ takes it")


def _unknown(name: str, function: Any, argument: str) -> str:
    taken = takes(function)
    said = f"{name} takes no argument {argument!r}{'; it takes ' * bool(taken)}{taken}"
    near = _near(argument, function) if function is not None else ""
    return said + (near or f": leave {argument}= out{_where_else(function)}")


def _count(name: str, function: Any, given: int) -> str:
    given -= _is_method(function) if function is not None else False
    taken = takes(function)
    if inspect.isclass(function) and hasattr(function, "apply"):
        return (f"{name} takes its settings by their names, not arrays: write "
                f'{name}(...).apply({{"params": params}}, x)')
    many = f"{given} argument{'s' * (given != 1)} by {'their places' if given != 1 else 'place'}"
    return (f"{name} takes {taken or 'fewer'}, but is given {many}: leave out what it does not "
            "take, or give it by its name")


def _called_by(at: Any, name: str, function: Any) -> str:
    """Of a function that one of JAX's calls, or nothing."""
    words, target = _frames.target(at) if at is not None else ("", None)
    way = _CALLS.get(getattr(target, "__name__", ""))
    if way is None or target is function:
        return ""
    taken = takes(function)
    return (f"{words} calls the function that it is given as f{way}, but "
            f"{'the lambda' if '<lambda>' in name else name} takes {taken or 'others'}: give it "
            "the same parameters" + (", and the operands behind the functions"
                                     if "operands" in way else ""))


def text(error: BaseException, at: Any) -> str:
    """Nothing: Python refused no call. at: where the caller's code was last."""
    found = _REFUSED.match(str(error)) if isinstance(error, TypeError) else None
    if found is None or not _tracebacks.entries(error):
        return ""
    function = _function(error, found["name"], at)
    by = "" if found["unknown"] else _called_by(at, found["name"], function)
    if by:
        return by
    words, target = _frames.target(at) if at is not None else ("", None)
    is_typed = target is not None and (target is function or not _tracebacks.inside(error))
    name = words if is_typed else found["name"]
    if name.startswith("_") and at is not None and _frames.method(at):
        name = f"x.{_frames.method(at)}"
    name = name.rpartition("<locals>.")[2].replace("<lambda>", "a lambda")
    if found["unknown"]:
        return _unknown(name, function, found["unknown"])
    if found["missing"]:
        taken = takes(function)
        return (f"{name} is not given {found['missing']}{'; it takes ' * bool(taken)}{taken}: "
                "give it")
    if found["twice"]:
        return (f"{name} is given {found['twice']!r} twice, by its place and as "
                f"{found['twice']}=: leave one out")
    return _count(name, function, int(found["given"]))
