"""The C ABI: its functions in the order of ``hearth.h``, and its numbers. A test compares both with the header."""

from __future__ import annotations

import ctypes
from typing import Any

ABI = 1
NOT_YET = -128

_L = ctypes.c_int64
_P = ctypes.c_void_p
_D = ctypes.c_double
_ARGUMENTS = {"l": _L, "p": _P, "d": _D}

FUNCTIONS = (
    ("last_error", "pl"),
    ("library_version", "pl"),
    ("on_log", "lpp"),
    ("wait", "llp"),
    ("is_done", "l"),
    ("open", "p"),
    ("wait_for_peers", "lll"),
    ("start", "lll"),
    ("close", "l"),
    ("abort", "l"),
    ("rank", "l"),
    ("world_size", "l"),
    ("is_in_group", "l"),
    ("status", "lpl"),
    ("progress", "lpl"),
    ("sent_bytes", "ll"),
    ("report", "llld"),
    ("all_reduce", "lpplllpp"),
    ("broadcast", "lplll"),
    ("all_gather", "lplpll"),
    ("all_gather_unequal", "lplplpl"),
    ("reduce_scatter", "lplll"),
    ("reduce", "lpllll"),
    ("gather", "lplplll"),
    ("scatter", "lplplll"),
    ("all_to_all", "lpplll"),
    ("barrier", "l"),
    ("send", "lplll"),
    ("receive", "lplll"),
    ("share", "lppl"),
    ("unshare", "lp"),
    ("share_blob", "lpl"),
    ("set_blob", "lppl"),
    ("get_blob", "lppl"),
    ("resume_at", "ll"),
    ("begin_step", "l"),
    ("split", "lpl"),
)

# Each answers at once and takes no lock, so Python's own need not be released, which takes a fifth of the call.
_INSTANT = {"is_done", "rank", "world_size", "is_in_group"}

TYPES = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "bfloat16": 3,
    "int32": 4,
    "int64": 5,
    "int8": 6,
    "uint8": 7,
}
TYPE_BYTES = {0: 4, 1: 8, 2: 2, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1}
REDUCTIONS = {"sum": 0, "avg": 1, "min": 2, "max": 3, "prod": 4}

LOG_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _L, ctypes.c_char_p, ctypes.c_char_p)


class Outcome(ctypes.Structure):
    """``struct hearth_outcome``."""

    _fields_ = (("answer", _L), ("bytes_sent", _L), ("first", _L), ("count", _L))


class Table:
    """The functions, as attributes. A call releases Python's lock while it runs, unless it answers at once."""

    def __init__(self, address: int) -> None:
        head = (_L * 2).from_address(address)
        if head[0] != ABI or head[1] < len(FUNCTIONS):
            raise RuntimeError(
                f"the jars of Hearth have ABI {head[0]} with {head[1]} functions, and this package needs ABI {ABI} with "
                f"{len(FUNCTIONS)}: install both from one version"
            )
        pointers = (_P * len(FUNCTIONS)).from_address(address + 2 * ctypes.sizeof(_L))
        for (name, letters), pointer in zip(FUNCTIONS, pointers, strict=True):
            kind = ctypes.PYFUNCTYPE if name in _INSTANT else ctypes.CFUNCTYPE
            setattr(self, name, kind(_L, *(_ARGUMENTS[letter] for letter in letters))(pointer))

    def forbid(self, raiser: Any) -> None:
        """Put a function that raises in place of each, in a process where none works."""
        for name, _ in FUNCTIONS:
            setattr(self, name, raiser)

    def __getattr__(self, name: str) -> Any:  # for type checkers: the functions are set above
        raise AttributeError(name)
