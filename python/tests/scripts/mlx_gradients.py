"""MLX's gradients, in place. Arguments: world."""

import ctypes
import sys

import mlx.core as mx
import numpy as np

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
half = average_gradients({"a": mx.full((10,), group.rank + 1.0, mx.bfloat16)})
assert half["a"].tolist() == [(world + 1) / 2] * 10

# views: one element for all, another order, every second element
rank = group.rank
weights = mx.ones((1000,))
for name, gradient in (
    ("unequal", mx.arange(12.0) + rank),
    ("broadcast", mx.grad(lambda each: (rank + 1) * mx.sum(each))(weights)),
    ("transposed", mx.grad(lambda each: mx.sum((mx.ones((2, 3)) * (rank + 1)) @ each.T * mx.arange(4.0)))(mx.ones((4, 3)))),
    ("spread", (mx.arange(20.0) + rank)[::2]),
    ("scalar", mx.array(float(rank))),
):
    mx.eval(gradient)
    everyone = hearth.allgather(np.ascontiguousarray(gradient))
    mean = average_gradients({"a": gradient})["a"]
    assert np.allclose(np.array(mean), everyone.mean(0)), name
    assert np.array_equal(np.array(gradient), np.array(mean)), f"{name}: the gradients hold the averages"
assert weights.tolist() == [1.0] * 1000
view = mx.broadcast_to(mx.array([1.0]), (1000,))
mx.eval(view)
try:
    hearth.allreduce(view)
except ValueError as named:
    assert "one behind the other" in str(named), named
else:
    raise AssertionError("an array of one element was summed as 1000")

# what a sum leaves out stays with its name
sent = average_gradients({"w": mx.arange(1000.0)}, compression="topk:0.01", name="one")["w"]
assert 0 < np.count_nonzero(np.array(sent)) < 500
for other, path in (("two", "w"), ("one", "b")):
    mean = average_gradients({path: mx.zeros((1000,))}, compression="topk:0.01", name=other)[path]
    assert not np.array(mean).any(), (other, path)
assert np.array(average_gradients({"w": mx.zeros((1000,))}, compression="topk:0.01", name="one")["w"]).any()
deep = average_gradients({"deep" * 100: mx.arange(1000.0)}, compression="topk:0.01")["deep" * 100]
assert np.array(deep).any(), "a long path"
hearth.close()
print("end")
