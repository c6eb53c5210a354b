"""MLX's gradients, in place. Arguments: world."""

import ctypes
import sys

import mlx.core as mx

import hearth_train as hearth
from hearth_train.mlx import average_gradients


def address(array):
    return ctypes.addressof(ctypes.c_char.from_buffer(memoryview(array).cast("B")))


world = int(sys.argv[1])
group = hearth.init(world_size=world)
tree = {"a": mx.full((1000,), group.rank + 1.0), "b": [mx.full((3, 3), float(group.rank)), mx.ones((5,), mx.bfloat16)]}
mx.eval(tree)
before = address(tree["a"])
mean = average_gradients(tree)
assert mean["a"].tolist() == [(world + 1) / 2] * 1000
assert mean["b"][0].tolist() == [[(world - 1) / 2] * 3] * 3
assert mean["b"][1].tolist() == [1.0] * 5
assert mean["b"][1].dtype == mx.bfloat16
assert address(mean["a"]) == before, "a copy was made"
half = average_gradients({"a": mx.full((10,), group.rank + 1.0)}, communication_type=mx.float16)
assert half["a"].dtype == mx.float32
assert half["a"].tolist() == [(world + 1) / 2] * 10
hearth.close()
print("end")
