"""Two and three hosts of a LAN: network namespaces with addresses of their own, joined by a bridge. Needs root and ip."""

from __future__ import annotations

import difflib
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

import pytest
from conftest import NO_JAVA, WHEELS

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip") is None, reason="needs Linux, root and ip"
)


IP = shutil.which("ip") or "ip"


def ip(*words: str) -> None:
    subprocess.run([IP, *words], check=True, capture_output=True, text=True)


class Lan:
    """Hosts on one switch; their names are this test's own."""

    def __init__(self, hosts: int) -> None:
        self.mark = f"hearthpy{os.getpid()}"
        self.hosts = hosts
        self.switch = f"{self.mark}-sw"

    def open(self) -> None:
        ip("netns", "add", self.switch)
        ip("-n", self.switch, "link", "add", "switch", "type", "bridge", "mcast_snooping", "0")
        ip("-n", self.switch, "link", "set", "switch", "up")
        for host in range(self.hosts):
            name = self.name(host)
            ip("netns", "add", name)
            ip("link", "add", "lan", "netns", name, "type", "veth", "peer", "name", f"port{host}", "netns", self.switch)
            ip("-n", self.switch, "link", "set", f"port{host}", "master", "switch", "up")
            ip("-n", name, "addr", "add", self.address(host) + "/24", "brd", "+", "dev", "lan")
            ip("-n", name, "link", "set", "lan", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "route", "add", "default", "dev", "lan")

    def name(self, host: int) -> str:
        return f"{self.mark}-{host}"

    @staticmethod
    def address(host: int) -> str:
        return f"10.78.0.{host + 1}"

    def unplug(self, host: int) -> None:
        ip("-n", self.switch, "link", "set", f"port{host}", "down")

    def close(self) -> None:
        for name in (*map(self.name, range(self.hosts)), self.switch):
            subprocess.run([IP, "netns", "delete", name], check=False, capture_output=True)


@pytest.fixture
def lan():
    made = Lan(3)
    try:
        made.open()
        yield made
    finally:
        made.close()


def start(cluster, lan, host, script, *arguments, python=None, **env):
    """Start a script on a host, with all of its interfaces."""
    settings = {"HEARTH_INTERFACES": "", **env}
    return cluster.start(script, *arguments, home=host, env=settings, within=lan.name(host), python=python)


GLOO = """
import hashlib
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)))
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
data = torch.randn(256, 32, generator=torch.Generator().manual_seed(dist.get_rank()))
for epoch in range(5):
    for batch in data.split(32):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    weights = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
    print("epoch", epoch, dist.get_world_size(), hashlib.sha256(weights).hexdigest()[:12], flush=True)
dist.destroy_process_group()
"""


def test_one_changed_word_on_two_hosts(cluster, lan, tmp_path, request):
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    before.write_text(GLOO)
    after.write_text(GLOO.replace('"gloo"', '"hearth"'))
    changed = [line for line in difflib.ndiff(GLOO.splitlines(), after.read_text().splitlines()) if line[0] in "+-"]
    assert changed == ['- dist.init_process_group("gloo")', '+ dist.init_process_group("hearth")']
    by_hand = {"WORLD_SIZE": "2", "MASTER_ADDR": lan.address(0), "MASTER_PORT": "29500", "GLOO_SOCKET_IFNAME": "lan"}
    trainers = [start(cluster, lan, host, before, **by_hand, RANK=str(host)) for host in range(2)]
    for trainer in trainers:
        trainer.end(0, -signal.SIGABRT)  # torch 2.15 aborts at the end of some of Gloo's
    expected = epochs(trainers)
    assert len(expected) == 5
    python = request.getfixturevalue("python_of_wheels") if WHEELS else None
    alone = environment_without_java(python) if python else {}
    trainers = [start(cluster, lan, host, after, python=python, **alone) for host in range(2)]
    for trainer in trainers:
        trainer.end()
    assert epochs(trainers) == expected


def environment_without_java(python):
    """Return what lets a Python find no Java but its own, and torch where this one has it, after all packages of its own."""
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    own = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
    path = os.pathsep.join([own, sysconfig.get_path("purelib")])
    return {**NO_JAVA, "PATH": str(python.parent), "PYTHONPATH": path}


def epochs(trainers):
    """Return number and ranks of the epochs of all trainers, which must have equal weights."""
    first, *others = (trainer.words("epoch") for trainer in trainers)
    assert all(each == first for each in others)
    return [words[:3] for words in first]


def test_a_pulled_cable(cluster, lan):
    trainers = [start(cluster, lan, host, "ddp.py", 3, 2, 0) for host in range(3)]
    by_host = dict(enumerate(trainers))
    for trainer in trainers:
        trainer.await_line("step")
    lead = next(host for host, trainer in by_host.items() if trainer.words("start")[0][1] == "0")
    victim = random.Random(lead).choice([host for host in by_host if host != lead])  # noqa: S311
    time.sleep(0.5)
    lan.unplug(victim)
    gone = by_host.pop(victim)
    for trainer in by_host.values():
        trainer.end()
    gone.process.kill()
    states: dict[str, set[str]] = {}
    for trainer in by_host.values():
        for words in trainer.words("step"):
            states.setdefault(words[1], set()).add(words[3])
        assert trainer.words("end")[0][1] == "2"
        print("stopped for ms", trainer.words("lost")[0][1])
    assert all(len(each) == 1 for each in states.values()), states
