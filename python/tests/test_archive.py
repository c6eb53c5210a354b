"""The archive of classes that makes later starts faster."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from hearth_train import _archive, _find_jdk, _jvm

pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="macOS's folder for caches cannot be chosen")


def await_archive(folder):
    end = time.monotonic() + 120
    while list(folder.glob("*.lock")) or not list(folder.glob("*.aot")):
        assert time.monotonic() < end, "no archive was recorded"
        time.sleep(0.2)


def test_it_is_recorded_at_first_use_and_used_then(cluster, tmp_path):
    env = {"HEARTH_ARCHIVE": "on", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    cluster.start("signals.py", 1, "exit", env=env).end()
    folder = tmp_path / "cache" / "hearth"
    await_archive(folder)
    text = cluster.start("signals.py", 1, "exit", env=env).end()
    assert "archives 1" in text
    assert "error" not in text.lower(), text
    (archive,) = folder.iterdir()
    java = _find_jdk.find()
    command = [java / "bin" / "java", *_jvm._options(java), f"-XX:AOTCache={archive}", "-Xlog:aot", "-version"]
    assert "Using AOT-linked classes: true" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_recording_knows_nothing_of_the_cluster_and_lets_others_run(monkeypatch, tmp_path):
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        '#!/bin/sh\nout=${1#*=}\nenv > "$out"\nnice >> "$out"\ncat /proc/self/autogroup >> "$out" || true\n'
    )  # its first argument says where the archive is to be
    java.chmod(0o700)
    monkeypatch.setenv("HEARTH_SECRET", "of this cluster")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    archive = tmp_path / "some.aot"
    _archive._begin(archive, java.parents[1], [])
    await_archive(tmp_path)
    assert "XDG_CACHE_HOME=" in archive.read_text()
    assert "HEARTH_" not in archive.read_text()
    assert "\n5\n" in archive.read_text()
    if Path("/proc/self/autogroup").exists():
        assert archive.read_text().endswith(" nice 5\n")


def test_sums_use_the_vector_instructions(cluster, tmp_path):
    log = tmp_path / "classes"
    env = {"HEARTH_ARCHIVE": "off", "HEARTH_JAVA_OPTIONS": f"-Xlog:class+load:file={log}"}
    cluster.start("signals.py", 1, "exit", env=env).end()
    assert "jdk.incubator.vector.FloatVector " in log.read_text()
