"""A collective passes its deadline, because rank 1 makes none in time. Arguments: world."""

import sys

import torch
import torch.distributed as dist

from hearth_train import DeadlineError, ReenterableError

world = int(sys.argv[1])
dist.init_process_group("hearth", world_size=world, pg_options={"deadline": "2s"})
rank = dist.get_rank()
if rank == 1:
    try:
        dist.recv(torch.ones(1), 0)  # so it makes no call until the deadline has passed
    except RuntimeError as right:
        print("transfer", right, flush=True)
try:
    dist.all_reduce(torch.ones(1))
except (DeadlineError, ReenterableError) as right:
    assert "dist.init_process_group()" in str(right), right
    print("named", right, flush=True)
assert (dist.get_rank(), dist.get_world_size()) == (rank, world), "no rank takes itself for the first"
dist.destroy_process_group()
print("end", flush=True)
