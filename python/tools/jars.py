"""Puts Hearth's jars into the package, for a wheel of at most 14 MB. Run ./mvnw -Pfast package before it.

The jars are stored without compression: the wheel compresses each of them as one file, which is a third smaller than one class
after the other, and Java loads them faster. What no part of Hearth uses is left out of the largest one.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BRIDGE = ROOT / "bridge" / "target" / "lib"
COMMANDS = ROOT / "cli" / "target" / "lib"
TARGET = ROOT / "python" / "src" / "hearth_train" / "jars"

# Bouncy Castle: Hearth uses its lightweight API, not its JCA provider. Without these files its signature does not hold.
LEFT_OUT = {
    "bcprov-": (
        "META-INF/BC",
        "META-INF/versions/",
        "org/bouncycastle/jcajce/",
        "org/bouncycastle/jce/",
        "org/bouncycastle/pqc/",
    ),
    "slf4j-simple-": ("META-INF/services/",),  # the bridge and the launcher name their provider
    # Messages of services, which need gRPC: the package has none (io.hearth.cli.option.ServiceLibraries says so).
    "hearth-coordinator-": ("io/hearth/coordinator/distributed/",),
    "hearth-lighthouse-": ("io/hearth/lighthouse/torchft/",),
    "hearth-parameterserver-": ("io/hearth/parameterserver/wire/",),
    "hearth-scheduler-": ("io/hearth/scheduler/wire/",),
}
# Libraries that the command line has beyond those of the bridge are of services, but for these.
OF_COMMANDS = ("hearth-", "picocli-", "slf4j-simple-")


def main() -> None:
    """Write the jars of this build in place of former ones."""
    jars = {jar.name: jar for jar in sorted(BRIDGE.glob("*.jar"))}
    jars |= {jar.name: jar for jar in sorted(COMMANDS.glob("*.jar")) if jar.name.startswith(OF_COMMANDS)}
    if not any(name.startswith("hearth-bridge") for name in jars):
        sys.exit(f"no jars in {BRIDGE}: run ./mvnw -Pfast package first")
    TARGET.mkdir(exist_ok=True)
    for old in TARGET.glob("*.jar"):
        old.unlink()
    for name, jar in jars.items():
        _store(jar, TARGET / name)
    print(f"{len(list(TARGET.glob('*.jar')))} jars in {TARGET.relative_to(ROOT)}")  # noqa: T201 - a program


def _store(jar: Path, target: Path) -> None:
    left_out = next((paths for name, paths in LEFT_OUT.items() if jar.name.startswith(name)), ())
    with zipfile.ZipFile(jar) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as copy:
        for entry in source.infolist():
            if entry.is_dir() or entry.filename.startswith(left_out or "\0"):
                continue
            if left_out and entry.filename == "META-INF/MANIFEST.MF":
                text = source.read(entry).replace(b"\r\n", b"\n").split(b"\n\n", 1)[0] + b"\n\n"  # without digests
                copy.writestr(zipfile.ZipInfo(entry.filename, entry.date_time), text)
                continue
            copy.writestr(zipfile.ZipInfo(entry.filename, entry.date_time), source.read(entry))


if __name__ == "__main__":
    main()
