"""JAX's arrays. Arguments: world."""

import sys

import jax.numpy as jnp

import hearth_train as hearth
from hearth_train.jax import allreduce

world = int(sys.argv[1])
group = hearth.init(world_size=world)
x = jnp.full((4, 2), group.rank + 1.0)
assert allreduce(x).tolist() == [[world * (world + 1) / 2] * 2] * 4
assert x[0, 0] == group.rank + 1
tree = allreduce({"w": jnp.ones(3, jnp.bfloat16), "b": jnp.full(2, group.rank, jnp.int32)}, "max")
assert tree["w"].dtype == jnp.bfloat16
assert tree["w"].tolist() == [1.0] * 3
assert tree["b"].tolist() == [world - 1] * 2

# what a sum leaves out stays with its name
ramp = jnp.arange(1000.0)
sent = allreduce({"w": ramp}, compression="topk:0.01", name="one")["w"]
assert 0 < jnp.count_nonzero(sent) < 500
assert not allreduce({"w": jnp.zeros(1000)}, compression="topk:0.01", name="two")["w"].any(), "another name's rest"
assert not allreduce({"b": jnp.zeros(1000)}, compression="topk:0.01", name="one")["b"].any(), "another path's rest"
assert allreduce({"w": jnp.zeros(1000)}, compression="topk:0.01", name="one")["w"].any()
assert allreduce({"deep" * 100: ramp}, compression="topk:0.01")["deep" * 100].any(), "a long path"
hearth.close()
print("end")
