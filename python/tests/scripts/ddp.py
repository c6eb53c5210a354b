"""A DDP script that knows Hearth by one word; it ends 40 steps after only ``least`` ranks are left.

Arguments: world, least, workers."""

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


world, least, workers = map(int, sys.argv[1:4])
dist.init_process_group("hearth", world_size=world)
torch.manual_seed(0)
model = DistributedDataParallel(
    torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.BatchNorm1d(128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
)
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
context = "fork" if workers else None  # not the default from Python 3.14 on
batches = iter(DataLoader(Samples(), batch_size=16, num_workers=workers, multiprocessing_context=context))
print("start", dist.get_rank(), flush=True)
step, more = 0, 40
while more > 0:
    begin = time.monotonic()
    optimizer.zero_grad()
    model(next(batches)).square().mean().backward()
    optimizer.step()
    there = dist.get_world_size()
    if there < world:
        print("lost", round((time.monotonic() - begin) * 1e3), flush=True)
    world = there
    more -= world <= least
    if step % 10 == 0:
        weights = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
        print("step", step, world, hashlib.sha256(weights).hexdigest()[:12], flush=True)
    step += 1
    time.sleep(0.005)
print("end", world, flush=True)
dist.destroy_process_group()
