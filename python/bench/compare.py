"""Compares the backends "hearth" and "gloo" of torch, two ranks on this machine, in turns.

    python compare.py [rounds] [--one-home] [--brief]

Each rank has a home of its own, as two machines have, and finds the other by mDNS. With --one-home both have one, as two
processes of a user have. With --brief each repeats a tenth as often, too rarely for Java to be warm. Prints the median over
the rounds of each figure, and the ratio. Needs a package that is installed, torch, and for its last line the source tree
around it. Gloo's ranks import torch without the packages that it would load by itself, such as this one.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RANK = Path(__file__).with_name("rank.py")
IMPORTS = 11
LAUNCHER = Path(__file__).parents[2] / "hearth"
INTERFACE = "lo0" if sys.platform == "darwin" else "lo"

AUTOLOAD: dict[str, dict[str, str]] = {"hearth": {}, "gloo": {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}}


def run(backend: str, homes: list[Path], divisor: int) -> dict[str, float]:
    """Return the figures of one run of two ranks."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    ranks = [
        subprocess.Popen(
            [sys.executable, RANK, backend, str(rank), "2", port, str(divisor)],
            env={
                **os.environ,
                **AUTOLOAD[backend],
                "HEARTH_HOME": str(home),
                "HEARTH_INTERFACES": INTERFACE,
                "OMP_NUM_THREADS": "1",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank, home in enumerate(homes)
    ]
    for rank in ranks:
        if rank.stdout:
            rank.stdout.readline()  # it has imported torch, so what it waits for the other is not the other's import
    with ThreadPoolExecutor(len(ranks)) as pool:
        outputs = list(pool.map(lambda rank: rank.communicate("begin\n")[0], ranks))
    if any(rank.returncode for rank in ranks):
        sys.exit(f"{backend} failed; its output is above")
    figures: dict[str, float] = json.loads(next(text for text in outputs if text))
    return figures


def import_ms() -> float:
    """Return what the package adds to ``import torch``: how long torch takes to find and load what entry points name."""
    code = (
        "import time, torch; t = time.perf_counter(); torch._import_device_backends(); print((time.perf_counter() - t) * 1e3)"
    )
    command = [sys.executable, "-c", code]
    env = {**os.environ, **AUTOLOAD["gloo"]}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)


def bench() -> float:
    """Return the milliseconds of Hearth's own benchmark: 64 MiB over shared memory, without Python."""
    command = [LAUNCHER, "bench", "allreduce", "--sizes", "64MiB", "--transport", "shm", "--json"]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(line)["median_ms"])


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--one-home", action="store_true")
    parser.add_argument("--brief", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first"
        init = [sys.executable, "-m", "hearth_train._cli", "init", "bench"]
        subprocess.run(init, env={**os.environ, "HEARTH_HOME": str(first)}, check=True, stdout=subprocess.DEVNULL)
        homes = []
        for number in range(2):
            home = Path(folder) / f"home-{number}"
            home.mkdir(mode=0o700)
            shutil.copy2(first / "namespace.toml", home)
            homes.append(home)
        if asked.one_home:
            homes = [first, first]
        found: dict[str, list[dict[str, float]]] = {"hearth": [], "gloo": []}
        own = []
        imports = [import_ms() for _ in range(1 + (1 if asked.brief else IMPORTS))][1:]
        for _ in range(asked.rounds):
            for backend, figures in found.items():
                figures.append(run(backend, homes, 10 if asked.brief else 1))
            own += [bench()] if LAUNCHER.exists() else []
    print(f"{'':16}{'hearth':>10}{'gloo':>10}{'ratio':>8}")
    for key in found["gloo"][0]:
        hearth, gloo = (median([each[key] for each in found[name]]) for name in ("hearth", "gloo"))
        print(f"{key:16}{hearth:10.3f}{gloo:10.3f}{hearth / gloo:8.2f}")
    print(f"{'import_ms':16}{median(imports):10.3f}   more than torch takes alone")
    texts = {
        "call_us": "one call into Java",
        "cold_call_us": "one of the first 10,000",
        "c_call_us": "one call of a C function that does nothing",
    }
    for key, text in texts.items():
        print(f"{key:16}{median([each[key] for each in found['hearth']]):10.3f}   {text}")
    if own:
        print(f"{'bench_64MiB_ms':16}{median(own):10.3f}   hearth bench allreduce")


def median(values: list[float]) -> float:
    """Return the median, or the upper one of two."""
    return sorted(values)[len(values) // 2]


if __name__ == "__main__":
    main()
