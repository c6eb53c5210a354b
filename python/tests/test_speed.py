"""The comparison with Gloo runs and has all of its figures; what they are is printed, and is no matter of a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

COMPARE = Path(__file__).resolve().parents[1] / "bench" / "compare.py"
WITHOUT_GLOO = {"import_ms", "call_us", "cold_call_us", "c_call_us", "bench_64MiB_ms"}


def test_all_figures_are_measured():
    command = [sys.executable, str(COMPARE), "1", "--brief"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    rows = {words[0]: words[1:] for words in map(str.split, done.stdout.splitlines()[1:])}
    assert {"init_s", "ddp_step_ms", "resident_mb", "sync_4KiB_ms", "async_4KiB_ms", "sync_64MiB_ms"} <= rows.keys()
    assert rows.keys() >= WITHOUT_GLOO
    for name, words in rows.items():
        for value in words[: 1 if name in WITHOUT_GLOO else 3]:
            assert float(value) > 0, (name, words)
