"""A script of Gloo's, as if Hearth were not installed. Arguments: environment or arguments, rank, world, port."""

import os
import sys

import torch
import torch.distributed as dist

way, rank, world, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
if way == "environment":
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo")
else:
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
one = torch.ones(1)
dist.all_reduce(one)
assert one.item() == world
assert dist.get_backend() == "gloo"
assert not sys.modules["hearth_train._jvm"].is_ours(), "a JVM was started"
dist.destroy_process_group()
print("end")
