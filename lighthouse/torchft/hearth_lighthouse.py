"""A pytest plug-in: torchft's own tests get Hearth's lighthouse wherever they make one of their own.

Each lighthouse is a process of its own with an empty home folder, as torchft's is a server of its own.
HEARTH names the program to run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile

import torchft
import torchft._torchft
import torchft.coordination


class HearthLighthouse:
    """The constructor and the methods of torchft's LighthouseServer."""

    started = 0

    def __init__(
        self,
        bind: str,
        min_replicas: int,
        join_timeout_ms: int | None = None,
        quorum_tick_ms: int | None = None,
        heartbeat_timeout_ms: int | None = None,
    ) -> None:
        HearthLighthouse.started += 1
        self._home = tempfile.mkdtemp(prefix="hearth-lighthouse-")
        command = [os.environ["HEARTH"], "lighthouse", "--port", "0", "--min-replicas", str(min_replicas)]
        # torchft's class takes 100 ms where its program takes a minute.
        command += ["--join-timeout", f"{100 if join_timeout_ms is None else join_timeout_ms}ms"]
        if heartbeat_timeout_ms is not None:
            command += ["--heartbeat-timeout", f"{heartbeat_timeout_ms}ms"]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "HEARTH_HOME": self._home},
        )
        assert self._process.stdout is not None
        self._address = self._process.stdout.readline().strip()
        if not self._address:
            raise RuntimeError("Hearth's lighthouse did not start: see its message above")

    def address(self) -> str:
        return self._address

    def shutdown(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)

    def __del__(self) -> None:
        if self._process.poll() is None:
            self.shutdown()


torchft._torchft.LighthouseServer = HearthLighthouse
torchft.coordination.LighthouseServer = HearthLighthouse


def pytest_terminal_summary(terminalreporter: object) -> None:
    print(f"\n{HearthLighthouse.started} lighthouses of Hearth were started")
