"""Machines that die in a DDP training: the others go on with equal weights.

``HEARTH_KILLS=40 pytest -s tests/test_losses.py`` kills 40, and prints how long each stopped the others.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time

import pytest

pytest.importorskip("torch")

KILLS = int(os.environ.get("HEARTH_KILLS", "4"))
# the ranks that die one after the other, of four and of three; 0 is the one that a group waits for first
VICTIMS = ((0, 2), (1, 0), (3, 1), (2, 0))
WAYS = ((1, 2), (4, 0), (1, 0), (4, 2))  # homes and workers; the first two have each number


@pytest.mark.parametrize("number", range(KILLS // 2))
def test_the_others_go_on_when_one_is_killed(cluster, number):
    homes, workers = WAYS[number % len(WAYS)]
    victims = VICTIMS[(number + number // len(WAYS)) % len(VICTIMS)]
    moments = random.Random(number)  # noqa: S311
    trainers = [cluster.start("ddp.py", 4, 2, workers, home=each % homes) for each in range(4)]
    by_rank = [trainer for _, trainer in sorted((int(each.await_line("start")[1]), each) for each in trainers)]
    for victim in victims:
        for trainer in by_rank:
            trainer.await_line("step")
        time.sleep(moments.uniform(0.2, 1.2))  # any moment
        killed = by_rank.pop(victim)
        killed.process.send_signal(signal.SIGKILL)
        for trainer in by_rank:
            trainer.await_line("lost", 4 - len(by_rank))
    for trainer in by_rank:
        trainer.end()
        assert trainer.words("end")[0][1] == "2"
        print("stopped for ms", [int(words[1]) for words in trainer.words("lost")], "homes", homes, "workers", workers)
    states: dict[str, set[str]] = {}
    for trainer in by_rank:
        for words in trainer.words("step"):
            states.setdefault(words[1], set()).add(words[3])
    assert all(len(each) == 1 for each in states.values()), states


def test_fail_fast_raises_on_all_and_ddp_can_begin_again(cluster):
    trainers = [cluster.start("fail_fast.py", 3, home=number) for number in range(3)]
    by_rank = {int(trainer.await_line("start")[1]): trainer for trainer in trainers}
    time.sleep(0.5)
    by_rank.pop(1).process.send_signal(signal.SIGKILL)
    named = [trainer.end() and trainer.words("named") for trainer in by_rank.values()]
    assert all(len(each) == 1 for each in named), named
    (what,) = {re.search(r"number_\d+\):_lost_\S+", each[0][1]).group() for each in named}  # one call and one name on both
    print(what)


def test_groups_of_some_ranks_and_a_loss(cluster):
    trainers = [cluster.start("subgroups.py", 4, home=number) for number in range(4)]
    lost = [trainer for trainer in trainers if trainer.process.wait(120) == -signal.SIGKILL]
    assert len(lost) == 1, [trainer.text for trainer in trainers]
    assert all("end" in trainer.end() for trainer in trainers if trainer not in lost)
    assert len({tuple(map(tuple, trainer.words("hsdp"))) for trainer in trainers}) == 1
