"""The backend of torch.distributed."""

from __future__ import annotations

import socket
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

pytest.importorskip("torch")

DIGITS = Path(__file__).resolve().parents[2] / "examples/src/main/resources/io/hearth/examples/digits.csv.gz"


def test_import_of_torch_takes_only_what_registers_the_backend():
    code = "import sys, torch; print(*sorted(name for name in sys.modules if name.startswith('hearth_train.torch')))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["hearth_train.torch", "hearth_train.torch._register"]


def test_all_operations(cluster, tmp_path):
    first, second = cluster.run("torch_operations.py", 2, tmp_path / "checkpoint")
    for what in ("ddp", "psgd", "zero", "fsdp2"):
        lines = {line for text in (first, second) for line in text.splitlines() if line.startswith(what + " ")}
        assert len(lines) == 1, lines


def test_mistakes_are_named_and_nothing_hangs(cluster):
    assert all("end" in text for text in cluster.run("torch_misuse.py", 2))


def test_compressed_gradients(cluster):
    outputs = cluster.run("compress.py", 2)
    assert outputs[0].splitlines()[-1] == outputs[1].splitlines()[-1]


def test_compressed_digits_are_as_right_and_a_loss_changes_nothing(cluster):
    """Three ranks train plainly, then compressed; one of them dies in the middle of that."""
    trainers = [cluster.start("compress_digits.py", 3, DIGITS, home=number) for number in range(3)]
    lost = trainers.pop()
    lost.await_line("epoch topk:0.01 10")
    lost.process.kill()
    for trainer in trainers:
        trainer.end()
    right, others = (trainer.words("right") for trainer in trainers)
    assert [words[4] for words in right] == [words[4] for words in others]  # hashes of the weights
    (_, _, plain, _, _), (_, _, compressed, share, _) = right
    print("right %", plain, compressed, "sent %", share)
    assert abs(float(compressed) - float(plain)) <= 1
    assert float(share) <= 5


@pytest.mark.parametrize("way", ["environment", "arguments"])
def test_gloo_is_as_before(cluster, way):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    trainers = [cluster.start("gloo.py", way, rank, 2, port) for rank in range(2)]
    assert all("end" in trainer.end() for trainer in trainers)


def test_torchrun_is_as_before(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    script = Path(__file__).parent / "scripts" / "gloo.py"
    command += [str(script), "torchrun"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("end") == 2


def test_a_work_stays_until_somebody_asks_for_its_end():
    pytest.importorskip("torch")
    _work = pytest.importorskip("hearth_train.torch._work")

    waiter = _work.Waiter()
    works = [weakref.ref(_work.HearthWork([], [], None, waiter)) for _ in range(_work._UNAWAITED_MOST + 1)]
    assert [work() is None for work in works] == [True] + [False] * _work._UNAWAITED_MOST
    works[1]().wait()
    assert works[1]() is None
