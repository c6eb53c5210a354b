"""Hearth: the computers of one home train together.

PyTorch needs no import of this package::

    dist.init_process_group("hearth")

NumPy and any array with the buffer protocol::

    import hearth_train as hearth

    hearth.init(world_size=2)
    hearth.allreduce(gradients, "avg")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ._errors import (
    CollectiveError,
    DeadlineError,
    ForkedError,
    HearthError,
    MismatchError,
    NonFiniteError,
    NotEnoughPeersError,
    NotEnoughRanksError,
    PeerLostError,
    ReenterableError,
    SetupError,
    StateSyncError,
)
from ._group import Group
from ._version import __version__
from ._work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CollectiveError",
    "DeadlineError",
    "ForkedError",
    "Group",
    "HearthError",
    "MismatchError",
    "NonFiniteError",
    "NotEnoughPeersError",
    "NotEnoughRanksError",
    "PeerLostError",
    "ReenterableError",
    "SetupError",
    "StateSyncError",
    "Work",
    "__version__",
    "allgather",
    "allreduce",
    "allreduce_async",
    "barrier",
    "begin_step",
    "broadcast",
    "close",
    "group",
    "init",
    "rank",
    "share",
    "status",
    "steps",
    "world_size",
]

T = TypeVar("T")

_group: Group | None = None


def init(world_size: int | None = None, *, timeout: float = 60.0, **settings: object) -> Group:
    """Start a trainer in this process, find the others, and begin the group.

    ``world_size`` ranks are waited for, two if it is not given, for at most ``timeout`` seconds. ``settings`` are those of
    the command line, some of which ``config.toml`` has, too: namespace, group, home, interfaces, peers, compression, engine,
    transport, health, on_partition, on_loss, ranks ("2:4"), deadline ("5m"), state_budget and others. Two calls without a
    :func:`close` between them are an error.
    """
    global _group  # noqa: PLW0603 - the group of the module's functions
    if _group is not None and _group.is_open:
        raise HearthError("hearth_train.init() was called already: use hearth_train.group(), or close() it first")
    _group = Group(world_size, timeout, settings)
    return _group


def group() -> Group:
    """Return the group of :func:`init`."""
    if _group is None:
        raise HearthError("no group yet: call hearth_train.init() first")
    return _group


def rank() -> int:
    """Rank of this process; see :attr:`Group.rank`."""
    return group().rank


def world_size() -> int:
    """Return the number of ranks; see :attr:`Group.world_size`."""
    return group().world_size


def allreduce(array: T, op: str = "sum", **options: Any) -> T:
    """Combine an array over all ranks; see :meth:`Group.allreduce`."""
    return group().allreduce(array, op, **options)


def allreduce_async(array: Any, op: str = "sum", **options: Any) -> Work:
    """Begin an all-reduce; see :meth:`Group.allreduce_async`."""
    return group().allreduce_async(array, op, **options)


def broadcast(array: T, root: int = 0, **options: Any) -> T:
    """Replace an array by that of a rank; see :meth:`Group.broadcast`."""
    return group().broadcast(array, root, **options)


def allgather(array: Any, out: Any = None, **options: Any) -> Any:
    """Return the arrays of all ranks; see :meth:`Group.allgather`."""
    return group().allgather(array, out, **options)


def barrier() -> None:
    """Return once all ranks have called it."""
    group().barrier()


def share(name: str, *arrays: Any) -> None:
    """Name arrays that all ranks keep alike; see :meth:`Group.share`."""
    group().share(name, *arrays)


def begin_step() -> tuple[int, bool]:
    """Begin a step; see :meth:`Group.begin_step`."""
    return group().begin_step()


def steps(total: int) -> Iterator[int]:
    """Yield the numbers of the steps that are left; see :meth:`Group.steps`."""
    return group().steps(total)


def status() -> dict[str, Any]:
    """Return what this node sees; see :meth:`Group.status`."""
    return group().status()


def close() -> None:
    """Leave the group in order; see :meth:`Group.close`."""
    group().close()
