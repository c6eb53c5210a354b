"""All operations of torch.distributed and what is made of them, each compared with what it must give. Arguments: world, folder."""

import copy
import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.algorithms.join import Join
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

world = int(sys.argv[1])
dist.init_process_group("hearth", world_size=world)
rank = dist.get_rank()
ranks = range(world)
assert (dist.get_world_size(), dist.get_backend()) == (world, "hearth")
last = world - 1
total = world * (world + 1) / 2


def check(found, *expected):
    """Compare a tensor, or several, with numbers."""
    tensors = found if isinstance(found, list) else [found]
    assert [each.tolist() for each in tensors] == list(expected), (found, expected)


# reductions
integers = (torch.int32, torch.int64, torch.int8, torch.uint8)
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, *integers):
    for operation, value in (
        (dist.ReduceOp.SUM, total),
        (dist.ReduceOp.MIN, 1),
        (dist.ReduceOp.MAX, world),
        (dist.ReduceOp.PRODUCT, torch.tensor([each + 1 for each in ranks]).prod().item()),
    ):
        x = torch.full((5,), rank + 1, dtype=dtype)
        dist.all_reduce(x, op=operation)
        check(x, [value] * 5)
x = torch.tensor([float(rank)])
dist.all_reduce(x, op=dist.ReduceOp.AVG)
check(x, [(world - 1) / 2])
x = torch.arange(6.0).view(2, 3).t()  # not contiguous
dist.all_reduce(x)
check(x, [[0, 3 * world], [world, 4 * world], [2 * world, 5 * world]])
x = torch.tensor([rank == 0, False])
dist.all_reduce(x)
check(x, [True, False])
dist.all_reduce(torch.zeros(0))
x = torch.tensor([1 + 2j * (rank + 1)])
dist.all_reduce(x)
check(x, [world + 2j * total])
x = torch.full((3,), rank + 1.0)
dist.reduce(x, dst=last)
if rank == last:
    check(x, [total] * 3)
x = torch.ones(3)
dist.all_reduce(x, async_op=True).wait()
check(x, [world] * 3)
check(dist.all_reduce(x, async_op=True).get_future().wait(), [world**2] * 3)
x = torch.ones(1)
dist.all_reduce(x, group=dist.new_group())
check(x, [world])
check(functional.all_reduce(torch.ones(2), "sum", list(ranks)), [world] * 2)
dist.barrier()

# blocks of all ranks
blocks = [torch.zeros(3) for _ in ranks]
dist.all_gather(blocks, torch.full((3,), float(rank)))
check(blocks, *([each] * 3 for each in ranks))
x = torch.zeros(2 * world)
dist.all_gather_into_tensor(x, torch.full((2,), float(rank)))
check(x, [each for each in ranks for _ in range(2)])
x = torch.zeros(2)
dist.reduce_scatter_tensor(x, torch.arange(2.0 * world) + rank)
check(x, [world * each + total - world for each in (2 * rank, 2 * rank + 1)])
dist.reduce_scatter(x, [torch.full((2,), float(each)) for each in ranks])
check(x, [world * rank] * 2)
blocks = [torch.zeros(1) for _ in ranks] if rank == 0 else None
dist.gather(torch.tensor([float(rank)]), blocks, dst=0)
if blocks:
    check(blocks, *([each] for each in ranks))
x = torch.zeros(1)
dist.scatter(x, [torch.tensor([each * 10.0]) for each in ranks] if rank == 0 else None, src=0)
check(x, [rank * 10])
x = torch.zeros(world)
dist.all_to_all_single(x, torch.arange(float(world)) + 10 * rank)
check(x, [rank + 10 * each for each in ranks])
blocks = [torch.zeros(each + 1) for each in ranks]
dist.all_to_all(blocks, [torch.full((rank + 1,), float(rank)) for _ in ranks])
check(blocks, *([each] * (each + 1) for each in ranks))

