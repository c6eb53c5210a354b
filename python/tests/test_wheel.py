"""The built wheels in a new virtual environment, without any Java of the machine's. HEARTH_WHEELS names their folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from conftest import WHEELS

SCRIPT = """
import array, sys
import hearth_train as hearth
group = hearth.init(world_size=2)
values = array.array("f", [group.rank + 1.0] * 1000)
hearth.allreduce(values)
assert set(values) == {3.0}
hearth.close()
print("sum", values[0])
"""


def test_pip_install_is_all_that_is_needed(tmp_path, python_of_wheels):
    python = python_of_wheels
    place = python.parents[1]
    wheels = sorted(Path(WHEELS).glob("*.whl"))
    assert {wheel.name.split("-")[0] for wheel in wheels} == {"hearth_train", "hearth_train_jre"}
    assert all(wheel.stat().st_size <= 14_000_000 for wheel in wheels if wheel.name.startswith("hearth_train-"))

    env = {"PATH": str(place / "bin"), "HEARTH_INTERFACES": "lo0" if sys.platform == "darwin" else "lo", "HOME": str(tmp_path)}
    first = tmp_path / "first"
    made = subprocess.run(
        [place / "bin" / "hearth", "init", "home"],
        env={**env, "HEARTH_HOME": str(first)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    for words in (["coordinator", "--port", "0"], ["jobs", "list"], ["agent", "--serve", "scheduler:0"]):
        refused = subprocess.run(
            [place / "bin" / "hearth", *words],
            env={**env, "HEARTH_HOME": str(first)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert refused.returncode == 1, refused.stderr
        assert refused.stderr.startswith("hearth: the Python package has no services"), refused.stderr
        assert refused.stderr.count("\n") == 1, refused.stderr
    trainers = []
    for number in range(2):
        home = tmp_path / f"home-{number}"
        home.mkdir(mode=0o700)
        shutil.copy2(first / "namespace.toml", home)
        trainers.append(
            subprocess.Popen(
                [python, "-c", SCRIPT],
                env={**env, "HEARTH_HOME": str(home)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=tmp_path,
            )
        )
    for trainer in trainers:
        output, _ = trainer.communicate(timeout=120)
        assert trainer.returncode == 0, output
        assert "sum 3.0" in output
    where = "import hearth_train._find_jdk as f; print(f.find())"
    found = subprocess.run([python, "-c", where], env=env, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout.strip().startswith(str(place)), found.stdout
