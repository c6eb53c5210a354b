"""DDP with on_loss=fail-fast: an exception in backward, and a new model on the same group. Arguments: world."""

import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("hearth", world_size=int(sys.argv[1]), pg_options={"on_loss": "fail-fast"})
model = torch.nn.Linear(64, 10)
wrapped = DistributedDataParallel(model)
print("start", dist.get_rank(), flush=True)
after = 0
while after < 20:
    try:
        wrapped(torch.randn(8, 64)).square().mean().backward()
        after += dist.get_world_size() < int(sys.argv[1])
    except RuntimeError as lost:
        assert "lost" in str(lost), lost
        print("named", str(lost).replace(" ", "_"), flush=True)
        wrapped = DistributedDataParallel(model)
    time.sleep(0.005)
dist.destroy_process_group()
print("end", flush=True)
