"""One replica of a training with torchft, for the lab: python train.py ADDRESS NAME. It prints a line of JSON for each step."""
import json
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo

address, name = sys.argv[1:]
torch.manual_seed(1)
store = dist.TCPStore(address, 0, is_master=True, wait_for_workers=False)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
inner = torch.optim.SGD(model.parameters(), lr=0.001)


def load(state):
    model.load_state_dict(state["model"])
    inner.load_state_dict(state["optimizer"])


manager = Manager(
    pg=ProcessGroupGloo(timeout=timedelta(seconds=2)),  # else a rank of a broken sum waits longer than for a quorum
    min_replica_size=2,
    load_state_dict=load,
    state_dict=lambda: {"model": model.state_dict(), "optimizer": inner.state_dict()},
    replica_id=name,
    rank=0,
    world_size=1,
    store_addr=address,
    store_port=store.port,
    hostname=address,
    timeout=timedelta(seconds=30),
    quorum_timeout=timedelta(seconds=60),
)
data = DistributedDataParallel(manager, model)
optimizer = Optimizer(manager, inner)
while True:
    optimizer.zero_grad()
    loss = data(torch.randn(32, 64)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(
        json.dumps(
            {
                "step": manager.current_step(),
                "members": manager.num_participants(),
                "quorum": manager._quorum_id,  # torchft shows it nowhere else
                "seconds": time.monotonic(),
                "loss": round(loss.item(), 5),
            }
        ),
        flush=True,
    )
