"""Calls of a group and a subgroup in two orders: an error on both ranks, soon. Arguments: world (2)."""

import sys
import time

import numpy as np

import hearth_train as hearth

group = hearth.init(world_size=int(sys.argv[1]))
values = np.ones(4, np.float32)
pair = group.split([1, 0])
assert (pair.rank, pair.world_size) == (1 - group.rank, 2)
assert pair.allreduce(values)[0] == 2
assert group.split([1 - group.rank]) is None
pair.close()
try:
    pair.barrier()
    raise AssertionError("closed")
except hearth.HearthError as right:
    assert "closed" in str(right)
some = group.split([0, 1]) if group.rank == 0 else group  # rank 1 does not make it
start = time.monotonic()
try:
    some.allreduce(values)
    raise AssertionError("order")
except hearth.MismatchError as right:
    assert "of a subgroup" in str(right), right
    assert "of the whole group" in str(right), right
print("named", round(time.monotonic() - start, 3), flush=True)
group.close()
print("end", flush=True)
