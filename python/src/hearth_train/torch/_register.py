"""Registers the backend and its rendezvous. Imported by ``import torch``, so it imports nothing else of this package."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import torch.distributed as dist
from torch.distributed import distributed_c10d

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BACKEND = "hearth"
DEVICES = ["cpu", "mps"]


def register() -> None:
    """Make ``dist.init_process_group("hearth")`` work; a second call does nothing."""
    if BACKEND in dist.Backend.backend_list:
        return
    dist.Backend.register_backend(BACKEND, _create, extended_api=True, devices=DEVICES)
    dist.register_rendezvous_handler(BACKEND, _rendezvous)
    wrapped = _with_rendezvous(dist.init_process_group)
    dist.init_process_group = wrapped
    distributed_c10d.init_process_group = wrapped


def _create(backend_options: Any, options: Any) -> Any:
    from ._groups import create  # noqa: PLC0415 - only when a program uses the backend

    return create(backend_options, options)


def _rendezvous(url: str, **options: Any) -> Iterator[Any]:
    from ._groups import rendezvous  # noqa: PLC0415 - as above

    return rendezvous(url, **options)


def _names_hearth(backend: object) -> bool:
    return isinstance(backend, str) and BACKEND in {part.rsplit(":", 1)[-1] for part in backend.lower().split(",")}


def _with_settings(url: str | None, options: Mapping[str, object]) -> str:
    """Add settings to a rendezvous of Hearth; other ones have none."""
    from hearth_train._group import texts  # noqa: PLC0415 - only when a program uses the backend

    if url is None or not url.startswith(f"{BACKEND}://"):
        raise ValueError(
            "pg_options are settings of Hearth's own rendezvous: leave init_method and store out, or give init_method='hearth://GROUP'"
        )
    return f"{url}{'&' if '?' in url else '?'}{urlencode(texts(options), quote_via=quote)}"


def _with_rendezvous(init: Callable[..., None]) -> Callable[..., None]:
    """Give "hearth" its own rendezvous, where the script chose none, with the settings in ``pg_options``.

    All other backends stay as they are.
    """

    @functools.wraps(init)
    def init_process_group(backend: Any = None, init_method: Any = None, *arguments: Any, **named: Any) -> None:
        if _names_hearth(backend):
            store = arguments[3] if len(arguments) > 3 else named.get("store")  # noqa: PLR2004 - its place
            if init_method is None and store is None:
                init_method = f"{BACKEND}:///"
            if isinstance(named.get("pg_options"), Mapping):
                init_method = _with_settings(init_method, named.pop("pg_options"))
        init(backend, init_method, *arguments, **named)

    return init_process_group
