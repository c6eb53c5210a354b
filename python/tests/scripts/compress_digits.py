"""Trains on digits twice, with plain and with compressed gradients. Arguments: world, data, and least: ranks left of them."""

import gzip
import hashlib
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import hearth_train
from hearth_train.torch import compress

with gzip.open(sys.argv[2], "rt") as lines:
    rows = torch.tensor([[float(number) for number in line.split(",")] for line in lines])
images, labels = rows[:, :64] / 16, rows[:, 64].long()
train, test = TensorDataset(images[:1500], labels[:1500]), (images[1500:], labels[1500:])
dist.init_process_group("hearth", world_size=int(sys.argv[1]))
group = hearth_train.group()


def learn(codec, epochs):
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    model = DistributedDataParallel(layers)
    if codec:
        compress(model, codec)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    sent, dense = group.sent_bytes(), group.sent_bytes(dense=True)
    for epoch in range(epochs):
        sampler = DistributedSampler(train, dist.get_world_size(), dist.get_rank(), seed=epoch)
        for batch, answers in DataLoader(train, batch_size=64 // dist.get_world_size(), sampler=sampler):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(batch), answers).backward()
            optimizer.step()
        if epoch % 10 == 0:
            print("epoch", codec, epoch, dist.get_world_size(), flush=True)
    share = (group.sent_bytes() - sent) / (group.sent_bytes(dense=True) - dense)
    with torch.no_grad():
        right = (layers(test[0]).argmax(1) == test[1]).float().mean().item()
    digest = hashlib.sha256(b"".join(each.detach().numpy().tobytes() for each in layers.parameters())).hexdigest()[:12]
    print("right", codec, round(100 * right, 2), round(100 * share, 2), digest, flush=True)
    return right


plain = learn(None, 25)
compressed = learn("topk:0.01", 25)
dist.destroy_process_group()
