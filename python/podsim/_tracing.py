"""What JAX says of a function that it cannot trace, in one line with the way round."""

from __future__ import annotations

import re
import types
from typing import Any

from . import _assertions, _flax, _frames, _near_names, _numpy_calls, _words
from ._counts import BATCHES

_CONDITION = (r"Attempted boolean conversion of traced array|"
              r"truth value of an array with more than one")
# What JAX says behind the name of its exception, and what is to be done; the first that is
# found.
_WAYS = (
    (r"only implemented for the threefry2x32",
     "jax.random.poisson draws until it has enough, which podsim cannot do: count exponential gaps "
     "instead, jnp.sum(jnp.cumsum(jax.random.exponential(key, (*shape, K)), -1) < rate, -1) with K "
     "well above the rate, or make the numbers a part of the data set"),
    (r"unbound axis name: (\w+)",
     "{function} calls a collective (psum, pmean, ...) over the axis {0!r}, but no such axis is "
     "there: leave it out, podsim averages losses and gradients over the cores itself"),
    (r"grad requires real-valued outputs.*got (complex\d+)",
     "the loss is {0}, which has no gradient: take its real part, loss.real"),
    (r"grad requires real-valued outputs.*got (\w+)",
     "the loss is {0}, which has no gradient (argmax and comparisons return such): return a "
     "float32 loss"),
    (r"grad requires real- or complex-valued inputs.*?but got (\w+)",
     "jax.grad takes the gradient by its first argument, which is {0} here: give params first, or "
     "say argnums=; whole numbers have no gradient"),
    (r"Gradient only defined for scalar-output functions\. Output had shape: (\([^)]*\))",
     "jax.grad is given a function that returns {0}, not one number: take jnp.mean of it, or use "
     "jax.jacobian"),
    (r"Pure callbacks do not support JVP|IO callbacks do not support JVP",
     "{function} calls back into Python (pure_callback, io_callback), which podsim cannot run on "
     "the cores: compute it with jax.numpy"),
    (_CONDITION,
     "{function} takes an if, while, and, or or bool() of a traced value: use jnp.where or "
     "jax.lax.cond"),
    (r"with the `(\w+)` function",
     "{function} calls {0}() of a traced value: leave it out, and keep to jax.numpy"),
    (r"(?:in the |The )(item|tolist)(?:\(\))? method|The (item|tolist)\(\) method",
     "{function} calls .{0}() of a traced value: leave it out, and keep to jax.numpy"),
    (r"The '(\w+)' method is not available on traced array|Tracer has no attribute '?(numpy|detach"
     r"|cpu|copy_to_host_async)\b",
     "{function} calls .{0}() of a traced value: leave it out, and keep to jax.numpy"),
    (r"boolean indices must be concrete",
     "an array is indexed by a mask of traced values, whose length is not known: keep all examples "
     "and weigh them: jnp.where(mask, x, 0).sum() / mask.sum()"),
    (r"first argument of (jnp\.\w+)\(\)|size argument of (jnp\.\w+)",
     "{0} returns as many values as it finds, a number that is not known before the function runs: "
     "give size=, or keep all values and weigh them by jnp.where"),
    (r"arose in the (jnp\.\w+) argument '?(\w+)|arose in ([\w.]+) argument `?(\w+)",
     "{0} is given a traced value as {1}, by which its result has its size: give a whole number "
     "that is known before the function runs"),
    (r"Shapes must be 1D sequences.*?got (\([^)]*['\"][^)]*\))",
     "a size is given as a text, the shape is {0}: give a whole number, without quotation marks"),
    (r"Shapes must be 1D sequences of concrete values",
     "a shape is made of a traced value: give whole numbers that are known before the function "
     "runs, such as those of x.shape"),
    (r"Slice entries must be static integers",
     "an array is sliced at a traced place (x[:n]), so that its length is not known: use "
     "jax.lax.dynamic_slice of a fixed length, or weigh by jnp.where(jnp.arange(len(x)) < n, x, "
     "0)"),
    (r"TracerIntegerConversionError",
     "a traced value stands where Python needs a whole number (the index of a list, range(), "
     "x.shape): make the list an array, jnp.asarray(values)[i], or loop by jax.lax.fori_loop"),
    (r"ConcretizationTypeError",
     "a traced value stands where a number is needed before the function runs{called}: compute "
     "with jax.numpy, and give sizes (length=, num_segments=, size=) and axes as numbers"),
    (r"MLIRError: Invalid type",
     "an array cannot be compiled, as one with a size below 0: mend its shape"),
    (r"unsupported format string passed to \w*Tracer",
     "{function} formats a traced value as text: leave it out, and return the value as a metric"),
    (r"Non-hashable static arguments|Static argument",
     "a function of jax.jit is given a traced value for a static argument (static_argnums, "
     "static_argnames): give it a plain number, or make the argument no static one"),
    (r"unhashable type: '\w*Tracer'",
     "a traced value is looked up in a dict or a set: put the values into an array, and index "
     "that"),
    (r"JAX arrays are immutable",
     "an array is changed in place (x[i] = y): write x = x.at[i].set(y)"),
    (r"(cond|switch) branches must have equal output types.*?The (output of .*?)(?:\.\s|$)",
     "the branches of jax.lax.{0} return different types: the {1}: make them alike (.astype, "
     "jnp.broadcast_to)"),
    (r"(scan|while_loop|fori_loop) body function carry input and carry output .*?differ:\s*"
     r"The (input carry.*?)(?:\.\s|$)",
     "the carry of jax.lax.scan, fori_loop or while_loop changes in the loop: the {1}: return it "
     "as it came in, in type, shape and structure, or begin with zeros of that type"),
    (r"cond_fun must return a boolean scalar, but got (?:pytree|output type\(s\)) (.*?)\.?$",
     "the condition of jax.lax.while_loop must return one bool, not {0}: compare, as in v > 0"),
    (r"(vmap got inconsistent sizes for array axes to be mapped.*)",
     "{0}: say which arguments have examples, in_axes=(None, 0), None for params"),
    (r"Reverse-mode differentiation does not work for (.*?)\. Try using (.*?), or using (.*?)\.?$",
     "reverse-mode differentiation does not work for {0}: use {1}, or {2}"),
    (r"[Cc]ustom VJP bwd rule must produce an output with the same container",
     "the bwd function of jax.custom_vjp must return a tuple, one gradient for each argument of "
     "the function"),
    (r"No VJP defined for custom_vjp function (\S+)",
     "{0} of jax.custom_vjp has no gradient: call its defvjp(fwd, bwd) first"),
    (r"No JVP defined for custom_jvp function (\S+)",
     "{0} of jax.custom_jvp has no derivative: call its defjvp(rule) first"),
    (r"key accepts a scalar seed, but was given a PRNG key|SeedSequence expects int.*key<",
     "a random key is used as a seed, but it is a key already: draw from it, "
     "jax.random.normal(key, shape)"),
    (r"(?:accept dtypes?|interpret) .*key<",
     "a random key is used as a number: draw from it, jax.random.normal(key, shape)"),
    (r"with_sharding_constraint|non-empty mesh|NamedSharding|PartitionSpec|[Cc]ontext mesh|"
     r"ShardingTypeError|set_mesh|out_sharding|Backend '\w+' failed to initialize|Unknown backend|"
     r"[Mm]esh axis|shard_map",
     "{function} places arrays on devices itself (a mesh, a sharding, device_put): leave it out, "
     "podsim divides each batch over the cores of topology= and reduces the gradients"),
    (r"cannot reshape array of shape \S.*? into shape (\(.*?\)|\d+)",
     "reshape to {0}: the array has the shape {shape}, another number of elements{examples}"),
    (r"Tracer\b'?(?: object)? has no attribute '?(\w+)", "an array has no {0}{near}"),
    (r"module '([\w.]+)' has no attribute '(\w+)'", "{0} has no {1}{near}"),
)


