"""The command ``hearth``: the program of the same jars, for users who installed only this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import _find_jdk, _jvm
from ._errors import HearthError


def main() -> None:
    """Become ``java`` with Hearth's main class and these arguments."""
    try:
        java = str(_find_jdk.find() / "bin" / "java")
        jars = _jvm.jars() + sorted((Path(__file__).resolve().parents[3] / "cli" / "target" / "lib").glob("*.jar"))
    except HearthError as missing:
        sys.exit(f"hearth: {missing}")
    options = [
        "-cp",
        os.pathsep.join(map(str, jars)),
        "--enable-native-access=ALL-UNNAMED",
        "-XX:+UseCompactObjectHeaders",
    ]
    os.execv(java, [java, *options, "io.hearth.cli.Main", *sys.argv[1:]])  # noqa: S606 - the same program goes on


if __name__ == "__main__":
    main()
