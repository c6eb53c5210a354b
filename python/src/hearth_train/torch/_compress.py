"""Compressed gradients for DDP, with error feedback."""

import itertools

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from ._process_group import ProcessGroupHearth

_models = itertools.count()


def compress(model: DistributedDataParallel, codec: str) -> None:
    """Send the gradients of a DDP model through a codec, such as "topk:0.01", "int8" or "powersgd".

    What the codec leaves out of a gradient is added to the next one (error feedback). Its memory belongs to a bucket of DDP,
    by number and size, because DDP changes its buckets once, after the first step. Applies to float32; call it once, before
    the first backward pass, on all ranks.
    """
    group = model.process_group
    if not isinstance(group, ProcessGroupHearth):
        raise TypeError("compress() needs a model whose process group has the backend 'hearth'")
    number = next(_models)

    # torch compares these two annotations with its own, so they must be types and not texts.
    def hook(_state: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        gradient = bucket.buffer()
        name = f"ddp-{number}-{bucket.index()}-{gradient.numel()}"
        ended = group.compressed(gradient, "avg", codec, name).get_future()
        return ended.then(lambda future: future.value()[0])

    model.register_comm_hook(None, hook)
