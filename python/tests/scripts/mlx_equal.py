"""Hearth's averages and those of mx.distributed, to the bit. Arguments: world, the file that names MLX's addresses."""

import os
import sys

import mlx.core as mx
import numpy as np
from mlx import nn

import hearth_train as hearth
from hearth_train.mlx import average_gradients

world = int(sys.argv[1])
group = hearth.init(world_size=world)
os.environ.update(MLX_RANK=str(group.rank), MLX_HOSTFILE=sys.argv[2])
ring = mx.distributed.init(backend="ring", strict=True)
assert (ring.rank(), ring.size()) == (group.rank, world)
for dtype in (mx.float32, mx.float16, mx.bfloat16):
    for length in (1, 7, 1000, 100_003):
        values = mx.random.normal((length,), key=mx.random.key(group.rank)).astype(dtype)
        expected = nn.average_gradients({"a": values}, ring)["a"]
        mx.eval(expected)
        found = average_gradients({"a": values})["a"]
        as_bits = [np.array(each.view(mx.uint32 if dtype == mx.float32 else mx.uint16)) for each in (found, expected)]
        assert np.array_equal(*as_bits), (dtype, length)
hearth.close()
print("end")
