"""Weights that all share; a late one takes them over. Arguments: world, steps, seed."""

import sys
import time

import numpy as np

import hearth_train as hearth

world, total, seed = map(int, sys.argv[1:4])
weights = np.random.default_rng(seed).normal(size=10_000).astype("float32")
group = hearth.init(world_size=world)
group.share("weights", weights)
group.share_bytes("sampler", 1000)
group.set_bytes("sampler", f"place 0 of {seed}".encode())
for step in group.steps(total):
    if step == 0:
        print("sampler", group.get_bytes("sampler").decode().replace(" ", "-"))
    gradient = np.full(10_000, 0.001 * (group.rank + 1), "float32")
    hearth.allreduce(gradient, "avg")
    weights -= gradient
    if step % 10 == 0:
        print("step", step, group.world_size, float(weights.sum()), flush=True)
    group.set_bytes("sampler", f"place {step}".encode())
    time.sleep(0.02)
print("weights", weights.tobytes().hex()[:64], group.get_bytes("sampler").decode().replace(" ", "-"))
hearth.close()
