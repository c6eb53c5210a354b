"""Registers the backend and its rendezvous. Imported by ``import torch``, so it imports nothing else of this package."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import torch.distributed as dist
from torch.distributed import distributed_c10d
from torch.distributed.rendezvous import register_rendezvous_handler

import hearth_train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hearth_train import Group

BACKEND = "hearth"
DEVICES = ["cpu", "mps"]


def register() -> None:
    """Make ``dist.init_process_group("hearth")`` work; a second call does nothing."""
    if BACKEND in dist.Backend.backend_list:
        return
    dist.Backend.register_backend(BACKEND, _create, extended_api=True, devices=DEVICES)
    register_rendezvous_handler(BACKEND, _rendezvous)
    wrapped = _with_rendezvous(dist.init_process_group)
    dist.init_process_group = wrapped
    distributed_c10d.init_process_group = wrapped
    closing = _with_shutdown(dist.destroy_process_group)
    dist.destroy_process_group = closing
    distributed_c10d.destroy_process_group = closing


def _create(backend_options: Any, options: Any) -> Any:
    from ._groups import create  # noqa: PLC0415 - only when a program uses the backend

    return create(backend_options, options)


def _rendezvous(url: str, **options: Any) -> Iterator[Any]:
    from ._groups import rendezvous  # noqa: PLC0415 - as above

    return rendezvous(url, **options)


def _is_hearth(backend: object) -> bool:
    """Return whether a script asks for Hearth, for some devices or all. Raises ValueError if for others it asks for another."""
    names = {part.rsplit(":", 1)[-1] for part in backend.lower().split(",")} if isinstance(backend, str) else set()
    if BACKEND in names and len(names) > 1:
        raise ValueError(f"no other backend works beside Hearth: give backend='{BACKEND}', got {backend!r}")
    return BACKEND in names


def _url(init_method: object, store: object) -> str:
    """Return Hearth's own rendezvous, or the one of Hearth that a script chose.

    "env://" is torch's own default, also where a script writes it. Raises ValueError for other rendezvous: they bring
    processes together, and no group of Hearth.
    """
    if store is None and init_method in (None, "env://"):
        return f"{BACKEND}:///"
    if store is None and isinstance(init_method, str) and init_method.startswith(f"{BACKEND}://"):
        return init_method
    got = f"init_method={init_method!r}" if store is None else "a store"
    raise ValueError(
        "Hearth finds the other machines itself: leave init_method and store out, or give init_method='hearth://GROUP'; "
        f"got {got}"
    )


def _with_settings(url: str, options: Mapping[str, object]) -> str:
    """Add settings to a rendezvous of Hearth."""
    from hearth_train._group import texts  # noqa: PLC0415 - only when a program uses the backend

    return f"{url}{'&' if '?' in url else '?'}{urlencode(texts(options), quote_via=quote)}"


def _opened() -> Group | None:
    try:
        return hearth_train.group()
    except hearth_train.HearthError:
        return None


@contextmanager
def _left_if_torch_fails() -> Iterator[None]:
    """Leave the group that a block opens if the block fails: others would wait for this process."""
    earlier, is_first = _opened(), not dist.is_initialized()
    try:
        yield
    except BaseException:
        opened = _opened()
        if opened is not None and opened is not earlier:
            opened.abort()
        if is_first and dist.is_initialized():
            with suppress(Exception):  # the first failure counts
                dist.destroy_process_group()
        raise


def _with_rendezvous(init: Callable[..., None]) -> Callable[..., None]:
    """Give "hearth" its own rendezvous, with the settings in ``pg_options``. All other backends stay as they are."""

    @functools.wraps(init)
    def init_process_group(backend: Any = None, init_method: Any = None, *arguments: Any, **named: Any) -> None:
        if backend is None and isinstance(init_method, str) and init_method.startswith(f"{BACKEND}://"):
            backend = BACKEND
        if not _is_hearth(backend):
            init(backend, init_method, *arguments, **named)
            return
        url = _url(init_method, arguments[3] if len(arguments) > 3 else named.get("store"))  # noqa: PLR2004 - its place
        if isinstance(named.get("pg_options"), Mapping):
            url = _with_settings(url, named.pop("pg_options"))
        with _left_if_torch_fails():
            init(backend, url, *arguments, **named)

    return init_process_group


def _with_shutdown(destroy: Callable[..., None]) -> Callable[..., None]:
    """Let a process leave Hearth's groups that it destroys. torch does so itself, but 2.6 for none but NCCL's."""

    @functools.wraps(destroy)
    def destroy_process_group(group: Any = None) -> None:
        is_all = group is None or group == dist.group.WORLD
        destroyed = list(distributed_c10d._world.pg_map) if is_all else [group]  # noqa: SLF001 - it has no other name
        destroy(group)
        for each in reversed(destroyed):  # the group of all ranks, which was the first, ends the others
            if hasattr(each, "hearth"):
                each.shutdown()

    return destroy_process_group
