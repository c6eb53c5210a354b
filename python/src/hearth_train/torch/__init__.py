"""Hearth for PyTorch: the backend "hearth" of ``torch.distributed``."""

from __future__ import annotations

from ._process_group import ProcessGroupHearth

__all__ = ["ProcessGroupHearth"]
