"""Mistakes with torch: each is an exception that says what to do, and the group works on. Arguments: world."""

import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

from hearth_train import HearthError, MismatchError
from hearth_train.torch import compress

try:
    dist.init_process_group("hearth", world_size=1, pg_options={"compression": "topk:0.01"})
except ValueError as right:
    assert "hearth_train.torch.compress(model, 'topk:0.01')" in str(right), right
else:
    raise AssertionError("compression")

os.environ["TORCH_DIST_INIT_BARRIER"] = "1"  # torch fails with it when the group is open already
try:
    dist.init_process_group("hearth", f"hearth://alone-{os.getpid()}", world_size=1)
except ValueError as right:
    assert "TORCH_DIST_INIT_BARRIER" in str(right), right
else:
    raise AssertionError("barrier")
assert not dist.is_initialized()
del os.environ["TORCH_DIST_INIT_BARRIER"]
dist.init_process_group("hearth", world_size=int(sys.argv[1]))
world, rank = dist.get_world_size(), dist.get_rank()
narrow = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).bfloat16())
words = torch.nn.parallel.DistributedDataParallel(torch.nn.Embedding(4, 2, sparse=True))
group = dist.group.WORLD
freed = torch.ones(4)
freed.untyped_storage().resize_(0)


def all_to_all_with_other_sizes():
    dist.all_to_all_single(torch.ones(world), torch.ones(world + rank), [1] * world, [1 + rank] + [1] * (world - 1))


def transfer_of_other_sizes():
    if rank == 0:
        dist.send(torch.ones(1), 1)
    else:
        dist.recv(torch.ones(2), 0)


own = torch.ones(rank + 1)
for name, wrong, kind, text in (
    ("bitwise", lambda: dist.all_reduce(torch.ones(1, dtype=torch.int32), op=dist.ReduceOp.BAND), ValueError, "not supported"),
    ("complex", lambda: group.allreduce([torch.ones(1, dtype=torch.complex64)]), TypeError, "view_as_real"),
    ("int16", lambda: dist.all_reduce(torch.ones(1, dtype=torch.int16)), TypeError, "int16"),
    ("freed", lambda: dist.all_reduce(freed), ValueError, "freed"),
    ("meta", lambda: dist.all_reduce(torch.ones(1, device="meta")), TypeError, "meta"),
    ("sparse", lambda: dist.all_reduce(torch.eye(3).to_sparse()), TypeError, "to_dense"),
    ("sizes", lambda: dist.all_reduce(torch.ones(rank + 1)), MismatchError, "1 float32"),
    ("broadcast", lambda: dist.broadcast(own, 1), MismatchError, "1 float32"),
    ("gather", lambda: dist.gather(own, [own] * world if rank == 0 else None), MismatchError, "1 float32"),
    ("scatter", lambda: dist.scatter(own, [torch.ones(1)] * world if rank == 0 else None), MismatchError, "1 float32"),
    ("transfer", transfer_of_other_sizes, MismatchError, "1 float32"),
    ("anybody", lambda: dist.recv(torch.ones(1)), ValueError, "pass src="),
    ("gradients", lambda: words(torch.tensor([rank])).sum().backward(), TypeError, "to_dense"),
    ("types", lambda: dist.all_reduce(torch.ones(1, dtype=(torch.float32, torch.float64)[rank])), MismatchError, "float64"),
    ("output", lambda: dist.reduce_scatter_tensor(torch.ones(2), torch.ones(2 * world + 1)), ValueError, "reduce_scatter"),
    ("gathered", lambda: dist.all_gather_into_tensor(torch.ones(2 * world + 1), torch.ones(2)), ValueError, "all_gather of 2"),
    ("splits", all_to_all_with_other_sizes, MismatchError, "all_to_all: rank 1 sends 2 elements to rank 0, which expects 1"),
    ("kinds", lambda: dist.all_to_all([torch.ones(1)] * world, [torch.ones(1).double()] * world), ValueError, "float64"),
    ("tag", lambda: dist.send(torch.ones(1), (rank + 1) % world, tag=3), ValueError, "tag"),
    ("codec", lambda: compress(narrow, "int8"), TypeError, "the parameter weight is of torch.bfloat16"),
    ("model", lambda: compress(torch.nn.Linear(2, 2), "int8"), TypeError, "DistributedDataParallel model"),
    ("beside", lambda: dist.new_group(backend="gloo"), ValueError, "leave the backend out"),
    ("twice", lambda: dist.init_process_group("hearth"), ValueError, "twice"),
):
    start = time.monotonic()
    try:
        wrong()
    except kind as right:
        assert text in str(right), (name, right)
    else:
        raise AssertionError(name)
    print("named", name, round(time.monotonic() - start, 3), flush=True)
    one = torch.ones(1)
    dist.all_reduce(one)
    assert one.item() == world, name
one = torch.ones(1)
if rank == 1:
    dist.recv(torch.ones(1), 0)  # so that the sum cannot end before rank 0 has given up to wait for it
work = dist.all_reduce(one, async_op=True)
if rank == 0:
    try:
        work.wait(timedelta(milliseconds=100))
    except TimeoutError as right:
        print("named timeout", right, flush=True)
    else:
        raise AssertionError("timeout")
    dist.send(torch.ones(1), 1)
work.wait(timedelta(0))  # as torch says that there is no limit
assert one.item() == world
if not torch.__version__.startswith("2.6."):  # which has it for Gloo alone
    if rank == 1:
        dist.recv(torch.ones(1), 0)  # so that it does not come before rank 0 has given up to wait for it
        dist.monitored_barrier()
    if rank == 0:
        try:
            dist.monitored_barrier(timeout=timedelta(milliseconds=100))
        except HearthError as right:
            print("named barrier", right, flush=True)
        else:
            raise AssertionError("barrier")
        dist.send(torch.ones(1), 1)
both = dist.new_group([1, 0])  # torch sorts them: all ranks
some = dist.new_group([0])
start = time.monotonic()
if rank == 0:
    dist.all_reduce(torch.ones(1), group=some)
dist.barrier(group=both)
print("named subgroup", round(time.monotonic() - start, 3), flush=True)
dist.destroy_process_group()
for closed, text in (
    (lambda: group.allreduce([torch.ones(1)]), "closed"),
    (lambda: dist.all_reduce(torch.ones(1)), "init_process_group"),
):
    try:
        closed()
    except (HearthError, ValueError) as right:
        print("named closed", type(right).__name__, right, flush=True)
        assert text in str(right), right
    else:
        raise AssertionError(text)
print("end", flush=True)
