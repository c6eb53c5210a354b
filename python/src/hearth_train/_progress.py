"""Tells a person how a wait gets on: one line that changes in a terminal or a notebook, log lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

from ._log import LOGGER

_FIRST_WARNING_SECONDS = 10.0  # where nobody sees a line that changes, as in a service or over ssh
_WARNING_SECONDS = 300.0


class Progress:
    """A line of text that changes; use as a context manager."""

    def __init__(self) -> None:
        self._shown = ""
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._cell = _notebook_cell()
        self._warns_at = time.monotonic() + _FIRST_WARNING_SECONDS

    def __enter__(self) -> Progress:
        return self

    def show(self, text: str) -> None:
        """Show a text in place of the former one."""
        if self._cell is None and not self._is_terminal:
            self._log(text)
        elif text != self._shown:
            width = len(self._shown)
            if self._cell is not None:
                self._cell.update({"text/plain": text}, raw=True)
            else:
                sys.stderr.write("\r" + text.ljust(width))
                sys.stderr.flush()
        self._shown = text

    def _log(self, text: str) -> None:
        if time.monotonic() >= self._warns_at:
            self._warns_at += _WARNING_SECONDS
            LOGGER.warning("%s", text)
        elif text != self._shown:
            LOGGER.info("%s", text)

    def __exit__(self, *_: object) -> None:
        if self._cell is not None:
            self._cell.update({"text/plain": ""}, raw=True)
        elif self._shown and self._is_terminal:
            sys.stderr.write("\n")


def _notebook_cell() -> Any:
    """Return a place of a notebook that can be written again; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return sys.modules["IPython"].display.display({"text/plain": ""}, raw=True, display_id=True)
