"""Hearth for PyTorch: the backend "hearth" of ``torch.distributed``, compressed gradients, training with joins."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import torch  # noqa: F401 - registers the backend, unless TORCH_DEVICE_BACKEND_AUTOLOAD is 0

from hearth_train._torch_entry import register

if TYPE_CHECKING:
    from ._compress import compress
    from ._elastic import Elastic
    from ._process_group import ProcessGroupHearth
    from ._sampler import ElasticSampler

__all__ = ["Elastic", "ElasticSampler", "ProcessGroupHearth", "compress"]

# Imported when they are first used: ``import torch`` imports this package, and most scripts need none of it.
_MODULES = {
    "Elastic": "._elastic",
    "ElasticSampler": "._sampler",
    "ProcessGroupHearth": "._process_group",
    "compress": "._compress",
}


register()


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    return __all__
