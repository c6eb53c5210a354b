"""MLX and JAX."""

from __future__ import annotations

import pytest


def test_mlx_averages_in_place(cluster):
    pytest.importorskip("mlx.core")
    assert all("end" in text for text in cluster.run("mlx_gradients.py", 2))


def test_jax_sums(cluster):
    pytest.importorskip("jax")
    assert all("end" in text for text in cluster.run("jax_sums.py", 2))
