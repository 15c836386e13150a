"""What JAX calls an operation or a value, in the words of those who call jax.numpy."""

from __future__ import annotations

import re

# Operations by the names that JAX and HLO give them. What is not here goes by its name.
_OPERATIONS = {
    **dict.fromkeys(("dot_general", "dot"), "a product of matrices (@, jnp.dot, jnp.einsum)"),
    **dict.fromkeys(("conv_general_dilated", "convolution"), "a convolution"),
    **dict.fromkeys(("broadcast_in_dim", "broadcast"), "broadcasting (x[:, None], jnp.ones, "
                    "jnp.broadcast_to)"),
    **dict.fromkeys(("add", "add_any"), "x + y"),
    **dict.fromkeys(("sub", "subtract"), "x - y"),
    **dict.fromkeys(("mul", "multiply"), "x * y"),
    **dict.fromkeys(("div", "divide"), "x / y"),
    **dict.fromkeys(("rem", "remainder"), "x % y"),
    **dict.fromkeys(("pow", "power", "integer_pow", "square"), "x ** y"),
    **dict.fromkeys(("neg", "negate"), "-x"),
    "eq": "x == y", "ne": "x != y", "lt": "x < y", "le": "x <= y", "gt": "x > y", "ge": "x >= y",
    "compare": "a comparison", "not": "~x", "and": "x & y", "or": "x | y", "xor": "x ^ y",
    **dict.fromkeys(("max", "maximum"), "jnp.maximum"),
    **dict.fromkeys(("min", "minimum"), "jnp.minimum"),
    **dict.fromkeys(("select_n", "select"), "jnp.where"),
    **dict.fromkeys(("clamp",), "jnp.clip"),
    **dict.fromkeys(("convert_element_type", "convert"), ".astype"),
    **dict.fromkeys(("bitcast_convert_type", "bitcast-convert"), ".view"),
    **dict.fromkeys(("iota", "iota_2x32_shape"), "jnp.arange (or jnp.eye)"),
    **dict.fromkeys(("slice", "dynamic_slice", "dynamic-slice"), "a slice (x[a:b])"),
    **dict.fromkeys(("dynamic_update_slice", "dynamic-update-slice"), "x.at[...].set"),
    **dict.fromkeys(("gather",), "indexing (x[i])"),
    **dict.fromkeys(("scatter", "scatter-add", "scatter_add"), "x.at[...].set or .add, or the "
                    "gradient of x[i]"),
    **dict.fromkeys(("rev", "reverse"), "jnp.flip (x[::-1])"),
    **dict.fromkeys(("concatenate",), "jnp.concatenate"),
    **dict.fromkeys(("transpose",), "jnp.transpose"),
    **dict.fromkeys(("reshape",), "jnp.reshape"),
    **dict.fromkeys(("squeeze",), "jnp.squeeze"),
    **dict.fromkeys(("pad",), "jnp.pad"),
    **dict.fromkeys(("sort", "arg_sort"), "a sort (jnp.sort, jnp.argsort, jnp.median)"),
    **dict.fromkeys(("top_k", "topk"), "jax.lax.top_k"),
    **dict.fromkeys(("reduce_sum",), "jnp.sum"),
    **dict.fromkeys(("reduce_max",), "jnp.max"),
    **dict.fromkeys(("reduce_min",), "jnp.min"),
    **dict.fromkeys(("reduce_prod",), "jnp.prod"),
    **dict.fromkeys(("reduce_and",), "jnp.all"),
    **dict.fromkeys(("reduce_or",), "jnp.any"),
    **dict.fromkeys(("reduce_window_sum", "reduce_window", "reduce-window"),
                    "a window or a running sum"),
    **dict.fromkeys(("reduce_precision", "reduce-precision"), "jax.lax.reduce_precision"),
    **dict.fromkeys(("argmax",), "jnp.argmax"),
    **dict.fromkeys(("argmin",), "jnp.argmin"),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin"), "a running sum, product or maximum"),
    **dict.fromkeys(("while",), "a loop (jax.lax.while_loop, fori_loop or scan)"),
    **dict.fromkeys(("scan",), "jax.lax.scan"),
    **dict.fromkeys(("cond", "conditional"), "jax.lax.cond"),
    **dict.fromkeys(("lu", "getrf"), "a decomposition (jnp.linalg.inv, det, solve)"),
    **dict.fromkeys(("svd",), "jnp.linalg.svd (or norm, pinv, matrix_rank)"),
    **dict.fromkeys(("eigh", "eig"), "jnp.linalg.eigh"),
    **dict.fromkeys(("qr", "geqrf", "householder_product"), "jnp.linalg.qr"),
    **dict.fromkeys(("cholesky",), "jnp.linalg.cholesky"),
    **dict.fromkeys(("triangular_solve",), "jax.scipy.linalg.solve_triangular"),
    **dict.fromkeys(("fft",), "jnp.fft"),
    **dict.fromkeys(("pure_callback", "io_callback"), "a call back into Python (jax.pure_callback, "
                    "jax.experimental.io_callback)"),
}

