"""Hearth for MLX: the average of gradients, in MLX's own memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

import hearth_train

from ._buffers import buffer
from ._names import name_of

if TYPE_CHECKING:
    from ._group import Group

__all__ = ["average_gradients"]


def average_gradients(
    gradients: Any,
    group: Group | None = None,
    all_reduce_size: int = 32 * 1024**2,  # noqa: ARG001 - MLX's signature
    communication_type: Any = None,
    communication_stream: Any = None,  # noqa: ARG001 - MLX's signature
    *,
    compression: str | None = None,
    name: str = "mlx",
) -> Any:
    """Average a tree of gradients over all ranks; the signature is that of ``mlx.nn.average_gradients``.

    The sum runs where MLX holds the arrays, without a copy; only views, such as the transposed gradients of ``nn.Linear``, go
    through one. ``gradients`` themselves hold the averages afterwards, if there is no ``communication_type``; so does what was
    made of them before and not evaluated yet: call ``mx.eval`` on a norm of this rank's own gradients before. Small
    arrays need not be joined, so ``all_reduce_size`` has no effect; ``communication_stream`` has none either, because no
    kernel of MLX takes part.

    ``group`` is that of :func:`hearth_train.init` by default. With ``communication_type`` the values travel in that type,
    through a copy. ``compression`` is a codec such as "topk:0.01", for float32; what a sum leaves out goes into the next sum of
    a gradient with the same path in its tree and the same ``name``: give each model of a program its own name.
    """
    ranks = group or hearth_train.group()
    flat: Any = tree_flatten(gradients)
    if not flat:
        return gradients
    if isinstance(communication_type, mx.Stream):  # the fourth argument of newer versions of MLX
        communication_type = None
    arrays = [value if communication_type is None else value.astype(communication_type) for _, value in flat]
    mx.eval(arrays)
    arrays = [_dense(array) for array in arrays]
    mx.eval(arrays)
    works = [
        ranks.allreduce_async(array, "avg", compression=compression, name=name_of(name, "." + path) if compression else None)
        for (path, _), array in zip(flat, arrays, strict=True)
    ]
    for work in works:
        work.wait()
    if communication_type is None:
        for array, (_, value) in zip(arrays, flat, strict=True):
            if array is not value:
                value[...] = array
    else:
        arrays = [array.astype(value.dtype) for array, (_, value) in zip(arrays, flat, strict=True)]
    return tree_unflatten([(path, array) for (path, _), array in zip(flat, arrays, strict=True)])


def _dense(array: mx.array) -> mx.array:
    """Return an array itself, or a copy of a view that has gaps, another order, or one element for many."""
    try:
        buffer(array, writable=True)
    except ValueError:
        return mx.contiguous(array)
    return array
