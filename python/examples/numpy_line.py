"""Fits a line with NumPy; machines may come and go. Start it on each machine, or several times on this one.

python numpy_line.py [steps]
"""

import sys

import numpy as np

import hearth_train as hearth

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
line = np.zeros(2)  # slope and height; the data is y = 3 x + 1
group = hearth.init(world_size=2)
group.share("line", line)
for step in group.steps(steps):
    random = np.random.default_rng([step, group.rank])  # each rank has its own data
    x = random.random(32)
    error = line[0] * x + line[1] - (3 * x + 1)
    gradient = np.array([(error * x).mean(), error.mean()])
    try:
        line -= 0.5 * hearth.allreduce(gradient, "avg")
    except hearth.ReenterableError:  # this machine slept, and the others went on: the next step takes it back
        continue
print(f"y = {line[0]:.3f} x + {line[1]:.3f}, after {steps} steps, {group.world_size} ranks")
hearth.close()
