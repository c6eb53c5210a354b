"""From torch's names to a group: the rendezvous, and the creation of process groups."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from torch._C._distributed_c10d import Store
from torch.distributed.distributed_c10d import default_pg_timeout

import hearth_train
from hearth_train._log import LOGGER

from ._process_group import ProcessGroupHearth

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta


_SECONDS_MOST = 3650 * 86_400.0  # ten years


class NoStore(Store):
    """What torch needs as a store. Other backends would wait in one for processes that it does not connect."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise ValueError(
            "Hearth has no store, so no other backend works beside it: leave the backend out in new_group(), and the group is "
            "one of Hearth; TORCH_DIST_INIT_BARRIER must not be set"
        )

    set = get = add = compare_set = append = multi_get = multi_set = _refuse
    check = wait = delete_key = num_keys = queue_push = queue_pop = queue_len = _refuse


_STORE = NoStore()  # for good: its methods are gone with it, and torch holds only what is below them


def rendezvous(url: str, timeout: timedelta | None = None, **_: Any) -> Iterator[tuple[Any, int, int]]:
    """Find the others for ``hearth://GROUP?key=value``; yields a store of this process, the rank, and the world size.

    The keys are the settings of :func:`hearth_train.init`. torch adds ``rank`` and ``world_size`` to them.
    """
    parts = urlsplit(url)
    settings: dict[str, object] = dict(parse_qsl(parts.query))
    if parts.hostname:
        settings["group"] = parts.hostname
    asked = settings.pop("rank", None)
    world = settings.pop("world_size", os.environ.get("WORLD_SIZE"))
    seconds = min(timeout.total_seconds(), _SECONDS_MOST) if timeout is not None else default_pg_timeout.total_seconds()
    settings.setdefault("deadline", f"{max(1, int(seconds))}s")
    if settings.get("compression", "none") != "none":
        raise ValueError(
            "torch's sums are exact but for the gradients of a model that asks for a codec: leave compression out, and call "
            f"hearth_train.torch.compress(model, {str(settings['compression'])!r}) with the DDP model"
        )
    group = hearth_train.init(int(str(world)) if world else None, timeout=seconds, **settings)
    rank, size = (group.rank, group.world_size) if group.is_member else (0, 1)  # a newcomer enters by its first step
    asked = os.environ.get("RANK") if asked is None else asked
    if asked is not None and str(asked) != str(rank):
        LOGGER.warning("Hearth numbers the ranks itself: this process is rank %d, not %s; use dist.get_rank()", rank, asked)
    yield _STORE, rank, size


def create(backend_options: Any, options: Any) -> ProcessGroupHearth:
    """Create the process group of all ranks, or of some; torch calls this on its members.

    Raises ValueError for ``options``: settings are those of the trainer, which :func:`rendezvous` takes.
    """
    if options:
        raise ValueError("pg_options go to init_process_group, as a dict: a further group has the settings of the first one")
    group = hearth_train.group()
    ranks = list(backend_options.global_ranks_in_group)
    if ranks and backend_options.timeout != default_pg_timeout:
        LOGGER.warning("the timeout of a further group is not used: that of init_process_group holds for all calls")
    name = str(backend_options.group_id)
    if not ranks or not group.is_member or ranks == list(range(group.world_size)):
        return ProcessGroupHearth(group, name, closes=not ranks)
    some = group.split(ranks)
    if some is None:
        raise hearth_train.HearthError(f"rank {group.rank} is not in the process group of {ranks}")
    return ProcessGroupHearth(some, name, closes=True)
