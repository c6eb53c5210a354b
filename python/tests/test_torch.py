"""The backend of torch.distributed."""

from __future__ import annotations

import random
import signal
import socket
import time

import pytest

pytest.importorskip("torch")


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


@pytest.mark.parametrize("homes", [1, 3])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("lost", [0, 2])
def test_the_others_go_on_when_one_is_killed(cluster, homes, workers, lost):
    trainers = [cluster.start("ddp.py", 3, 150, workers, home=number % homes) for number in range(3)]
    by_rank = {int(trainer.await_line("start")[1]): trainer for trainer in trainers}
    victim = by_rank.pop(lost)
    time.sleep(random.Random(lost + homes).uniform(0.3, 1.5))  # noqa: S311 - any moment
    victim.process.send_signal(signal.SIGKILL)
    for trainer in by_rank.values():
        trainer.end()
    states: dict[str, set[str]] = {}
    for trainer in by_rank.values():
        for words in trainer.words("step"):
            states.setdefault(words[1], set()).add(words[3])
        assert trainer.words("end")[0][2] == "2"
        print("longest step ms", trainer.words("end")[0][1])
    assert all(len(each) == 1 for each in states.values()), states


def test_fail_fast_raises_on_all_and_ddp_can_begin_again(cluster):
    trainers = [cluster.start("fail_fast.py", 3, home=number) for number in range(3)]
    by_rank = {int(trainer.await_line("start")[1]): trainer for trainer in trainers}
    time.sleep(0.5)
    by_rank.pop(1).process.send_signal(signal.SIGKILL)
    named = [trainer.end() and trainer.words("named") for trainer in by_rank.values()]
    assert all(len(each) == 1 for each in named), named


@pytest.mark.parametrize("way", ["environment", "arguments"])
def test_gloo_is_as_before(cluster, way):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    trainers = [cluster.start("gloo.py", way, rank, 2, port) for rank in range(2)]
    assert all("end" in trainer.end() for trainer in trainers)


def test_groups_of_some_ranks_and_a_loss(cluster):
    trainers = [cluster.start("subgroups.py", 4, home=number) for number in range(4)]
    lost = [trainer for trainer in trainers if trainer.process.wait(120) == -signal.SIGKILL]
    assert len(lost) == 1, [trainer.text for trainer in trainers]
    assert all("end" in trainer.end() for trainer in trainers if trainer not in lost)
    assert len({tuple(map(tuple, trainer.words("hsdp"))) for trainer in trainers}) == 1
