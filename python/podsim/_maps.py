"""lax.map over the examples as the jax.vmap that it means.

A loop over the examples has as many steps as there are examples, which differs from
slice to slice; what it does to each follows from that one alone."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from . import _jaxprs


def _is_map(equation: Any, count: int) -> bool:
    """A scan of so many steps that hands nothing from one step to the next."""
    params = equation.params
    return bool(equation.primitive.name == "scan" and params["num_carry"] == 0
                and params["length"] == count
                and len(equation.invars) > params["num_consts"])


def has(closed: Any, count: int) -> bool:
    """Whether a traced function of `count` examples has such a loop."""
    return any(_is_map(equation, count) for equation in _jaxprs.equations(closed))


def follows_examples(jaxprs: Sequence[Any], counts: Sequence[int]) -> bool:
    """Whether a function, traced with these numbers of examples, loops over them, and not
    over something else of which there are as many as of the first."""
    return all(has(closed, count) for closed, count in zip(jaxprs, counts))


def _called(equation: Any, count: int) -> tuple[Any, Any] | None:
    """Jaxpr and constants of a jit or a jax.checkpoint that has such a loop."""
    jaxpr = _jaxprs.called(equation)
    if jaxpr is None or not has(jaxpr, count):
        return None
    return jaxpr, getattr(equation.params["jaxpr"], "consts", ())


def _made(jaxpr: Any, equation: Any, values: dict[Any, Any]) -> dict[Any, Any]:
    """What one equation of a jaxpr makes, with the line that it stands in."""
    from jax.extend import core

    needed = list(dict.fromkeys(x for x in equation.invars if not hasattr(x, "val")))
    made = [x for x in equation.outvars if type(x).__name__ != "DropVar"]
    alone = jaxpr.replace(constvars=[], invars=needed, outvars=made, eqns=[equation],
                          debug_info=jaxpr.debug_info.with_unknown_names())
    return dict(zip(made, core.jaxpr_as_fun(core.ClosedJaxpr(alone, []))(
        *[values[x] for x in needed])))


def _results(jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any], count: int
             ) -> list[Any]:
    """What a jaxpr returns, with its loops over `count` examples as vmap."""
    import jax

    values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts))
    values.update(zip(jaxpr.invars, arguments))

    def of(variables: Sequence[Any]) -> list[Any]:
        return [x.val if hasattr(x, "val") else values[x] for x in variables]

    for equation in jaxpr.eqns:
        operands = of(equation.invars)
        called = _called(equation, count)
        if called is not None:
            made = _results(*called, operands, count)
        elif _is_map(equation, count):
            body, fixed = equation.params["jaxpr"], equation.params["num_consts"]
            made = jax.vmap(lambda *row, body=body, same=operands[:fixed]: _results(
                body.jaxpr, body.consts, [*same, *row], count))(*operands[fixed:])
        else:
            values.update(_made(jaxpr, equation, values))
            continue
        values.update(zip(equation.outvars, made))
    return of(jaxpr.outvars)


def vmapped(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The function, whose loops over `count` examples are vmap."""
    def run(*arguments: Any) -> Any:
        import jax

        closed, returned = jax.make_jaxpr(function, return_shape=True)(*arguments)
        results = _results(closed.jaxpr, closed.consts,
                           jax.tree_util.tree_leaves(arguments), count)
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(returned), results)

    return run
