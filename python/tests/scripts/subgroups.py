"""Groups of some ranks, as 2-dimensional parallelism makes them; then rank 3 dies. Arguments: world (4)."""

import hashlib
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

dist.init_process_group("hearth", world_size=int(sys.argv[1]))
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicas", "shards"))


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


def summed(group):
    one = torch.tensor([float(rank + 1)])
    dist.all_reduce(one, group=group)
    return one.item()


row, column = mesh["shards"].get_group(), mesh["replicas"].get_group()
assert summed(row) == (3 if rank < 2 else 7)
assert summed(column) == (4 if rank % 2 == 0 else 6)
assert (dist.get_rank(row), dist.get_world_size(row)) == (rank % 2, 2)

batches = [torch.randn(8, 8, generator=torch.Generator().manual_seed(number)) for number in range(4)]

# FSDP2 with replicas of shards: the same as one process with all batches. Torch 2.6 has it for GPUs only.
if hasattr(torch.cpu.Stream, "record_event"):
    alone, sharded = model(), model()
    for layer in (sharded[0], sharded[2], sharded):
        fully_shard(layer, mesh=mesh)
    for net, mine in ((alone, batches), (sharded, batches[rank : rank + 1])):
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        (sum(net(batch).square().mean() for batch in mine) / len(mine)).backward()
        optimizer.step()
    whole = [each.full_tensor() for each in sharded.parameters()]
    for ours, theirs in zip(whole, alone.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)
    print("hsdp", hashlib.sha256(b"".join(each.detach().numpy().tobytes() for each in whole)).hexdigest()[:12], flush=True)

# Tensor parallelism over the shards.
parallel = parallelize_module(model(), mesh["shards"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
torch.testing.assert_close(parallel(batches[0]), model()(batches[0]))

# A group of some ranks with operations of its own, and its end.
some = dist.new_group([0, 2, 3])
if rank != 1:
    gathered = [torch.empty(1) for _ in range(3)]
    dist.all_gather(gathered, torch.tensor([float(rank)]), group=some)
    assert [each.item() for each in gathered] == [0, 2, 3]
    values = torch.tensor([float(rank)])
    dist.broadcast(values, src=2, group=some)
    assert values.item() == 2
    if rank == 0:
        dist.send(torch.tensor([7.0]), dst=3, group=some)
    if rank == 3:
        dist.recv(values, src=0, group=some)
        assert values.item() == 7
    dist.destroy_process_group(some)
pair, _ = dist.new_subgroups(2)
assert summed(pair) == (3 if rank < 2 else 7)

if rank == 3:
    os.kill(os.getpid(), signal.SIGKILL)
assert summed(row) == 3, "rank 2 is alone in its row"
assert summed(column) == (4 if rank % 2 == 0 else 2), "and rank 1 in its column"
assert summed(dist.group.WORLD) == 6
assert dist.get_world_size() == 3
dist.destroy_process_group()
print("end", flush=True)
