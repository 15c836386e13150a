"""What flax says of a module that is called otherwise than it must be, with the way round."""

from __future__ import annotations

import re
from typing import Any

from . import _given, _words

_APPLY = 'm.apply({{"params": params}}, x)'
_STATE = ('take state=variables["batch_stats"] and loss_fn(params, state, batch), write y, new = '
          'm.apply({{"params": params, "batch_stats": state}}, x, mutable=["batch_stats"]), and '
          'return loss, new["batch_stats"]')

_WAYS = (
    (r'ScopeCollectionNotFound: .*from collection "params"',
     f"apply takes a dictionary of collections: write {_APPLY}"),
    (r"ApplyScopeInvalidVariablesTypeError",
     f"apply takes a dictionary of collections: write {_APPLY}"),
    (r'ScopeCollectionNotFound: .*from collection "batch_stats" in "/?([^"]*)"',
     f'apply is not given the collection "batch_stats" of {{0}}: {_STATE}'),
    (r'ScopeCollectionNotFound: .*from collection "(\w+)" in "/?([^"]*)"',
     'apply is not given the collection "{0}" of {1}: write m.apply({{"params": params, "{0}": '
     '...}}, x), with state= if steps change it'),
    (r"ApplyScopeInvalidVariablesStructureError",
     'params has the layer "params" itself: write m.apply(params, x), or hand over '
     'variables["params"]'),
    (r'InvalidRngError: (\S+) needs PRNG for "(\w+)"',
     '{0} needs a key for "{1}": take a third argument, loss_fn(params, batch, key), and write '
     'm.apply(..., rngs={{"{1}": key}})'),
    (r'ModifyScopeVariableError: Cannot update variable "\w+" in "/?([^"]*)" because collection '
     r'"batch_stats"', f'{{0}} updates "batch_stats", which is not mutable: {_STATE}'),
    (r'ModifyScopeVariableError: Cannot update variable "\w+" in "/?([^"]*)" because collection '
     r'"(\w+)"', '{0} updates "{1}", which is not mutable: take state= and write m.apply(..., '
     'mutable=["{1}"])'),
    (r"Array\.__contains__: unsupported operand type",
     f"apply takes the dictionary of collections first: write {_APPLY}"),
    (r'Parameter "(\w+)" must be passed to the constructor',
     "a layer is not told whether it trains: say {0}=False or {0}=True where it is made or called"),
    (r'ScopeParamShapeError: For parameter "(\w+)" in "/?([^"]*)", .*generate shape (\(.*?\)), but '
     r".*has shape (\(.*?\))",
     "the parameter {0} of {1} has the shape {3}, but its input asks for {2}: give apply an input "
     "of the width that init had"),
    (r'ScopeParamNotFoundError: Could not find parameter named "(\w+)" in scope "/?([^"]*)"',
     "params has no {0} for {1}: make them by init of the module that is applied"),
    (r"InvalidInstanceModuleError",
     "apply is called of a class: make a module of it first, as in "
     'Model(...).apply({{"params": params}}, x)'),
    (r'AttributeError: "(\w+)" object has no attribute "(\w+)"\. If',
     f"a {{0}} has no {{1}}: write {_APPLY}, or give method= a method that it has"),
    (r"CallCompactUnboundModuleError|unbound module",
     f"a module is called without its params: write {_APPLY}"),
    (r"`deterministic` is False, but no `rngs` argument was provided to (\w+)",
     "{0} has no random key: take a third argument, loss_fn(params, batch, key), and call it with "
     "rngs=nnx.Rngs(dropout=key)"),
    (r"'State' object is not callable",
     "params is the state of an nnx module: write m = nnx.merge(graphdef, params), with graphdef "
     "of nnx.split(m), or hand over the module itself as params"),
    (r"First argument passed to an init function",
     f"init is called in the function: make params by it before, and write {_APPLY}"),
    (r"TraceContextError",
     "a module or a variable is changed that is made outside of the function: make it "
     "inside, m = nnx.merge(graphdef, params), with graphdef of nnx.split(m)"),
)


_KERNEL = re.compile(r'ScopeParamShapeError: For parameter "kernel" in "/?([^"]*)", .*generate '
                     r"shape (\(.*?\)), but .*has shape (\(.*?\))", re.DOTALL)


def _sizes(text: str) -> list[int]:
    return list(map(int, re.findall(r"\d+", text)))


def _kernel(text: str, layer: Any) -> str:
    """Of a layer whose input has another width than the one that it was made for."""
    found = _KERNEL.search(text)
    given = next((each for each in layer.arguments.values() if _given.is_array(each)),
                 None) if layer else None
    if not found or given is None:
        return ""
    asked, has = _sizes(found[2]), _sizes(found[3])
    if len(asked) != len(has) or asked[:-2] != has[:-2] or asked[-1:] != has[-1:]:
        return ""
    name = re.sub(r"^\w+\(.*?\)/", "", found[1]) or layer.name
    advice = ("give what init had, such as x[..., None]" if has[-2] == 1 else
              f"give init what the function has, whose last axis has {asked[-2]} elements, or the "
              f"function what init had, {has[-2]}")
    return (f"the kernel of {name} is {found[3]}, made for inputs [..., {has[-2]}]; it is given "
            f"{_given.kind(given)}: {advice}")


def in_one_line(text: str, layer: Any = None) -> str:
    """text: the exception's name and what it says. layer: the call of the innermost one that
    failed. Nothing: it is none of these."""
    kernel = _kernel(text, layer)
    if kernel:
        return kernel
    for pattern, said in _WAYS:
        found = re.search(pattern, text, re.DOTALL)
        if found:
            return said.format(*map(_words.plain, found.groups()))
    return ""
