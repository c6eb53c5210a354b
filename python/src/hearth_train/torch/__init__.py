"""Hearth for PyTorch: the backend "hearth" of ``torch.distributed``, compressed gradients, training with joins."""

from __future__ import annotations

from ._compress import compress
from ._elastic import Elastic
from ._process_group import ProcessGroupHearth
from ._sampler import ElasticSampler

__all__ = ["Elastic", "ElasticSampler", "ProcessGroupHearth", "compress"]
