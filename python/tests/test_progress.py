"""How a wait is shown where nobody sees a line that changes, and in a notebook."""

from __future__ import annotations

import logging
import os
import pty
import sys
from types import SimpleNamespace

from hearth_train import _progress
from hearth_train._progress import Progress


def levels(caplog) -> list[int]:
    return [record.levelno for record in caplog.records]


def test_without_a_terminal_a_long_wait_is_a_warning(caplog, monkeypatch):
    caplog.set_level(logging.INFO, logger="hearth")
    now = [100.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    with Progress() as line:
        line.show("0 of 1")
        line.show("0 of 1")
        assert levels(caplog) == [logging.INFO]
        now[0] += 10
        line.show("0 of 1")
        assert levels(caplog) == [logging.INFO, logging.WARNING], "the same text, because nobody may have seen it"
        now[0] += 299
        line.show("1 of 1")
        assert levels(caplog)[2:] == [logging.INFO]
        now[0] += 1
        line.show("1 of 1")
        assert levels(caplog)[3:] == [logging.WARNING]


def test_in_a_notebook_the_line_goes_at_the_end(monkeypatch):
    shown = []
    cell = SimpleNamespace(update=lambda data, *, raw: raw and shown.append(data["text/plain"]))
    ipython = SimpleNamespace(
        get_ipython=lambda: SimpleNamespace(kernel=None), display=SimpleNamespace(display=lambda *_, **__: cell)
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    with Progress() as line:
        for text in ("0 of 1", "0 of 1", "1 of 1"):
            line.show(text)
    assert shown == ["0 of 1", "1 of 1", ""]


def test_in_a_terminal_one_line_changes_and_leaves_nothing_of_a_longer_text(monkeypatch):
    terminal, program = pty.openpty()
    with os.fdopen(program, "w", encoding="utf-8") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        with Progress() as line:
            for text in ("0 of 1, looking", "0 of 1, looking", "1 of 1"):
                line.show(text)
        stream.flush()
        written = os.read(terminal, 1 << 10).decode()
    os.close(terminal)
    assert written == "\r0 of 1, looking\r1 of 1         \r\n"
