"""The calls of a group that were begun: their memory must live until they have ended, whoever forgets them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._work import Work

_LISTED = 16  # calls that are listed before any of them is asked whether it has ended
_DELAY = 0.1


class Calls:
    """Calls, some of which may have ended. A call that is not in the list would lose its memory."""

    def __init__(self, most: int | None = None) -> None:
        """Hold no calls; ``most`` limits how many are open at a time."""
        self._most = most
        self._lock = threading.Lock()
        self._works: list[Work] = []
        self._asked_at = _LISTED  # how many calls are listed when they are asked next

    def make_room(self) -> None:
        """Forget the calls that have ended, now and then; wait for one if as many are open as may be."""
        while len(self._works) >= self._asked_at:
            with self._lock:
                listed = len(self._works)  # another thread may append meanwhile
                self._works[:listed] = [each for each in self._works[:listed] if not each.done()]
                # twice as many as are open, so that many open calls do not make each beginning slow
                self._asked_at = max(_LISTED, 2 * len(self._works))
                if self._most is None:
                    return
                self._asked_at = min(self._asked_at, self._most)
                first = self._works[0] if len(self._works) >= self._most else None
            if first is None:
                return
            first.await_end(_DELAY)

    def append(self, work: Work) -> None:
        """Hold a call that was begun."""
        self._works.append(work)
