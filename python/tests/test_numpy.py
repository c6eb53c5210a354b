"""The core with NumPy."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")


def test_every_call_and_every_mistake(cluster):
    outputs = cluster.run("numpy_group.py", 2)
    assert sorted(line for text in outputs for line in text.splitlines() if line.startswith("end")) == [
        "end 0",
        "end 1",
    ]


def test_a_late_one_takes_over_the_state(cluster):
    first = [cluster.start("steps.py", 2, 300, number, home=number) for number in range(2)]
    for trainer in first:
        trainer.await_line("step")
    late = cluster.start("steps.py", 2, 300, 77, home=2)
    outputs = [trainer.end() for trainer in (*first, late)]
    ends = {line for text in outputs for line in text.splitlines() if line.startswith("weights")}
    assert len(ends) == 1, ends
    assert {words[2] for words in first[0].words("step")} == {"2", "3"}
    assert first[0].words("sampler") == first[1].words("sampler")
    assert int(late.words("step")[0][1]) > 0


def test_a_subgroup_that_not_all_call_is_an_error_soon(cluster):
    outputs = cluster.run("order.py", 2)
    for text in outputs:
        assert "end" in text
        seconds = next(float(line.split()[1]) for line in text.splitlines() if line.startswith("named "))
        print("seconds", seconds)
