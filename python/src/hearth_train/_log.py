"""Hearth's log lines go to Python's ``logging``, under the logger ``hearth``."""

from __future__ import annotations

import atexit
import logging
from typing import TYPE_CHECKING

from ._errors import ForkedError
from ._table import LOG_FUNCTION

if TYPE_CHECKING:
    from ._table import Table

LOGGER = logging.getLogger("hearth")


def _take(_user: int | None, level: int, logger: bytes, text: bytes) -> None:
    short = logger.decode(errors="replace").rsplit(".", 1)[-1]
    LOGGER.log(level, "%s", text.decode(errors="replace"), extra={"java_class": short})


_FUNCTION = LOG_FUNCTION(_take)


def connect(table: Table) -> None:
    """Send lines from the level of the logger ``hearth`` on; call again after a change of that level."""
    table.on_log(max(LOGGER.getEffectiveLevel(), 1), _FUNCTION, None)


def at_exit(table: Table) -> None:
    """Arrange that no thread of the JVM enters Python when its interpreter ends."""
    atexit.register(_disconnect, table)


def _disconnect(table: Table) -> None:
    try:
        table.on_log(logging.ERROR, None, None)
    except ForkedError:
        return  # in a child there is no such thread
