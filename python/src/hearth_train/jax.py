"""Hearth for JAX: sums of arrays and of trees of arrays, outside of compiled functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

import hearth_train

from ._names import name_of

if TYPE_CHECKING:
    from ._group import Group

__all__ = ["allreduce"]


def allreduce(
    tree: Any, op: str = "sum", *, group: Group | None = None, compression: str | None = None, name: str = "jax"
) -> Any:
    """Combine an array, or each array of a tree, over all ranks, and return new arrays: JAX's own never change.

    JAX's memory is read where it lies; the result is one copy. Call it between compiled functions, not inside ``jax.jit``.
    With ``compression``, a codec such as "topk:0.01" for float32, what a sum leaves out goes into the next sum of an array
    with the same path in its tree and the same ``name``: give each tree of a program, such as two models', its own name.
    """
    ranks = group or hearth_train.group()
    leaves, form = jax.tree_util.tree_flatten_with_path(tree)
    sources = [np.asarray(leaf) for _, leaf in leaves]
    results = [np.empty(source.shape, source.dtype) for source in sources]
    works = []
    for (path, _), source, result in zip(leaves, sources, results, strict=True):
        call = name_of(name, jax.tree_util.keystr(path)) if compression else None
        if source.dtype.name == "bfloat16":  # NumPy cannot export its memory under that name
            source, result = source.view(np.uint16), result.view(np.uint16)  # noqa: PLW2901 - the same memory
            works.append(ranks.allreduce_async(source, op, out=result, dtype="bfloat16", compression=compression, name=call))
        else:
            works.append(ranks.allreduce_async(source, op, out=result, compression=compression, name=call))
    for work in works:
        work.wait()
    return jax.tree.unflatten(form, [jax.device_put(result) for result in results])
