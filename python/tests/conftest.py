"""Runs scripts as the trainers of one cluster on the loopback interface, each with a home of its own or all with one."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from hearth_train import _find_jdk

SCRIPTS = Path(__file__).parent / "scripts"
PATIENCE = 120
WHEELS = os.environ.get("HEARTH_WHEELS", "")
NO_JAVA = {"HEARTH_JAVA_HOME": "", "JAVA_HOME": ""}


class Trainer:
    """A script that runs."""

    def __init__(self, command: list[str], env: dict[str, str], output: Path) -> None:
        self.output = output
        with output.open("w") as file:
            self.process = subprocess.Popen(command, env=env, stdout=file, stderr=subprocess.STDOUT, cwd=output.parent)

    @property
    def text(self) -> str:
        return self.output.read_text(errors="replace")

    def words(self, first: str) -> list[list[str]]:
        """Return the words of all whole lines that begin with this one; the rest of the last one may still come."""
        whole = self.text.rpartition("\n")[0]
        return [line.split() for line in whole.splitlines() if line.startswith(first + " ")]

    def await_line(self, first: str, number: int = 1) -> list[str]:
        """Return the words of the first line that begins with this one, or of a later one, once it is there."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            ended = self.process.poll() is not None
            found = self.words(first)
            if len(found) >= number:
                return found[number - 1]
            if ended:
                break
            time.sleep(0.02)
        raise AssertionError(f"not {number} lines '{first}' in:\n{self.text}")

    def end(self, *codes: int) -> str:
        """Wait for the end, check that the exit code is 0, or else one of these, and return the output."""
        expected = codes or (0,)
        try:
            ended = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"still runs after {PATIENCE} s:\n{self.text}") from None
        assert ended in expected, f"exit code {ended}, not one of {expected}:\n{self.text}"
        return self.text


def _new_secret(name: str) -> str:
    """Return a secret for a namespace, as ``hearth init`` makes one; a JVM for each test would take a second."""
    content = b"\x01" + (1).to_bytes(4, "big") + os.urandom(32)  # version and generation
    checksum = hashlib.sha256(b"hearth/1 secret text\0" + name.encode() + b"\0" + content).digest()[:4]
    return "hearth1-" + base64.b32encode(content + checksum).decode().rstrip("=").lower()


class Cluster:
    """Homes with one secret, and the trainers that use them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.namespace = f'[test]\nsecret = "{_new_secret("test")}"\n'
        self.trainers: list[Trainer] = []

    def home(self, number: int) -> Path:
        home = self.folder / f"home-{number}"
        if not home.exists():
            home.mkdir(mode=0o700)
            namespace = home / "namespace.toml"
            namespace.write_text(self.namespace)
            namespace.chmod(0o600)
        return home

    def start(
        self,
        script: str | Path,
        *arguments: object,
        home: int = 0,
        env: dict[str, str] | None = None,
        within: str | None = None,
        python: Path | None = None,
    ) -> Trainer:
        """Start a script; ``within`` names the network namespace that it runs in, ``python`` the one that runs it."""
        interface = "lo0" if sys.platform == "darwin" else "lo"
        settings = {
            "HEARTH_HOME": str(self.home(home)),
            "HEARTH_INTERFACES": interface,
            "PYTHONUNBUFFERED": "1",
            "OMP_NUM_THREADS": "1",
        }
        output = self.folder / f"trainer-{len(self.trainers)}.txt"
        command = [str(python or sys.executable), str(SCRIPTS / script), *map(str, arguments)]
        if within:
            command = [shutil.which("ip") or "ip", "netns", "exec", within, *command]
        merged = {key: value for key, value in {**os.environ, **settings, **(env or {})}.items() if value}
        trainer = Trainer(command, merged, output)
        self.trainers.append(trainer)
        return trainer

    def run(self, script: str, world: int, *arguments: object, env: dict[str, str] | None = None) -> list[str]:
        """Run a script on ``world`` homes; its first argument is their number. Return the outputs."""
        for number in range(world):
            self.start(script, world, *arguments, home=number, env=env)
        return [trainer.end() for trainer in self.trainers[-world:]]

    def close(self) -> None:
        for trainer in self.trainers:
            if trainer.process.poll() is None:
                trainer.process.send_signal(signal.SIGKILL)
                trainer.process.wait()


@pytest.fixture(scope="session")
def python_of_wheels(tmp_path_factory):
    """Return the Python of a new virtual environment with the built wheels, Java's too, and nothing else."""
    if not WHEELS:
        pytest.skip("HEARTH_WHEELS names no folder with wheels")
    place = tmp_path_factory.mktemp("wheels") / "venv"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index"]
    subprocess.run([*pip, "--find-links", WHEELS, "hearth-train[jre]"], check=True)
    return python


def java(folder: Path, version: str) -> Path:
    """Make a folder that looks like a Java, and return it."""
    library = _find_jdk.library(folder)
    library.parent.mkdir(parents=True)
    library.touch()
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def let_sleep(sleeper: Trainer, others: list[Trainer]) -> None:
    """Wait until a trainer has stopped itself and the two others went on without it; let it go on then."""
    sleeper.await_line("sleeps")
    for trainer in others:
        number = 1
        while trainer.await_line("step", number)[2] != "2":
            number += 1
    sleeper.process.send_signal(signal.SIGCONT)


@pytest.fixture
def cluster(tmp_path: Path):
    made = Cluster(tmp_path)
    yield made
    made.close()
