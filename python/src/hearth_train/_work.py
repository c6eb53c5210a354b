"""Calls that run in Java while Python goes on."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import TYPE_CHECKING

from ._errors import error
from ._table import NOT_YET, Outcome

if TYPE_CHECKING:
    from ._table import Table

_SLICE_MILLIS = 50  # Python runs its signal handlers between two waits
_ERROR_BYTES = 4096


def bytes_of(table: Table, name: str, *arguments: object) -> bytes:
    """Return what a function writes into a buffer."""
    function = getattr(table, name)
    size = _ERROR_BYTES
    while True:
        space = ctypes.create_string_buffer(size)
        length = check(table, function(*arguments, space, size))
        if length <= size:
            return space.raw[:length]
        size = length


def text_of(table: Table, name: str, *arguments: object) -> str:
    """Return the text that a function writes into a buffer."""
    return bytes_of(table, name, *arguments).decode(errors="replace")


def check(table: Table, answer: int) -> int:
    """Return an answer; raise the exception of an error. To be called by the thread that got the answer."""
    if answer < 0:
        space = ctypes.create_string_buffer(_ERROR_BYTES)
        length = min(table.last_error(space, _ERROR_BYTES), _ERROR_BYTES)
        raise error(answer, space.raw[: max(0, length)].decode(errors="replace"))
    return int(answer)


class Work:
    """Something that was begun. Its arrays belong to it until it has ended."""

    __slots__ = ("_call", "_failure", "_keep", "_lock", "_outcome", "_table")

    def __init__(self, table: Table, call: int, keep: object) -> None:
        self._table = table
        self._call = check(table, call)
        self._keep: object = keep
        self._outcome = Outcome(answer=NOT_YET)
        self._failure: Exception | None = None
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Whether it has ended. If so, Java forgets the call: its table of open calls has a limit."""
        call = self._call
        if call == 0:
            return True
        if self._lock.locked():  # a thread waits, and ends it
            return bool(self._table.is_done(call) != 0)  # an error: that thread has ended it meanwhile
        with self._lock:
            if self._call:
                self._wait(0)
        return self._call == 0

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the number of ranks in the result.

        Raises TimeoutError if it has not ended after ``timeout`` seconds; it goes on then.
        """
        if not self.await_end(timeout):
            raise TimeoutError(f"the call has not ended after {timeout} s")
        if self._failure is not None:
            raise self._failure
        return int(self._outcome.answer)

    def await_end(self, timeout: float | None = None) -> bool:
        """Wait for its end, also if that is an error; return False if it has not ended after ``timeout`` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while self._call:
            left = _SLICE_MILLIS
            if end is not None:
                left = min(left, int((end - time.monotonic()) * 1e3))
                if left < 0:
                    return False
            with self._lock:
                if self._call:
                    self._wait(left)
        return True

    def _wait(self, millis: int) -> None:
        outcome = self._outcome
        try:
            if outcome.answer == NOT_YET:
                outcome.answer = self._table.wait(self._call, millis, ctypes.byref(outcome))
        finally:
            # A signal's handler may raise right after the call. Java has written the answer into the outcome by then.
            if outcome.answer != NOT_YET:
                self._end(outcome.answer)

    def _end(self, answer: int) -> None:
        try:
            check(self._table, answer)
        except Exception as failed:  # noqa: BLE001 - kept for each wait
            self._failure = failed
        self._call = 0
        self._keep = None

    @property
    def outcome(self) -> Outcome:
        """How it ended; only after :meth:`wait`."""
        return self._outcome
