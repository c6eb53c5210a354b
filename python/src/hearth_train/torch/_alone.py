"""Calls that end with this rank's own values: of a group of one, and of a rank that the others went on without."""

from __future__ import annotations

import ctypes

import hearth_train
from hearth_train._log import LOGGER


class Ended:
    """A call that has ended."""

    class outcome:  # noqa: N801 - as of a call
        answer, first, count = 1, 0, 0

    @staticmethod
    def done() -> bool:
        return True

    @staticmethod
    def wait(timeout: float | None = None) -> int:  # noqa: ARG004 - as of a call
        return 1

    @staticmethod
    def await_end(timeout: float) -> bool:  # noqa: ARG004 - as above
        return True


class Alone:
    """Answers from the own values, as a group of one rank does."""

    rank = 0
    world_size = 1

    @staticmethod
    def begin(name: str, _keep: object, *arguments: int) -> Ended:
        """Run a function of the C ABI at once."""
        if name in ("all_gather", "gather"):
            block, block_bytes, gathered = arguments[:3]
            ctypes.memmove(gathered, block, block_bytes)
        elif name not in ("all_reduce", "broadcast", "reduce", "barrier"):
            raise hearth_train.HearthError(f"{name} is not possible before the first step")
        return Ended()


class Excuse:
    """Lets DDP's calls in one step of ``Elastic`` end with the own values if this rank is put out of its group meanwhile.

    It enters by its next step and takes over the others' state, so what it computes in this step does not count.
    """

    def __init__(self) -> None:
        self._is_told = False

    def accepts(self, failed: Exception) -> bool:
        """Return whether a call may end so, and say so once. A deadline is an error: nobody went on then."""
        if not isinstance(failed, hearth_train.ReenterableError) or isinstance(failed, hearth_train.DeadlineError):
            return False
        if not self._is_told:
            self._is_told = True
            LOGGER.warning("this step does not count on this rank, and the next one enters again: %s", failed)
        return True
