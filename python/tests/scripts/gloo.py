"""A script of Gloo's, as if Hearth were not installed. Arguments: environment or arguments, rank, world, port; or torchrun."""

import os
import sys

import torch
import torch.distributed as dist

way = sys.argv[1]
if way == "torchrun":
    dist.init_process_group("gloo")
    world = dist.get_world_size()
else:
    rank, world, port = map(int, sys.argv[2:5])
if way == "environment":
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo")
elif way == "arguments":
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
one = torch.ones(1)
dist.all_reduce(one)
assert one.item() == world
assert dist.get_backend() == "gloo"
assert not sys.modules["hearth_train._jvm"].is_ours(), "a JVM was started"
dist.destroy_process_group()
print("end")
