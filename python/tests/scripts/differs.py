"""Shares an array that differs on all ranks when a step begins. Arguments: world."""

import sys

import numpy as np

import hearth_train as hearth

STEPS = 6

with hearth.init(world_size=int(sys.argv[1])) as group:
    own = np.zeros(8, "float32")
    hearth.share("own", own)
    for _ in hearth.steps(STEPS):
        own[:] = group.rank + 1
print("end", own[0])
