"""A Java runtime for hearth-train."""

from pathlib import Path


def home() -> Path:
    """Return the folder that is JAVA_HOME for it."""
    return Path(__file__).resolve().parent / "image"
