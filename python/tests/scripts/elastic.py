"""A DDP training that ranks join and leave. Arguments: world, steps, seed of the initial weights, optimizer."""

import hashlib
import sys
import time

import torch
import torch.distributed as dist

from hearth_train.torch import Elastic, ElasticSampler

world, steps, seed, kind = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
dist.init_process_group("hearth", world_size=world)
torch.manual_seed(seed)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.BatchNorm1d(64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
if kind == "adam":
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
else:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 50, 0.9)
data = torch.randn(1000, 64, generator=torch.Generator().manual_seed(1))
sampler = ElasticSampler(len(data), 16)
batches = iter(sampler)
run = Elastic(model, optimizer, steps, sampler=sampler)


def digest():
    parts = [p.detach().numpy().tobytes() for p in model.parameters()]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


print("ready", flush=True)
for step in run:
    if step % 20 == 0:
        print("step", step, dist.get_world_size(), digest(), sampler.position, flush=True)
    loss = run.model(data[next(batches)]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.01)
print("end", digest(), sampler.position, flush=True)
dist.destroy_process_group()
