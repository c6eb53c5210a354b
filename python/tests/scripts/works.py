"""Calls whose end is asked for in other ways than by one plain wait. Arguments: world."""

import contextlib
import sys

import numpy as np

import hearth_train as hearth

group = hearth.init(world_size=int(sys.argv[1]))
world = group.world_size
table = group._table

# more than Java's table of open calls holds; no wait
last = None
for number in range(4200):
    last = group.allreduce_async(np.full(8, number, "float32"))
assert last.wait() == world
for _ in range(300):
    work = group.allreduce_async(np.ones(1, "float32"))
    while not work.done():
        pass
assert hearth.allreduce(np.ones(1))[0] == world

# more than the queue of collectives holds, of arrays that nothing else keeps
values = [np.ones(100_000, "float32") for _ in range(200)]
for work in [group.allreduce_async(each) for each in values]:
    work.wait()
assert all((each == world).all() for each in values)


class Interrupted(BaseException):
    """What a signal's handler raises."""


def interrupted_after(name):
    """Let the next call of a function raise at once after it has ended, as a signal's handler does."""
    function = getattr(table, name)

    def call(*arguments):
        answer = function(*arguments)
        if name == "wait" and answer == -128:
            return answer
        setattr(table, name, function)
        raise Interrupted

    setattr(table, name, call)


def interrupt(call):
    try:
        call()
    except Interrupted:
        return
    raise AssertionError("was not interrupted")


# wait: the result is there all the same, and so is the error
work = group.allreduce_async(np.ones(3))
interrupted_after("wait")
interrupt(work.wait)
assert work.wait() == world
assert work.outcome.bytes_sent > 0
work = group.allreduce_async(np.ones(3 + group.rank))
interrupted_after("wait")
interrupt(work.wait)
try:
    work.wait()
except hearth.MismatchError as named:
    assert "3 float64" in str(named), named
else:
    raise AssertionError("no error")

# begin: Java has the memory, and nothing frees it
array = np.ones(5)
before = sys.getrefcount(array)
interrupted_after("all_reduce")
interrupt(lambda: group.allreduce_async(array))
hearth.barrier()
assert array.tolist() == [world] * 5
assert sys.getrefcount(array) > before, "the memory is free while Java writes it"
for _ in range(3):
    with contextlib.suppress(ValueError):
        group.broadcast(array, root=9)
assert len(group._beginning) == 1, "a call that was refused keeps its memory"

for array, out, text in (
    (np.ones(3, "float32"), np.ones((world, 3)), "float64"),
    (np.ones(3, "float32"), np.ones((world + 1, 3), "float32"), f"has {3 * world + 3} float32"),
    (np.ones(3, "float32"), np.ones((1, 3), "float32"), "has 3 float32"),
):
    try:
        group.allgather(array, out=out)
    except ValueError as named:
        assert text in str(named), named
    else:
        raise AssertionError(text)
hearth.barrier()
hearth.close()
print("end", flush=True)
