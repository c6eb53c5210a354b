"""Steps with shared weights, until a file is there; a late one leaves after five. Arguments: file, "stay" or "visit"."""

import sys
from pathlib import Path

import numpy as np

import hearth_train as hearth

stop, role = Path(sys.argv[1]), sys.argv[2]
weights = np.zeros(100_000, "float32")
group = hearth.init(world_size=2)
group.share("weights", weights)
made = 0
for step in group.steps(1_000_000):
    hearth.allreduce(np.ones(10_000, "float32"), "avg")
    weights += 1
    made += 1
    if made == 10:
        print("trains now", flush=True)
    if role == "visit" and made == 5:
        assert step > 5, "it did not enter the training of the others"
        assert np.all(weights == step + 1), (weights[0], step)
        break
    if role == "stay" and stop.exists():
        break
print("end", made)
hearth.close()
