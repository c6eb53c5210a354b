"""A signal comes while DDP's backward pass waits for a rank that makes none. Arguments: world, "interrupt" or "terminate"."""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist

dist.init_process_group("hearth", world_size=int(sys.argv[1]))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
for _ in range(3):
    model(torch.ones(1, 64)).sum().backward()
rank = dist.get_rank()
print("rank", rank, os.getpid(), flush=True)
if rank == 1:
    signal.pause()  # until the test kills it
if sys.argv[2] == "terminate":

    def handler(*_):
        print("handler", time.monotonic(), flush=True)
        os._exit(3)

    signal.signal(signal.SIGTERM, handler)
else:
    signal.signal(signal.SIGINT, signal.default_int_handler)
loss = model(torch.ones(1, 64)).sum()
print("backward begins", flush=True)
try:
    loss.backward()
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
