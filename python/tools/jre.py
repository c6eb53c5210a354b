"""Puts a Java runtime with Hearth's modules into the package hearth-train-jre, by jlink, and prints the wheel's platform.

Run with JAVA_HOME set to a JDK 25 of the platform that the wheel is for.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

IMAGE = Path(__file__).resolve().parents[1] / "jre" / "src" / "hearth_train_jre" / "image"

# Those of the program's packages (io.hearth.dist.Image).
MODULES = (
    "java.base",
    "java.logging",
    "java.management",
    "java.naming",
    "jdk.incubator.vector",
    "jdk.jfr",
    "jdk.management",
    "jdk.net",
    "jdk.security.auth",
    "jdk.unsupported",
)
PLATFORMS = {
    ("Linux", "x86_64"): "manylinux_2_17_x86_64",  # Temurin's own minimum of glibc
    ("Linux", "aarch64"): "manylinux_2_17_aarch64",
    ("Darwin", "arm64"): "macosx_11_0_arm64",
}


def main() -> None:
    """Write the image in place of a former one."""
    place = PLATFORMS.get((platform.system(), platform.machine()))
    if place is None:
        sys.exit(f"no wheel for {platform.system()} on {platform.machine()}: there are {', '.join(PLATFORMS.values())}")
    home = os.environ.get("JAVA_HOME", "")
    jlink = Path(home) / "bin" / "jlink"
    if not jlink.is_file():
        sys.exit(f"JAVA_HOME='{home}' has no jlink: set it to a JDK 25")
    shutil.rmtree(IMAGE, ignore_errors=True)
    subprocess.run(
        [
            jlink,
            "--add-modules",
            ",".join(MODULES),
            "--strip-debug",
            "--no-header-files",
            "--no-man-pages",
            "--output",
            IMAGE,
        ],
        check=True,
        stdout=sys.stderr,
    )
    print(place)  # noqa: T201 - for the caller


if __name__ == "__main__":
    main()
