"""What the function of a library was given that failed as the caller's code called it."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Iterator, Mapping

from . import _frames, _jaxprs, _tracebacks
from ._said import article

_VARARGS, _VARKEYWORDS = 4, 8
_MOST = 4
_REVERSED = {f"r{each}" for each in ("matmul", "add", "sub", "mul", "truediv", "div", "floordiv",
                                     "mod", "pow")}


@dataclasses.dataclass(frozen=True)
class Call:
    """name: as the caller wrote it, or a layer's class. arguments: those that are given, by
    the names of the parameters."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]


def is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def kind(value: Any) -> str:
    """"float32[8,4]", "a tuple (float32[8], a dict)", "the text 'x'"."""
    if is_array(value):
        dtype = str(value.dtype)
        return ("a random key" if dtype.startswith("key<") else
                f"{dtype}[{','.join(map(str, value.shape))}]")
    if isinstance(value, (tuple, list)) and value and len(value) <= _MOST:
        comma = "," * (isinstance(value, tuple) and len(value) == 1)
        return f"a {type(value).__name__} ({', '.join(map(kind, value))}{comma})"
    if isinstance(value, str):
        return repr(value)
    if value is None or value is ... or isinstance(value, (bool, int, float)):
        return repr(value)
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    if inspect.isroutine(value) or inspect.isfunction(getattr(value, "__wrapped__", None)):
        return f"the function {getattr(value, '__name__', '')}".replace(
            "function <lambda>", "lambda").rstrip()
    return article(type(value).__name__)


def _variadic(frame: Any) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """What a frame of a function of (*args, **kwargs) is called with; None: it is none."""
    code = frame.f_code
    is_plain = code.co_argcount == 0 or code.co_varnames[:code.co_argcount] == ("self",)
    if not is_plain or not code.co_flags & _VARARGS or not code.co_flags & _VARKEYWORDS:
        return None
    names = code.co_varnames[code.co_argcount + code.co_kwonlyargcount:]
    known = frame.f_locals
    if names[0] not in known or names[1] not in known:
        return None
    return known[names[0]], known[names[1]]


def bound(function: Callable[..., Any], args: Any, kwargs: Any) -> dict[str, Any] | None:
    """Arguments by the names of the parameters; None: the function does not take them."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return None


def _own(frame: Any, function: Callable[..., Any]) -> dict[str, Any]:
    """The arguments of a function in its own frame: what differs from the defaults."""
    parameters = inspect.signature(function).parameters
    known = frame.f_locals
    return {name: known[name] for name, each in parameters.items()
            if name in known and known[name] is not each.default}


def _of_function(error: BaseException, at: Any) -> Call | None:
    words, function = _frames.target(at)
    if not callable(function):
        return None
    name = getattr(function, "__name__", "")
    for each in _tracebacks.inside(error)[:2]:
        frame = each.tb_frame
        given = _variadic(frame)
        arguments = bound(function, *given) if given else None
        if arguments is not None:
            return Call(words, function, arguments)
        if frame.f_code.co_name == name:
            return Call(words, function, _own(frame, function))
    return None


def _of_method(error: BaseException, at: Any) -> Call | None:
    """Of an array: x.mean, or an operator."""
    inside = _tracebacks.inside(error)
    frame = inside[0].tb_frame if inside else None
    if frame is None or frame.f_code.co_varnames[:1] != ("self",):
        return None
    value, method = frame.f_locals.get("self"), _frames.method(at)
    function = getattr(type(value), method, None) if method else None
    code = frame.f_code
    if not is_array(value) or function is None or not code.co_flags & _VARARGS:
        return None
    names = code.co_varnames[code.co_argcount + code.co_kwonlyargcount:]
    args, kwargs = (frame.f_locals.get(name) for name in names[:2])
    if not isinstance(args, tuple) or not isinstance(kwargs, dict):
        return None
    listed = {f"[{i}]": each for i, each in enumerate(args)} | kwargs
    return Call(f"x.{method}", function, {"x": value, **listed})


def _of_operator(error: BaseException, at: Any) -> Call | None:
    inside, sign = _tracebacks.inside(error), _frames.operator(at)
    known = inside[0].tb_frame.f_locals if inside else {}
    args = known.get("args")
    if not sign or "self" not in known or not isinstance(args, tuple) or len(args) != 1:
        return None
    pair = [known["self"], args[0]]
    if sign == "[]":
        return Call("x[i]", _of_operator, dict(zip(("x", "i"), pair)))
    if str(known.get("name")) in _REVERSED:
        pair.reverse()
    names = ("left", "right") if sign == "@" else ("x", "y")
    return Call(f" {sign} ".join(names), _of_operator, dict(zip(names, pair)))


def module_call(error: BaseException) -> Call | None:
    """Of flax's innermost layer."""
    for each in reversed(_tracebacks.entries(error)):
        known = each.tb_frame.f_locals
        if each.tb_frame.f_code.co_name != "_call_wrapped_method":
            continue
        module, function = known.get("self"), known.get("fun")
        arguments = bound(function, (module, *known.get("args", ())), known.get("kwargs", {}))
        if arguments is not None and getattr(function, "__name__", "") == "__call__":
            own = list(arguments.items())[1:]
            return Call(type(module).__name__, function, dict(own))
    return None


def call(error: BaseException, at: Any) -> Call | None:
    """at: where the caller's code was last. None: it called none, or that is not known."""
    if at is None:
        return None
    return _of_function(error, at) or _of_method(error, at) or _of_operator(error, at)


def _wants_array(parameter: inspect.Parameter) -> bool:
    said = str(parameter.annotation)
    return "Array" in said and not any(each in said for each in ("Tree", "Sequence", "tuple",
                                                                 "Mapping", "None", "Iterable"))


def _is_none(value: Any) -> bool:
    """Whether it is surely no array."""
    return not is_array(value) and (value is None or callable(value) or isinstance(
        value, (tuple, list, str, Mapping)) or hasattr(value, "apply"))


def wrong(made: Call) -> tuple[str, Any] | None:
    """The first argument that is no array where one is wanted, with its name."""
    try:
        parameters = inspect.signature(made.function).parameters
    except (TypeError, ValueError):
        return None
    for name, value in made.arguments.items():
        if name in parameters and _wants_array(parameters[name]) and _is_none(value):
            return name, value
    return None


def _flat(made: Call) -> Iterator[tuple[str, Any]]:
    """The arguments, those of *args one by one and without a name."""
    try:
        parameters = inspect.signature(made.function).parameters
    except (TypeError, ValueError):
        parameters = {}
    given = list(made.arguments.items())
    for name, value in given:
        which = getattr(parameters.get(name), "kind", None)
        if which is inspect.Parameter.VAR_POSITIONAL:
            yield from (("", each) for each in value if not any(each is x for _, x in given))
        elif which is not inspect.Parameter.VAR_KEYWORD:
            yield "" if name.startswith("[") else name, value


def listed(made: Call, others: bool = True) -> str:
    """"logits: float32[8,4], labels: int32[8]": its arrays, and others that are short."""
    said = []
    for name, value in _flat(made):
        if is_array(value) or others and isinstance(value, (int, float, str, tuple, list)):
            said.append(f"{name}: {kind(value)}" if name else kind(value))
    return ", ".join(said[:6])


def library_layer(error: BaseException) -> Call | None:
    """Of flax's own innermost layer, if it failed itself."""
    made = module_call(error)
    code = getattr(inspect.unwrap(made.function), "__code__", None) if made else None
    is_own = code is None or not _jaxprs.is_library(code.co_filename)
    return None if is_own else made
