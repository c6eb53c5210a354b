"""A DDP script that knows Hearth by one word. Arguments: world, steps, workers, backend."""

import hashlib
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        return torch.randn(64, generator=torch.Generator().manual_seed(index))


world, steps, workers = map(int, sys.argv[1:4])
dist.init_process_group("hearth", world_size=world)
torch.manual_seed(0)
model = DistributedDataParallel(
    torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.BatchNorm1d(128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
)
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
batches = iter(DataLoader(Samples(), batch_size=16, num_workers=workers))
print("start", dist.get_rank(), flush=True)
last, worst = time.monotonic(), 0.0
for step in range(steps):
    optimizer.zero_grad()
    model(next(batches)).square().mean().backward()
    optimizer.step()
    now = time.monotonic()
    worst = max(worst, now - last) if step > 5 else 0.0
    last = now
    if step % 10 == 0:
        weights = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
        print("step", step, dist.get_world_size(), hashlib.sha256(weights).hexdigest()[:12], flush=True)
    time.sleep(0.005)
print("end", round(worst * 1e3), dist.get_world_size(), flush=True)
dist.destroy_process_group()
