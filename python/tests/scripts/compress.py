"""DDP through a codec. Arguments: world."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import hearth_train
from hearth_train.torch import compress

dist.init_process_group("hearth", world_size=int(sys.argv[1]))
torch.manual_seed(3)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)))
compress(model, "topk:0.01")
optimizer = torch.optim.SGD(model.parameters(), 0.05)
group = hearth_train.group()
sent, dense = group.sent_bytes(), group.sent_bytes(dense=True)
data = torch.randn(64, 256, generator=torch.Generator().manual_seed(group.rank))
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = (model(data) - 1).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
share = (group.sent_bytes() - sent) / (group.sent_bytes(dense=True) - dense)
assert losses[-1] < losses[0] / 2, losses
assert share < 0.05, share
print("weights", sum(each.double().sum().item() for each in model.parameters()))
dist.destroy_process_group()
