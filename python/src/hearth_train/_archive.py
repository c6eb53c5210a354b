"""An archive of loaded classes makes Java start faster. It is recorded once, in the background, after the first use.

``HEARTH_ARCHIVE=off`` neither records nor uses one; nor does a program without a Python of its own, as PyInstaller makes it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_MAIN = "io.hearth.bridge.ArchiveRun"
_RECORD_SECONDS = 600
_KEPT = 3
_NICE = 5  # a quarter of a processor that others want, too

LOAD_VECTOR_MODULE = "-Dhearth.vector=load"

# With the profiles of an archive, Java compiles a method when it first looks at its counter, if the recorded run compiled it
# at any time. A group's start, which runs much code a few times, paid so for what only hours of training need. So Java looks
# after 2^9 calls or 2^12 loops of interpreted code, not 2^7 or 2^10, and after 2^12 or 2^15 of code of the first compiler, not
# 2^11 or 2^14; and only what ran five to eight times as often as Java's own measure asks is recorded as of the second compiler.
COMPILE_LATER = (
    "-XX:Tier0InvokeNotifyFreqLog=9",
    "-XX:Tier0BackedgeNotifyFreqLog=12",
    "-XX:Tier2InvokeNotifyFreqLog=12",
    "-XX:Tier2BackedgeNotifyFreqLog=15",
)
_RECORD_WHAT_RUNS_OFTEN = (
    "-XX:Tier4InvocationThreshold=30000",
    "-XX:Tier4MinInvocationThreshold=5000",
    "-XX:Tier4CompileThreshold=100000",
    "-XX:Tier4BackEdgeThreshold=200000",
)
_REHEARSE_LOADING = "-Dhearth.vector=rehearse"  # an archive has no classes of a module that is loaded later
OPTIONS_OF_OTHERS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")  # variables for all Java programs of a user
_NOT_RECORDED = (
    "-Xlog:",
    "-Xrs",
    "-XX:OnError",
    "-XX:ErrorFile",
)


def place(java: Path, options: list[str]) -> Path:
    """Return where the archive for this Java, these jars and these options is, or will be."""
    mark = hashlib.sha256()
    mark.update((java / "release").read_bytes())
    for option in [str(java), *options]:
        mark.update(option.encode() + b"\0")
        if option.startswith("-Djava.class.path="):
            for jar in option.split("=", 1)[1].split(os.pathsep):
                status = Path(jar).stat()
                mark.update(f"{status.st_size} {status.st_mtime_ns}\0".encode())
    return _folder() / f"{mark.hexdigest()[:24]}.aot"


def _folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "hearth"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hearth"


def use(java: Path, options: list[str]) -> list[str]:
    """Return the options that use the archive; if there is none, begin to record it and return none."""
    if os.environ.get("HEARTH_ARCHIVE") == "off" or getattr(sys, "frozen", False) or not sys.executable:
        return []  # a frozen program, and one that embeds Python, would start itself once more to record
    try:
        archive = place(java, options)
        if archive.is_file():
            return [f"-XX:AOTCache={archive}", "-Xlog:aot=off", "-Xlog:cds=off"]
        _begin(archive, java, options)
    except (OSError, RuntimeError):  # no home, or a full or read-only disk: Java starts as fast as it does without
        pass
    return []


def _begin(archive: Path, java: Path, options: list[str]) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    lock = archive.with_suffix(".lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if time.time() - lock.stat().st_mtime < 2 * _RECORD_SECONDS:
            return  # another process records it
        os.utime(lock)
    subprocess.Popen(
        [sys.executable, "-m", __name__, str(archive), str(java), *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    """Return the environment of the recording, which must not join the cluster of HEARTH_SECRET."""
    of_system = {
        name: value for name, value in os.environ.items() if not name.startswith("HEARTH_") and name not in OPTIONS_OF_OTHERS
    }
    return {**of_system, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def record(archive: Path, java: Path, options: list[str]) -> None:
    """Record the archive and put it in its place; leave a few, because each version of Hearth and Java has its own."""
    _let_others_run()
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        made = Path(folder) / "archive.aot"
        kept = [
            _REHEARSE_LOADING if option == LOAD_VECTOR_MODULE else option
            for option in options
            if not option.startswith(_NOT_RECORDED)
        ]
        program = [str(java / "bin" / "java"), f"-XX:AOTCacheOutput={made}", *kept, *_RECORD_WHAT_RUNS_OFTEN, _MAIN]
        subprocess.run([*program, str(Path(folder) / "homes")], timeout=_RECORD_SECONDS, check=True, cwd=folder)
        shutil.move(made, archive)
    archive.with_suffix(".lock").unlink(missing_ok=True)
    for old in sorted(archive.parent.glob("*.aot"), key=lambda file: file.stat().st_mtime, reverse=True)[_KEPT:]:
        old.unlink(missing_ok=True)


def _let_others_run() -> None:
    """Take a small share of the processors, which Linux divides among sessions first."""
    os.nice(_NICE)
    with suppress(OSError):  # another system, or a kernel without groups of sessions
        Path("/proc/self/autogroup").write_text(str(_NICE))


if __name__ == "__main__":
    record(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
