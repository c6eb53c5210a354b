"""Memory of arrays: anything with the buffer protocol (PEP 3118), such as NumPy's, MLX's, ``array`` and ``bytearray``."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

from ._table import TYPE_BYTES, TYPES

_WRITABLE, _FORMAT, _C_CONTIGUOUS = 0x1, 0x4, 0x38  # PyBUF_*; contiguous includes the strides
_FOREIGN_ORDERS = (b">", b"!") if sys.byteorder == "little" else (b"<",)
_FORMATS = {
    "f": "float32",
    "d": "float64",
    "e": "float16",
    "i": "int32",
    "q": "int64",
    "l": "int64" if ctypes.sizeof(ctypes.c_long) == 8 else "int32",  # noqa: PLR2004 - bytes
    "b": "int8",
    "B": "uint8",
    "?": "bool",
}


class _PyBuffer(ctypes.Structure):
    """``Py_buffer`` of the stable ABI."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int)
_get_buffer.restype = ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = (ctypes.POINTER(_PyBuffer),)
_release_buffer.restype = None


class _Export:
    """Holds an object's memory in its place until it is collected."""

    __slots__ = ("view",)

    def __init__(self, owner: object, flags: int) -> None:
        self.view = _PyBuffer()
        _get_buffer(owner, ctypes.byref(self.view), flags)

    def __del__(self) -> None:
        if self.view.buf is not None:
            _release_buffer(ctypes.byref(self.view))


class Buffer(NamedTuple):
    """Memory for the C ABI; ``keep`` must live as long as it is used."""

    address: int
    bytes: int
    type: int
    keep: object
    name: str

    @property
    def elements(self) -> int:
        """Number of elements."""
        return self.bytes // TYPE_BYTES[self.type]


def buffer(array: Any, *, writable: bool, dtype: str | None = None) -> Buffer:
    """Return the memory of an array, without a copy.

    ``dtype`` names the type of the elements where the array's own format does not, as for bfloat16. Raises TypeError for
    a type that no collective has or of another size, and ValueError for memory that is not contiguous or may not be written.
    """
    try:
        export = _Export(array, _C_CONTIGUOUS | _FORMAT | (_WRITABLE if writable else 0))
    except (BufferError, ValueError) as refused:  # NumPy has the second one
        is_of_other_package = str(getattr(array, "dtype", "")) == "bfloat16"  # a type that NumPy itself does not have
        hint = "array.view('uint16') and dtype='bfloat16'" if is_of_other_package else "a contiguous array that may be written"
        raise ValueError(f"{_kind(array)} cannot be used in place: {refused}; pass {hint}") from None
    except TypeError:
        raise TypeError(
            f"{_kind(array)} has no buffer: pass a NumPy array, a tensor of the CPU as tensor.numpy(), or another object "
            "with the buffer protocol"
        ) from None
    view = export.view
    if view.itemsize > 1 and (view.format or b"")[:1] in _FOREIGN_ORDERS:
        raise TypeError(f"{_kind(array)} has the bytes of its elements in another order: pass a copy in this computer's own")
    name = dtype or _name(array, view)
    if name not in TYPES and name != "bool":
        raise TypeError(f"elements of type {name} have no collectives; there are {', '.join(TYPES)}")
    number = TYPES["uint8" if name == "bool" else name]
    # bytes may hold any type that the caller names
    if view.itemsize != TYPE_BYTES[number] and (dtype is None or view.itemsize != 1):
        hint = "pass dtype=, such as 'bfloat16'" if dtype is None else "pass another dtype="
        raise TypeError(f"{_kind(array)} has elements of {view.itemsize} bytes, and {name} has {TYPE_BYTES[number]}: {hint}")
    if not _is_dense(view):
        raise ValueError(f"{_kind(array)} is a view whose elements do not lie one behind the other: pass a contiguous array")
    if view.len % TYPE_BYTES[number]:
        raise ValueError(f"{view.len} bytes are no whole number of {name}")
    return Buffer(view.buf or 0, view.len, number, (array, export), name)


def _is_dense(view: _PyBuffer) -> bool:
    """Whether ``len`` bytes lie in the order of the shape. Some exporters, such as MLX, give views all the same."""
    sizes, strides = view.shape, view.strides
    if not sizes or not strides:
        return True  # one element, or bytes
    stride = view.itemsize
    is_row_major = True
    for axis in range(view.ndim - 1, -1, -1):
        size = sizes[axis]
        if size != 1 and strides[axis] != stride:  # the stride of a single row means nothing
            is_row_major = False
        stride *= size
    return stride == view.len and (is_row_major or stride == 0)


def _name(array: Any, view: _PyBuffer) -> str:
    raw = (view.format or b"B").decode()
    letter = raw.lstrip("@=<") or "B"
    name = _FORMATS.get(letter)
    if letter == "B" and view.itemsize != 1:  # so older versions of MLX export bfloat16
        name = None
    if name is None or (letter == "l" and raw[0] in "=<"):
        name = str(getattr(array, "dtype", raw)).rsplit(".", 1)[-1]
    return name


def _kind(array: Any) -> str:
    return f"a {type(array).__module__}.{type(array).__qualname__}"