def _near(error: BaseException, name: str) -> str:
    """": did you mean mean?", of an AttributeError."""
    import jax

    owner = getattr(error, "obj", None)
    if isinstance(owner, types.ModuleType):
        return _near_names.of_module(name, owner)
    return _near_names.of_array(name, jax.Array if owner is None else owner)


def _examples(shape: str) -> str:
    """What to say if the sizes of a shape follow the number of examples."""
    sizes = map(int, re.findall(r"\d+", shape))
    follows = any(size and size % count == 0 for size in sizes for count in BATCHES)
    return ("; the number of examples is not fixed: write x.shape[0] or -1 for it" if follows else
            ": give as many, or -1 for one of the sizes")


def _shape(text: str) -> str:
    found = re.search(r"array of shape (\([\d, ]*\))", text)
    return found[1] if found else ""


def in_one_line(error: BaseException, frame: Any = None, layer: Any = None) -> str:
    """Nothing: it is none of these. frame: of the caller's code, of sys's kind with the
    instruction, where it failed. layer: the call of flax's innermost layer."""
    name, text = type(error).__name__, str(error)
    if name == "TracerArrayConversionError":
        return _numpy_calls.text(frame)
    of_flax = _flax.in_one_line(f"{name}: {text}", layer)
    if of_flax:
        return of_flax
    if re.search(_CONDITION, text) and _assertions.is_at(frame):
        return (f"{_frames.function(frame)} asserts a traced value, which has no concrete "
                "value: take the assert out; podsim stops by itself at a loss that is not finite")
    for pattern, said in _WAYS:
        found = re.search(pattern, f"{name}: {text}", re.DOTALL)
        if found:
            groups = [_words.plain(group) for group in found.groups() if group is not None]
            near = _near(error, groups[-1]) if "{near}" in said else ""
            called = ".".join(_frames.called(frame))
            return said.format(*groups, near=near, shape=_shape(text),
                               function=_frames.function(frame),
                               examples=_examples(_shape(text)),
                               called=f" ({called})" if called else "")
    return ""
