"""Three processes stand for three machines and train ddp_digits.py; one is killed in mid-training, and the others go on.

python lose_machine.py
"""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

MACHINES = ("studio", "laptop", "mini")
EPOCH = "epoch 7"  # at whose end the last machine dies

script = Path(__file__).with_name("ddp_digits.py")
reached = threading.Event()


def follow(name: str, process: subprocess.Popen) -> None:
    """Print what a process prints, behind its name."""
    for line in process.stdout:
        print(f"{name:7}{line}", end="", flush=True)
        if EPOCH in line:
            reached.set()
    reached.set()


with tempfile.TemporaryDirectory() as folder:
    homes = [Path(folder, name) for name in MACHINES]
    for home in homes:
        home.mkdir(mode=0o700)
    init = [sys.executable, "-m", "hearth_train._cli", "init", "home"]
    subprocess.run(init, env={**os.environ, "HEARTH_HOME": str(homes[0])}, check=True, stdout=subprocess.DEVNULL)
    secret = (homes[0] / "namespace.toml").read_bytes()
    for home in homes[1:]:  # as "hearth join" does it
        (home / "namespace.toml").write_bytes(secret)
        (home / "namespace.toml").chmod(0o600)
    settings = {"HEARTH_INTERFACES": "lo0" if sys.platform == "darwin" else "lo", "OMP_NUM_THREADS": "1", **os.environ}
    processes, followers = [], []
    for name, home in zip(MACHINES, homes, strict=True):
        processes.append(
            subprocess.Popen(
                [sys.executable, str(script), str(len(MACHINES))],
                env={**settings, "HEARTH_HOME": str(home)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        followers.append(threading.Thread(target=follow, args=(name, processes[-1])))
        followers[-1].start()
    reached.wait()
    print(f"$ kill -9 {processes[-1].pid}   # {MACHINES[-1]}", flush=True)
    processes[-1].kill()
    for follower in followers:
        follower.join()
    sys.exit(max(process.wait() for process in processes[:-1]))
