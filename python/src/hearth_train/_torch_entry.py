"""What torch calls when it is imported: makes the backend "hearth" known, and nothing more."""

from __future__ import annotations

import warnings


def register() -> None:
    """Register the backend; never raises, because ``import torch`` must work without it."""
    try:
        import torch.distributed as dist  # noqa: PLC0415 - torch itself calls this

        if not dist.is_available():
            return
        from .torch import _register  # noqa: PLC0415

        _register.register()
    except Exception as failed:  # noqa: BLE001 - the import of torch goes on
        warnings.warn(f"the torch backend 'hearth' is not available: {failed}", stacklevel=2)
