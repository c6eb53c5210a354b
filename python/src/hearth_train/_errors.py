"""Exceptions, by the stable numbers of the C ABI (``hearth.h``)."""

from __future__ import annotations


class HearthError(RuntimeError):
    """A failure outside the program. Its text says what happened and what to do."""


class CollectiveError(HearthError):
    """A collective has no result; its buffers are as they were."""


class MismatchError(CollectiveError):
    """The ranks made different calls; raised on all of them, and names the calls."""


class PeerLostError(CollectiveError):
    """A rank was lost, and the collective could not go on without it."""


class NonFiniteError(CollectiveError):
    """A gradient that was to be compressed was infinite or not a number."""


class ReenterableError(CollectiveError):
    """The rank is outside its group; the next step (``begin_step``) takes it back."""


class DeadlineError(ReenterableError):
    """The deadline passed; the text says what the call waited for."""


class NotEnoughRanksError(DeadlineError):
    """There were fewer ranks than the group needs."""


class StateSyncError(ReenterableError):
    """The shared state did not arrive at this rank."""


class SetupError(HearthError):
    """Something on this machine is missing or wrong, such as the secret or a JDK."""


class NotEnoughPeersError(HearthError):
    """Too few trainers came in time; the text names those found, those refused, and the reasons."""


class ForkedError(HearthError):
    """A child process that was forked after Hearth started has no connection to the group."""


_BY_NUMBER: dict[int, type[Exception]] = {
    1: HearthError,
    2: CollectiveError,
    3: MismatchError,
    4: DeadlineError,
    5: ReenterableError,
    6: ReenterableError,
    7: HearthError,
    8: NotEnoughPeersError,
    9: NotEnoughRanksError,
    10: PeerLostError,
    11: ReenterableError,
    12: SetupError,
    13: StateSyncError,
    14: NonFiniteError,
    64: ValueError,
    65: HearthError,
    66: HearthError,
    67: MemoryError,
    68: HearthError,
}


_NAMES = (("beginStep()", "begin_step()"), ("resumeAt(", "resume_at("), ("call context() again to wait on", "wait for longer"))


def error(answer: int, text: str) -> Exception:
    """Return the exception for a negative answer of the ABI; its text has Python's names of the calls."""
    for java, python in _NAMES:
        text = text.replace(java, python)
    return _BY_NUMBER.get(-answer, HearthError)(text)
