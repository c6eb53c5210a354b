"""Fits a line with MLX, whose gradients Hearth averages in place. Start it on two machines, or twice on this one."""

import mlx.core as mx
import mlx.optimizers as optim
from mlx import nn

import hearth_train as hearth
from hearth_train.mlx import average_gradients

group = hearth.init(world_size=2)
mx.random.seed(0)
model = nn.Linear(1, 1)
optimizer = optim.SGD(learning_rate=0.5)
step = nn.value_and_grad(model, lambda m, x, y: nn.losses.mse_loss(m(x), y))
for number in range(200):
    x = mx.random.uniform(shape=(32, 1), key=mx.random.key(number * 2 + group.rank))  # each rank has its own data
    _, gradients = step(model, x, 3 * x + 1)
    optimizer.update(model, average_gradients(gradients))
print(f"rank {group.rank}: y = {model.weight.item():.3f} x + {model.bias.item():.3f}")
hearth.close()
