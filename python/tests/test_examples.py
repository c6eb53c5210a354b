"""The examples run as their first lines say."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_numpy(cluster):
    pytest.importorskip("numpy")
    trainers = [cluster.start(EXAMPLES / "numpy_line.py", 300, home=number) for number in range(2)]
    assert all("y = 3.0" in trainer.end() for trainer in trainers)


def test_ddp_loses_a_machine(cluster):
    pytest.importorskip("torch")
    lines = [line.split() for line in cluster.start(EXAMPLES / "lose_machine.py").end().splitlines()]
    epochs = [words for words in lines if words[1:2] == ["epoch"]]
    assert epochs[0][2:] == ["0:", epochs[0][3], "right,", "3", "ranks"]
    assert epochs[-1][2:] == ["19:", epochs[-1][3], "right,", "2", "ranks"]
    assert float(epochs[-1][3].rstrip("%")) > 85, epochs[-1]


def test_mlx(cluster):
    pytest.importorskip("mlx.core")
    trainers = [cluster.start(EXAMPLES / "mlx_line.py", home=number) for number in range(2)]
    lines = {trainer.end().splitlines()[-1].split(": ")[1] for trainer in trainers}
    assert len(lines) == 1, lines
