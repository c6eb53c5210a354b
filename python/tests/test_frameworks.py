"""MLX and JAX."""

from __future__ import annotations

import json
import socket

import pytest


def test_mlx_averages_in_place(cluster):
    pytest.importorskip("mlx.core")
    assert all("end" in text for text in cluster.run("mlx_gradients.py", 2))


def test_averages_of_mlx_are_equal_to_the_bit(cluster, tmp_path):
    pytest.importorskip("mlx.core")
    with socket.socket() as first, socket.socket() as second:
        for each in (first, second):
            each.bind(("127.0.0.1", 0))
        addresses = [[f"127.0.0.1:{each.getsockname()[1]}"] for each in (first, second)]
    hosts = tmp_path / "hosts.json"
    hosts.write_text(json.dumps(addresses))
    assert all("end" in text for text in cluster.run("mlx_equal.py", 2, hosts))


def test_jax_sums(cluster):
    pytest.importorskip("jax")
    assert all("end" in text for text in cluster.run("jax_sums.py", 2))
