"""The examples run as their first lines say."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_numpy(cluster):
    pytest.importorskip("numpy")
    trainers = [cluster.start(EXAMPLES / "numpy_line.py", 300, home=number) for number in range(2)]
    assert all("y = 3.0" in trainer.end() for trainer in trainers)


def test_ddp(cluster):
    pytest.importorskip("torch")
    trainers = [cluster.start(EXAMPLES / "ddp_digits.py", 2, home=number) for number in range(2)]
    last = [line for trainer in trainers for line in trainer.end().splitlines() if line.startswith("epoch 19")]
    assert float(last[0].split()[2].rstrip("%")) > 85, last


def test_mlx(cluster):
    pytest.importorskip("mlx.core")
    trainers = [cluster.start(EXAMPLES / "mlx_line.py", home=number) for number in range(2)]
    lines = {trainer.end().splitlines()[-1].split(": ")[1] for trainer in trainers}
    assert len(lines) == 1, lines
