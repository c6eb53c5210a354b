"""A loop over steps with a machine that sleeps in the middle of one, as in docs/python.md. Arguments: world, "sleeps"."""

import os
import signal
import sys
import time

import numpy as np

import hearth_train as hearth

group = hearth.init(world_size=int(sys.argv[1]))
state = np.zeros(1)
group.share("state", state)
steps_after = -1  # how many steps this rank has made since it slept
for step in group.steps(1_000_000):
    if sys.argv[-1] == "sleeps" and step == 40:
        print("sleeps in", step, flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    sums = np.array([1.0 + step, steps_after >= 20])
    try:
        hearth.allreduce(sums)
    except hearth.ReenterableError as slept:
        print("slept", slept, flush=True)
        steps_after = 0
        continue
    state += sums[0]
    steps_after += steps_after >= 0
    if step % 20 == 0:
        print("step", step, group.world_size, flush=True)
    if sums[1]:
        break
    time.sleep(0.01)
print("end", step, group.world_size, state[0], flush=True)
hearth.close()
