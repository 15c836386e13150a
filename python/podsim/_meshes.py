"""Meshes of JAX whose axes stand in the types of arrays (AxisType.Explicit): podsim divides
the work itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import PodsimError

PODS_WORK = ("podsim does that itself: it gives each core of the slice its own examples of the "
             "batch and reduces the gradients")


def explicit_axes(mesh: Any) -> list[str]:
    """Of a mesh, or of anything else: none."""
    return [str(axis) for axis, kind in zip(getattr(mesh, "axis_names", ()),
                                            getattr(mesh, "axis_types", None) or ())
            if "Explicit" in str(kind)]


def check() -> None:
    """Raises PodsimError where jax.set_mesh has put such a mesh into effect."""
    import jax

    axes = explicit_axes(getattr(jax.sharding, "get_abstract_mesh", lambda: None)())
    if axes:
        said = (f"axis {axes[0]!r} divides" if len(axes) == 1 else
                f"axes {', '.join(map(repr, axes))} divide")
        raise PodsimError(
            f"jax.set_mesh has put a mesh into effect whose {said} arrays over devices "
            f"(AxisType.Explicit), but {PODS_WORK}; call podsim outside of it, or give the mesh "
            "AxisType.Auto")


def unplaced(tree: Any) -> Any:
    """The same numbers, in types that no such mesh stands in."""
    import jax

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array) or not isinstance(leaf.dtype, np.dtype):
            return leaf  # a random key is no array of numbers
        return np.asarray(leaf) if explicit_axes(getattr(leaf.sharding, "mesh", None)) else leaf

    return jax.tree_util.tree_map(one, tree)
