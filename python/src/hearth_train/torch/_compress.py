"""Compressed gradients for DDP, with error feedback."""

import itertools

import torch
from torch._C._distributed_c10d import GradBucket
from torch.nn.parallel import DistributedDataParallel

from ._compiler import runs_as_it_is
from ._process_group import ProcessGroupHearth

_models = itertools.count()


def compress(model: DistributedDataParallel, codec: str) -> None:
    """Send the gradients of a DDP model through a codec, such as "topk:0.01", "int8" or "powersgd".

    What the codec leaves out of a gradient is added to the next one (error feedback). Its memory belongs to a bucket of DDP,
    by number and size. DDP puts its gradients into other buckets once, after the first step, so that step goes as it is;
    not with ``find_unused_parameters``, whose buckets stay. Applies to float32; call it once, before the first backward
    pass, on all ranks.
    """
    group = model.process_group if isinstance(model, DistributedDataParallel) else None
    if not isinstance(group, ProcessGroupHearth):
        raise TypeError("compress() needs a DistributedDataParallel model whose process group has the backend 'hearth'")
    for name, weights in model.module.named_parameters():
        if weights.requires_grad and weights.dtype != torch.float32:
            raise TypeError(f"codecs are for float32, and the parameter {name} is of {weights.dtype}: leave compress() out")
    model.register_comm_hook(
        _Hook(group, codec, has_last_buckets=model.find_unused_parameters and not model.static_graph), _sum
    )


class _Hook:
    """What the hook of one model knows."""

    def __init__(self, group: ProcessGroupHearth, codec: str, *, has_last_buckets: bool) -> None:
        self.group = group
        self.codec = codec
        self.name = f"ddp-{next(_models)}"
        self.has_last_buckets = has_last_buckets

    def begin(self, bucket: GradBucket) -> torch.futures.Future[list[torch.Tensor]]:
        gradient = bucket.buffer()
        if self.has_last_buckets:
            name = f"{self.name}-{bucket.index()}-{gradient.numel()}"
            return self.group.compressed(gradient, "avg", self.codec, name).get_future()
        self.has_last_buckets = bucket.is_last()
        return self.group.compressed(gradient, "avg", "none", "").get_future()


# torch compares the two annotations with its own, so they must be types and not texts.
@runs_as_it_is
def _sum(hook: _Hook, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    return hook.begin(bucket).then(lambda future: future.value()[0])
