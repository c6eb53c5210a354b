"""DDP inside torch's compiler: the model, and the whole step, with and without a codec. Arguments: world."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from hearth_train.torch import compress

STEPS = 3

dist.init_process_group("hearth", world_size=int(sys.argv[1]))
data = torch.randn(16, 8, generator=torch.Generator().manual_seed(dist.get_rank()))


def train(codec, *, is_model_compiled=False, is_step_compiled=False):
    """Return the weights after some steps of a model with buffers, which DDP broadcasts before each pass."""
    torch.manual_seed(3)
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1)))
    if codec is not None:
        compress(model, codec)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    called = torch.compile(model, backend="aot_eager") if is_model_compiled else model

    def step():
        optimizer.zero_grad()
        (called(data) - 1).square().mean().backward()
        optimizer.step()

    if is_step_compiled:
        step = torch.compile(step, backend="aot_eager")
    for _ in range(STEPS):
        step()
    return torch.cat([each.detach().view(-1) for each in model.parameters()])


for codec in (None, "int8"):
    plain = train(codec)
    near = {} if codec is None else {"rtol": 0, "atol": 0.01}  # a value between two numbers of a codec goes to either
    for way in ({"is_model_compiled": True}, {"is_step_compiled": True}):
        torch.testing.assert_close(train(codec, **way), plain, **near)
    print("weights", codec, plain.double().sum().item())
dist.destroy_process_group()
