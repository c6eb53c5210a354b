"""Ranks that make different calls. Arguments: world."""

import sys
import time

import numpy as np

import hearth_train as hearth

group = hearth.init(world_size=int(sys.argv[1]))
hearth.barrier()
for mine, its, texts in (
    (np.ones(4, "float32"), np.ones(5, "float32"), ("4 float32", "5 float32")),
    (np.ones(4, "float32"), np.ones(4, "float64"), ("4 float32", "4 float64")),
):
    start = time.monotonic()
    try:
        hearth.allreduce(mine if group.rank == 0 else its)
    except hearth.MismatchError as named:
        assert all(text in str(named) for text in texts), named
        print("named", round(time.monotonic() - start, 3))
    assert hearth.allreduce(np.ones(1))[0] == group.world_size
try:
    if group.rank == 0:
        hearth.allreduce(np.ones(4))
    else:
        hearth.barrier()
except hearth.MismatchError as named:
    assert "all-reduce" in str(named), named
    assert "barrier" in str(named), named
    print("named", 0)
hearth.close()
