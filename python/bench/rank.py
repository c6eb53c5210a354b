"""One rank of a measurement: all-reduces and DDP steps of torch. Arguments: backend, rank, world, port, divisor of repetitions.

Prints a line when it has imported torch, waits for a line, and prints JSON if it is rank 0.
"""

import json
import os
import resource
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

backend, rank, world, port, divisor = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
print("imported", flush=True)
sys.stdin.readline()
begin = time.perf_counter()
if backend == "hearth":
    dist.init_process_group("hearth", world_size=world)
else:
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group(backend)
found = {"init_s": time.perf_counter() - begin}


def median(seconds: list[float]) -> float:
    """Return the median in milliseconds."""
    return sorted(seconds)[len(seconds) // 2] * 1e3


def reduce(elements: int, times: int, *, is_async: bool) -> float:
    """Time ``times`` all-reduces of ``elements`` float32; return the median in milliseconds."""
    values = torch.ones(elements)
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work = dist.all_reduce(values, async_op=is_async)
        if work is not None and is_async:
            work.get_future().wait()
        taken.append(time.perf_counter() - start)
        values.fill_(1)
    return median(taken)


torch.manual_seed(0)
layers = [layer for _ in range(6) for layer in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]
model = DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=4)  # 25 MB of gradients
data = torch.randn(32, 1024)
steps = []
for _ in range(300 // divisor):
    start = time.perf_counter()
    model(data).square().mean().backward()
    steps.append(time.perf_counter() - start)
found["ddp_first_50_ms"] = median(steps[: 50 // divisor])  # Java compiles meanwhile
found["ddp_step_ms"] = median(steps[150 // divisor :])
found["resident_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

found["cold_4KiB_ms"] = reduce(1024, 500 // divisor, is_async=False)
for name, elements, times in (("4KiB", 1024, 4000), ("4MiB", 1 << 20, 150), ("64MiB", 16 << 20, 30)):
    reduce(elements, min(15_000, (1 << 28) // elements) // divisor, is_async=False)  # 1 GiB at most, as `hearth bench` warms up
    found[f"sync_{name}_ms"] = reduce(elements, times // divisor, is_async=False)
    found[f"async_{name}_ms"] = reduce(elements, times // divisor, is_async=True)
if backend == "hearth":  # what one call into the JVM and back costs, and one into C
    import ctypes
    import timeit

    import hearth_train
    from hearth_train import _jvm

    ask, handle = _jvm.table().rank, hearth_train.group().handle
    in_c = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(("labs", ctypes.CDLL(None)))
    for name, call in (("call_us", "ask(handle)"), ("c_call_us", "in_c(handle)")):
        seconds = timeit.repeat(call, globals=globals(), number=10_000, repeat=29)
        found[name] = min(seconds[20:]) * 100  # Java compiles its side during the others
        found["cold_" + name] = seconds[0] * 100
if rank == 0:
    print(json.dumps(found), flush=True)
dist.destroy_process_group()