# several tensors in one call
x = torch.full((2,), rank + 1.0)
dist.all_reduce_coalesced([x], op=dist.ReduceOp.MAX)
check(x, [world] * 2)
with dist._coalescing_manager():
    dist.all_reduce(x)
    dist.all_reduce(x)
check(x, [world**3] * 2)
lists = [[torch.zeros(2), torch.zeros(3)] for _ in ranks]
dist.all_gather_coalesced(lists, [torch.full((2,), float(rank)), torch.full((3,), rank + 1.0)])
for each, (one, other) in enumerate(lists):
    check([one, other], [each] * 2, [each + 1] * 3)
outputs = [torch.zeros(world), torch.zeros(2 * world)]
group = dist.group.WORLD
group.allgather_into_tensor_coalesced(outputs, [torch.full((1,), float(rank)), torch.full((2,), float(rank))]).wait()
check(outputs, list(ranks), [each for each in ranks for _ in range(2)])
outputs = [torch.zeros(1), torch.zeros(2)]
group.reduce_scatter_tensor_coalesced(outputs, [torch.arange(float(world)), torch.arange(2.0 * world)]).wait()
check(outputs, [world * rank], [world * 2 * rank, world * (2 * rank + 1)])
check(functional.all_reduce_coalesced([torch.ones(1), torch.ones(2)], "sum", list(ranks)), [world], [world] * 2)
outputs = functional.all_gather_into_tensor_coalesced(
    [torch.full((1,), float(rank)), torch.full((2,), float(rank))], list(ranks)
)
check(outputs, list(ranks), [each for each in ranks for _ in range(2)])
blocks = [torch.arange(float(world)), torch.arange(2.0 * world)]
outputs = functional.reduce_scatter_tensor_coalesced(blocks, "sum", [0, 0], list(ranks))
check(outputs, [world * rank], [world * 2 * rank, world * (2 * rank + 1)])

# from one rank
x = torch.full((3,), float(rank))
dist.broadcast(x, src=last)
check(x, [last] * 3)
x = torch.tensor([42.0 if rank == 0 else 0.0])
if world > 1 and rank == 0:
    dist.send(x, 1)
elif rank == 1:
    dist.recv(x, 0)
    check(x, [42])
if world > 1:
    x = torch.zeros(1)
    operations = [
        dist.P2POp(dist.isend, torch.tensor([float(rank)]), (rank + 1) % world),
        dist.P2POp(dist.irecv, x, (rank - 1) % world),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    check(x, [(rank - 1) % world])

# objects
objects = [None] * world
dist.all_gather_object(objects, "x" * rank * 100)
assert objects == ["x" * each * 100 for each in ranks]
objects = [rank, "a"] if rank == 0 else [None, None]
dist.broadcast_object_list(objects)
assert objects == [0, "a"]
objects = [None] * world if rank == 0 else None
dist.gather_object(rank, objects)
assert objects == (list(ranks) if rank == 0 else None)
objects = [None]
dist.scatter_object_list(objects, [f"for {each}" for each in ranks] if rank == 0 else None)
assert objects == [f"for {rank}"]


def train(model, optimizer, steps):
    """Train on values that each rank has for itself."""
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(8, 20)).sum().backward()
        optimizer.step()


def check_equal(what, parameters):
    """Compare the weights of all ranks to the bit."""
    flat = torch.cat([each.detach().double().flatten() for each in parameters])
    everyone = [torch.zeros_like(flat) for _ in ranks]
    dist.all_gather(everyone, flat)
    assert all(torch.equal(each, flat) for each in everyone), what


class Distant(torch.Tensor):
    """A tensor that claims to be on Apple's GPU: a call may only copy it to the CPU and back."""

    is_cpu = False
    is_mps = True

    def to(self, device):
        assert device == "cpu"
        return self.as_subclass(torch.Tensor).clone()

    def data_ptr(self):
        raise AssertionError("this memory is not the CPU's")


def distant(value, length=3):
    return torch.full((length,), float(value)).as_subclass(Distant)


