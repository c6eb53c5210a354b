"""Every call of the core, with NumPy and without."""

import array
import sys

import numpy as np

import hearth_train as hearth

world = int(sys.argv[1])
with hearth.init(world_size=world) as group:
    rank = group.rank
    assert group.world_size == world
    for dtype in ("float32", "float64", "float16", "int32", "int64", "int8", "uint8"):
        values = np.full((3, 2), rank + 1, dtype)
        assert hearth.allreduce(values) is values
        assert (values == world * (world + 1) / 2).all(), (dtype, values)
    assert hearth.allreduce(np.array([rank], "float32"), "avg")[0] == (world - 1) / 2
    assert hearth.allreduce(np.array([rank]), "max")[0] == world - 1
    assert hearth.allreduce(np.array([rank == 0, False]), "max").tolist() == [True, False]
    source = np.arange(4.0)
    into = np.empty(4)
    hearth.allreduce(source, out=into)
    assert into.tolist() == [0, world, 2 * world, 3 * world]
    assert source.tolist() == [0, 1, 2, 3]
    plain = array.array("f", [rank, 1])
    assert hearth.allreduce(plain).tolist() == [sum(range(world)), world]
    assert hearth.broadcast(bytearray([rank]), root=1) == b"\x01"
    assert hearth.allgather(np.array([rank, 7])).tolist() == [[each, 7] for each in range(world)]
    assert hearth.allgather([rank]).tolist() == [[each] for each in range(world)]
    assert hearth.allgather(1.5).shape == (world,)
    assert hearth.allgather(np.arange(6).reshape(2, 3).T)[-1].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert hearth.allreduce(np.zeros(0, "float32")).size == 0
    works = [hearth.allreduce_async(np.full(1000, each, "float32"), "avg", name=f"t{each}") for each in range(100)]
    for work in works:
        assert work.wait() == world
        assert work.done()
    if rank == 0:
        group.send(np.arange(5), to=1)
    if rank == 1:
        assert group.receive(np.zeros(5, int), source=0).tolist() == [0, 1, 2, 3, 4]
    hearth.barrier()
    dense = group.sent_bytes()
    gradient = np.random.default_rng(rank).normal(size=100_000).astype("float32")
    hearth.allreduce(gradient, "avg", compression="topk:0.01", name="gradient")
    assert group.sent_bytes() - dense < 100_000
    status = hearth.status()
    assert status["rank"] == rank
    assert status["world_size"] == world

    for wrong, kind, text in (
        (lambda: hearth.allreduce(np.zeros(2, complex)), TypeError, "complex128"),
        (lambda: hearth.allreduce(np.zeros(2, "int16")), TypeError, "int16"),
        (lambda: hearth.allreduce(np.zeros((4, 4))[:, ::2]), ValueError, "contiguous"),
        (lambda: hearth.allreduce(b"constant"), ValueError, "may be written"),
        (lambda: hearth.allreduce(np.zeros(2, "float32"), dtype="bfloat16"), TypeError, "elements of 4 bytes"),
        (lambda: hearth.allreduce(np.ones(2, ">f4"), dtype="float32"), TypeError, "another order"),
        (lambda: hearth.allreduce(np.full(100_000, np.nan, "float32"), compression="int8"), hearth.NonFiniteError, "NaN"),
        (lambda: group.set_bytes("loop", "text"), TypeError, "bytes-like"),
        (lambda: hearth.allreduce([1, 2]), TypeError, "has no buffer"),
        (lambda: hearth.allreduce(np.zeros(2), "xor"), ValueError, "op must be one of"),
        (lambda: hearth.allreduce(np.zeros(2, bool)), TypeError, "bools"),
        (lambda: hearth.allreduce(np.zeros(2), out=np.zeros(3)), ValueError, "out has 3"),
        (lambda: hearth.allreduce(np.zeros(2, "float32"), compression="zip"), ValueError, "zip"),
        (lambda: hearth.allreduce(np.zeros(2, "float32"), dtype="complex64"), TypeError, "complex64"),
        (lambda: hearth.broadcast(np.zeros(2), root=9), ValueError, "9"),
        (lambda: hearth.broadcast(np.zeros(2), root="0"), TypeError, "a rank must be an int"),
        (lambda: hearth.broadcast(np.zeros(2), root=1 << 40), ValueError, "the rank cannot be 1099511627776"),
        (lambda: group.send(np.zeros(2), to=rank), ValueError, "this rank"),
        (lambda: hearth.init(), hearth.HearthError, "already"),
        (lambda: group.share("x" * 64, np.zeros(1)), ValueError, "63 bytes"),
    ):
        try:
            wrong()
        except kind as right:
            assert text in str(right), right
        else:
            raise AssertionError(text)
    hearth.barrier()
    assert list(hearth.steps(3)) == [0, 1, 2]
    assert list(hearth.steps(3)) == []
    assert list(hearth.steps(5)) == [3, 4]
    assert group.begin_step() == (6, False)
    assert list(hearth.steps(8)) == [7]
try:
    hearth.barrier()
except hearth.HearthError as closed:
    assert "closed" in str(closed)
print("end", rank)
