"""A DDP script that knows Hearth by one word: start it on each machine, or twice on this one.

python ddp_digits.py [world size]
"""

import gzip
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

DIGITS = Path(__file__).parents[2] / "examples/src/main/resources/io/hearth/examples/digits.csv.gz"

with gzip.open(DIGITS, "rt") as lines:
    rows = torch.tensor([[float(number) for number in line.split(",")] for line in lines])
images, labels = rows[:, :64] / 16, rows[:, 64].long()
train, test = TensorDataset(images[:1500], labels[:1500]), (images[1500:], labels[1500:])

dist.init_process_group("hearth", world_size=int(sys.argv[1]) if len(sys.argv) > 1 else 2)
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(20):
    # made again in each epoch, for the ranks that there are by then
    sampler = DistributedSampler(train, dist.get_world_size(), dist.get_rank(), seed=epoch)
    for batch, answers in DataLoader(train, batch_size=32, sampler=sampler):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch), answers).backward()
        optimizer.step()
    with torch.no_grad():
        right = (model.module(test[0]).argmax(1) == test[1]).float().mean().item()
    if dist.get_rank() == 0:
        print(f"epoch {epoch}: {right:.1%} right, {dist.get_world_size()} ranks", flush=True)
dist.destroy_process_group()
