"""A subgroup of two of three ranks that one member does not call: an error on all of them, soon. Arguments: world (3)."""

import sys
import time

import torch
import torch.distributed as dist

dist.init_process_group("hearth", world_size=int(sys.argv[1]))
rank = dist.get_rank()
pair = dist.new_group([0, 1])
if rank < 2:
    value = torch.ones(1)
    dist.all_reduce(value, group=pair)
    assert value.item() == 2
start = time.monotonic()
try:
    if rank == 0:
        dist.all_reduce(torch.ones(1), group=pair)
    else:
        dist.all_reduce(torch.ones(1))
    raise AssertionError("order")
except RuntimeError as right:
    assert "of a subgroup" in str(right), right
    assert "of the whole group" in str(right), right
print("named", round(time.monotonic() - start, 3), flush=True)
dist.destroy_process_group()
dist.init_process_group("hearth", world_size=int(sys.argv[1]))
value = torch.ones(1)
dist.all_reduce(value)
assert value.item() == int(sys.argv[1])
dist.destroy_process_group()
print("end", flush=True)
