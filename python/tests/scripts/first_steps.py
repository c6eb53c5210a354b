"""The first steps of an Elastic training, with buffers of all kinds.

Arguments: world, and "dies" for a rank that does so before its first step.
"""

import os
import sys

import torch
import torch.distributed as dist

from hearth_train.torch import Elastic

STEPS = 20


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
        self.register_buffer("gaps", torch.zeros(8)[::2])
        self.register_buffer("spread", torch.ones(1).expand(3))
        self.register_buffer("none", torch.zeros(0, dtype=torch.int64))
        self.register_buffer("turned", torch.ones(2, dtype=torch.complex64).conj())
        self.register_buffer("own", torch.zeros(1 + dist.get_rank()), persistent=False)  # another size on each rank

    def forward(self, data):
        self.gaps += data.detach().mean(0)
        return self.layers(data)


dist.init_process_group("hearth", world_size=int(sys.argv[1]))
if "dies" in sys.argv:
    os._exit(3)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
run = Elastic(model, optimizer, STEPS, broadcast_buffers=False)
for step in run:
    optimizer.zero_grad()
    run.model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    print("step", step, dist.get_world_size(), flush=True)
print("end", sum(each.abs().sum().item() for each in model.state_dict().values()), flush=True)
dist.destroy_process_group()
