"""Names of calls, under which a compressed sum keeps what it leaves out."""

from __future__ import annotations

import hashlib

_BYTES_MAX = 255


def name_of(tree: str, path: str) -> str:
    """Return the name for an array of a tree: tree and path, or their SHA-256 where that is too long for a call."""
    name = tree + path
    encoded = name.encode()
    return name if len(encoded) <= _BYTES_MAX else hashlib.sha256(encoded).hexdigest()
