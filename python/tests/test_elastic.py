"""Machines join and leave a DDP training while it runs."""

from __future__ import annotations

import pytest
from conftest import let_sleep

pytest.importorskip("torch")


def test_one_that_dies_before_its_first_step_can_start_again(cluster):
    first = cluster.start("first_steps.py", 2, home=0)
    dies = cluster.start("first_steps.py", 2, "dies", home=1)
    dies.end(3)
    again = cluster.start("first_steps.py", 2, home=1)
    outputs = [trainer.end() for trainer in (first, again)]
    assert len({tuple(trainer.words("end")[0]) for trainer in (first, again)}) == 1, outputs
    assert not any("steps in a row" in text for text in outputs), outputs


@pytest.mark.parametrize("optimizer", ["adam", "counting"])
def test_one_dies_and_another_one_enters(cluster, optimizer):
    first = [cluster.start("elastic.py", 2, number, optimizer, home=number) for number in range(3)]
    for trainer in first:
        trainer.await_line("step")
    first[2].process.kill()
    first[2].process.wait()
    late = cluster.start("elastic.py", 2, 99, optimizer, "late", home=3)
    late.await_line("step")
    outputs = [trainer.end() for trainer in (*first[:2], late)]
    ends = {tuple(trainer.words("end")[0]) for trainer in (*first[:2], late)}
    assert len(ends) == 1, [text[-300:] for text in outputs]
    assert not any("steps in a row" in text for text in outputs), outputs  # else ranks drift apart
    by_step: dict[str, set[tuple[str, str]]] = {}
    for trainer in (*first[:2], late):
        for words in trainer.words("step"):
            by_step.setdefault(words[1], set()).add((words[3], words[4]))
    assert all(len(states) == 1 for states in by_step.values()), by_step
    assert int(late.words("step")[0][1]) > 0
    begun = min(int(trainer.words("step")[0][1]) for trainer in first)  # one of the three may have entered later
    assert begun == (20 if optimizer == "counting" else 0), "its start"
    assert {words[2] for words in first[0].words("step")} >= {"2", "3"}


def test_one_that_slept_within_a_step_goes_on(cluster):
    trainers = [cluster.start("elastic.py", 3, number, "adam", home=number) for number in range(2)]
    sleeper = cluster.start("elastic.py", 3, 2, "adam", "sleeps", home=2)
    let_sleep(sleeper, trainers)
    outputs = [trainer.end() for trainer in (*trainers, sleeper)]
    ends = {tuple(trainer.words("end")[0]) for trainer in (*trainers, sleeper)}
    assert len(ends) == 1, [text[-300:] for text in outputs]
    assert outputs[2].count("this step does not count on this rank") == 1, outputs[2]
