"""Tells a person how a wait gets on: one line that changes in a terminal or a notebook, log lines elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from ._log import LOGGER


class Progress:
    """A line of text that changes; use as a context manager."""

    def __init__(self) -> None:
        self._shown = ""
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._cell = _notebook_cell()

    def __enter__(self) -> Progress:
        return self

    def show(self, text: str) -> None:
        """Show a text in place of the former one."""
        if text == self._shown:
            return
        width = len(self._shown)
        self._shown = text
        if self._cell is not None:
            self._cell.update({"text/plain": text}, raw=True)
        elif self._is_terminal:
            sys.stderr.write("\r" + text.ljust(width))
            sys.stderr.flush()
        else:
            LOGGER.info("%s", text)

    def __exit__(self, *_: object) -> None:
        if self._shown and self._cell is None and self._is_terminal:
            sys.stderr.write("\n")


def _notebook_cell() -> Any:
    """Return a place of a notebook that can be written again; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return sys.modules["IPython"].display.display({"text/plain": ""}, raw=True, display_id=True)