# HLO's types by their names in NumPy.
_TYPES = {"PRED": "bool", "S4": "int4", "S8": "int8", "S16": "int16", "S32": "int32",
          "S64": "int64", "U4": "uint4", "U8": "uint8", "U16": "uint16", "U32": "uint32",
          "U64": "uint64", "F16": "float16", "BF16": "bfloat16", "F32": "float32",
          "F64": "float64", "C64": "complex64", "C128": "complex128"}

_JAX_ARRAY = "jax.Array"
_SAID = (
    # The values that JAX traces with.
    (r"\w*Traced?<(\w+\[[\w,]*\])>with<.*?>(?=\W|$)", r"\1"),
    (r"\b(?:Jit|Jaxpr|DynamicJaxpr)Tracer[<(](\w+\[[\w,]*\])[^<>()]*[>)]", r"\1"),
    (r"\b(?:Jit|Jaxpr|DynamicJaxpr)Tracer\(key<[^>]*>\[[\d,]*\]\)", "a random key"),
    (r"\b\w*Tracer\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "a traced array"),
    (r"ShapedArray\((\w+\[[\w,]*\])[^()]*\)", r"\1"),
    (r"a <class '(?:jax\.|jaxlib\.)[\w.]*(?:Tracer|ShapedArray|ArrayImpl)'>", f"a {_JAX_ARRAY}"),
    (r"<class '(?:jax\.|jaxlib\.)[\w.]*(?:Tracer|ShapedArray|ArrayImpl)'>", f"a {_JAX_ARRAY}"),
    (r"<class '(?:builtins\.)?([\w.]+)'>", r"\1"),
    (r"'?\b\w*Tracer\b'? (object )?has no attribute '?(\w+)'?",
     rf"'{_JAX_ARRAY}' has no attribute '\2'"),
    (r"\b[a-zA-Z]*Tracer\b", _JAX_ARRAY),
    (r"\bjax\._src\.[\w.]*", "jax"),
    (r"(?:a )?key<\?>(\[[\d,]*\])?", "a random key"),
    (r"Abstract tracer value encountered where concrete value is expected",
     "a number is needed before the function runs"),
    (r"\btracers?\b", "traced value"),
    # Sizes that follow from the shape beside them, and where to read on.
    (r" ?\(size \d+\)", ""),
    (r"\s*(?:[^.;:\n(]*\bat |\bSee |: )?\(?https?://[^\s)]+\)?\.?", ""),
)
# Operations whose errors begin with their names.
_FIRST = re.compile(r"^(\w+)(?= (?:got|requires|does not accept|expects|operand|arguments))")

_LONGEST = 320


def operation(name: str) -> str:
    return _OPERATIONS.get(name, name)


def types(text: str) -> str:
    """A text with HLO's types by their names in NumPy."""
    return re.sub(r"\b(?:PRED|B?F16|[SUFC]\d+)\b", lambda m: _TYPES.get(m[0], m[0]), text)


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + " ..."


def plain(text: str) -> str:
    """What an exception says, on one line: its first paragraph, and the next one if that
    ends with a colon; without the names of what traces, and without addresses."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    said = paragraphs[0]
    if said.rstrip().endswith(":") and len(paragraphs) > 1:
        said = f"{said} {paragraphs[1]}"
    said = re.sub(r"\n\s*\* ", " ", said)
    for pattern, instead in _SAID:
        said = re.sub(pattern, instead, said)
    said = _FIRST.sub(lambda match: operation(match[1]), " ".join(said.split()))
    return _shortened(said.rstrip(".:; "))