def check_distant(found, *expected):
    check([each.as_subclass(torch.Tensor) for each in found], *expected)


x = distant(rank + 1)
group.allreduce([x]).wait()
check_distant([x], [total] * 3)
group.broadcast([x := distant(rank)]).wait()
check_distant([x], [0] * 3)
blocks = [distant(-1) for _ in ranks]
group.allgather([blocks], [distant(rank)]).wait()
check_distant(blocks, *([each] * 3 for each in ranks))
x = distant(-1, 1)
group.reduce_scatter([x], [[distant(each, 1) for each in ranks]]).wait()
check_distant([x], [world * rank])

# training
torch.manual_seed(rank)
model = nn.Sequential(nn.Linear(20, 30), nn.BatchNorm1d(30), nn.ReLU(), nn.Linear(30, 3))
model = DistributedDataParallel(model)
train(model, torch.optim.SGD(model.parameters(), 0.1), 5)
check_equal("DDP", model.parameters())
model.zero_grad()
data = torch.randn(8, 20)
with model.no_sync():
    model(data).sum().backward()
own = [each.grad.clone() for each in model.parameters()]
model.zero_grad()
model(data).sum().backward()
for before, each in zip(own, model.parameters(), strict=True):
    dist.all_reduce(before, op=dist.ReduceOp.AVG)
    torch.testing.assert_close(each.grad, before)

model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 300), nn.ReLU(), nn.Linear(300, 3)))
model.register_comm_hook(powerSGD_hook.PowerSGDState(None, 1, start_powerSGD_iter=2), powerSGD_hook.powerSGD_hook)
train(model, torch.optim.SGD(model.parameters(), 0.01), 6)
check_equal("PowerSGD", model.parameters())

model = DistributedDataParallel(nn.Linear(20, 3))
model.register_comm_hook(None, default_hooks.bf16_compress_hook)
train(model, torch.optim.SGD(model.parameters(), 0.01), 2)
check_equal("bf16", model.parameters())

model = DistributedDataParallel(nn.Linear(20, 3))
train(model, ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam, lr=0.01), 3)
check_equal("ZeRO", model.parameters())

model = DistributedDataParallel(nn.Linear(20, 3))
with Join([model]):
    train(model, torch.optim.SGD(model.parameters(), 0.01), 2 + rank)
check_equal("Join", model.parameters())

# a model in parts, and its checkpoint
torch.manual_seed(0)  # FSDP2 takes the weights of all ranks for equal
model = nn.Sequential(nn.Linear(20, 30), nn.Linear(30, 3))
whole = DistributedDataParallel(copy.deepcopy(model))
shards = not torch.__version__.startswith("2.6.")  # there FSDP2 needs a GPU
if shards:
    mesh = init_device_mesh("cpu", (world,))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    for each in (model, whole):
        torch.manual_seed(1 + rank)
        train(each, torch.optim.SGD(each.parameters(), 0.01), 2)
    for part, expected in zip(model.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(part.full_tensor(), expected)
state = {"model": model.state_dict()}
saved = {name: value.clone() for name, value in model.state_dict().items()}
for save in (dcp.save, lambda *arguments, **named: dcp.async_save(*arguments, **named).result()):
    save(state, checkpoint_id=sys.argv[2])
    with torch.no_grad():
        for each in model.parameters():
            each.zero_()
    dcp.load(state, checkpoint_id=sys.argv[2])
    for name, value in model.state_dict().items():
        local, before = (each.to_local() if shards else each for each in (value, saved[name]))
        assert torch.equal(local, before), name

with torch.device("meta"):  # a script's default device
    ones = torch.ones(3, device="cpu")
    dist.all_gather([torch.empty(3, device="cpu") for _ in ranks], ones)
    dist.all_to_all([torch.empty(1, device="cpu") for _ in ranks], [torch.ones(1, device="cpu") for _ in ranks])
dist.destroy_process_group()
print("end")
