"""A trainer's group: the ranks that it computes with."""

from __future__ import annotations

import atexit
import ctypes
import json
import operator
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from . import _jvm, _log
from ._buffers import Buffer, buffer
from ._calls import Calls
from ._errors import DeadlineError, HearthError, ReenterableError
from ._progress import Progress
from ._table import REDUCTIONS
from ._work import Work, bytes_of, check, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from ._table import Table

_LEAVE_SECONDS = 0.7  # at the end of a program that did not close
_START_LEAST_MILLIS = 5_000  # for the start of a group whose ranks were found in the last moment
_DELAY = 0.1
_OPEN_MOST = 64  # collectives, as in hearth.h: one more would block in Java, where no signal ends it
_REENTRIES_MOST = 5  # in a row
_BESIDE = frozenset(("send", "receive", "begin_step"))  # they are not in the queue of the collectives

_Handle = ctypes.c_int64
_NONE = _Handle(0)
_SECONDS_MOST = 3e9

T = TypeVar("T")

_connected = threading.Event()


def _functions() -> Table:
    table = _jvm.table()
    _log.connect(table)
    if not _connected.is_set():
        _connected.set()
        _log.at_exit(table)
    return table


def texts(settings: Mapping[str, object]) -> dict[str, str]:
    """Return settings as Hearth reads them: lists joined by commas, true and false, without those that are None.

    Raises ValueError for a value of more than one line.
    """
    found = {}
    for key, value in settings.items():
        if value is None:
            continue
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        if isinstance(value, bool):
            text = text.lower()
        if "\n" in text or "\r" in text:
            raise ValueError(f"{key} must be one line, got {text!r}")
        found[key] = text
    return found


def _seconds(timeout: float) -> float:
    """Return a time to wait in seconds; infinity is longer than anybody waits.

    Raises ValueError for NaN and for less than 0.
    """
    if not timeout >= 0:
        raise ValueError(f"timeout must be 0 or more seconds, got {timeout}")
    return min(timeout, _SECONDS_MOST)


def _millis_until(end: float) -> int:
    """Return the time until a moment of the monotonic clock, in whole milliseconds; 0 if it has passed."""
    return max(0, int((end - time.monotonic()) * 1e3))


def _settings(settings: Mapping[str, object]) -> str:
    return "\n".join(f"{key}={text}" for key, text in texts(settings).items())


class Group:
    """The ranks of one training job. All ranks make the same calls in the same order.

    One thread calls at a time; calls that were begun (``..._async``) run one after the other. If a machine is lost, the
    others repeat the open call without it: ``rank`` and ``world_size`` change then, and no call fails.
    """

    def __init__(
        self, world_size: int | None = None, timeout: float = 60.0, settings: Mapping[str, object] | None = None
    ) -> None:
        """Start a trainer, wait for the others, and begin the group; see :func:`hearth_train.init`."""
        least = 2 if world_size is None else operator.index(world_size)
        if least < 1:
            raise ValueError(f"world_size must be 1 or more, got {world_size}")
        seconds = _seconds(timeout)
        self._adopt(None, _functions(), is_fail_fast=(settings or {}).get("on_loss") == "fail-fast")
        self._handle = self._made(self._table.open(_settings(settings or {}).encode()))
        end = time.monotonic() + seconds
        try:
            with Progress() as line:
                self._await(line, self._table.wait_for_peers(self._handle, least - 1, _millis_until(end)))
                self._await(line, self._table.start(self._handle, least, max(_millis_until(end), _START_LEAST_MILLIS)))
        except BaseException:
            self.abort()
            raise
        atexit.register(self._at_exit)

    def split(self, ranks: Sequence[int]) -> Group | None:
        """Make a subgroup of some ranks, for collectives among them; None if this rank is not in the list.

        Its members call this with the same list, at the same place among their calls; the others may. Ranks in it are
        places in the list. It has no steps and no shared state; :meth:`close` ends it on this rank only. The calls of a
        group and its subgroups run in one order, the same on all ranks that they have in common.
        """
        numbers = (ctypes.c_int64 * len(ranks))(*ranks)
        handle = self._made(self._table.split(self.handle, numbers, len(ranks)))
        if not handle:
            return None
        some = object.__new__(Group)
        some._adopt(self, self._table, is_fail_fast=self.is_fail_fast)
        some._handle = handle
        return some

    def _adopt(self, whole: Group | None, table: Table, *, is_fail_fast: bool) -> None:
        """Set what a group and a subgroup of ``whole`` begin with."""
        self._whole = whole
        self._table = table
        self._handle = _NONE
        # a subgroup has the lists of its group: the collectives of both are in one queue, and one end leaves both to Java
        self._open: Calls = Calls(_OPEN_MOST) if whole is None else whole._open  # noqa: SLF001 - of this class
        self._beside: Calls = Calls() if whole is None else whole._beside  # noqa: SLF001 - as above; transfers and steps
        self._beginning: dict[object, object] = {}  # memory of calls that are about to begin
        self._shared: dict[str, object] = {}
        self._begun: int | None = None  # the step whose number told steps() that none is left
        self.is_fail_fast = is_fail_fast

    def _end(self, call: int) -> int:
        return Work(self._table, call, None).wait()

    def _made(self, call: int) -> ctypes.c_int64:
        """Return the handle that a call makes. If a signal's handler raises meanwhile, what the call makes is aborted."""
        work = Work(self._table, call, None)
        try:
            return _Handle(work.wait())
        except BaseException:
            threading.Thread(target=_abandon, args=(self._table, work), name="hearth-abandon", daemon=True).start()
            raise

    def _await(self, line: Progress, call: int) -> None:
        """Wait for a call and show how it gets on."""
        work = Work(self._table, call, None)
        while True:
            try:
                work.wait(_DELAY)
            except TimeoutError:
                line.show("hearth: " + text_of(self._table, "progress", self._handle))
            else:
                return

    @property
    def is_open(self) -> bool:
        """Whether it is neither closed nor aborted; a subgroup ends with its group."""
        return bool(self._handle) and (self._whole is None or self._whole.is_open)

    @property
    def handle(self) -> ctypes.c_int64:
        """Number of the group in the C ABI, made once: ctypes would make it anew for every call."""
        if not self.is_open:
            again = "hearth_train.init()" if self._whole is None else "split()"
            raise HearthError(f"this group is closed: call {again} for a new one")
        return self._handle

    @property
    def rank(self) -> int:
        """Rank of this process, 0 to ``world_size - 1``; may change at the end of a call."""
        return check(self._table, self._table.rank(self.handle))

    @property
    def world_size(self) -> int:
        """Number of ranks; may change at the end of a call."""
        return check(self._table, self._table.world_size(self.handle))

    @property
    def is_member(self) -> bool:
        """Whether this process is in the group already, or enters it by its first step."""
        return check(self._table, self._table.is_in_group(self.handle)) == 1

    # ---- collectives ----

    def begin(self, name: str, keep: object, *arguments: object) -> Work:
        """Begin a function of the C ABI; ``keep`` lives until it ends. Waits while 64 collectives are open."""
        handle, function = self.handle, getattr(self._table, name)
        works = self._beside if name in _BESIDE else self._open
        works.make_room()
        token = object()
        self._beginning[token] = keep  # a signal's handler may raise right after the call, and Java uses the memory then
        try:
            call = function(handle, *arguments)
        except ctypes.ArgumentError as refused:
            del self._beginning[token]
            raise TypeError(f"{name}: a rank must be an int ({refused})") from None
        if call < 0:
            del self._beginning[token]
        work = Work(self._table, call, keep)
        works.append(work)  # a call that is not in the list would lose its memory
        del self._beginning[token]
        return work

    def allreduce_async(
        self,
        array: Any,
        op: str = "sum",
        *,
        out: Any = None,
        compression: str | None = None,
        name: str | None = None,
        dtype: str | None = None,
    ) -> Work:
        """Begin :meth:`allreduce`; the arrays belong to the call until it has ended."""
        source = buffer(array, writable=out is None, dtype=dtype)
        target = source if out is None else buffer(out, writable=True, dtype=dtype)
        if (source.bytes, source.type) != (target.bytes, target.type):
            raise ValueError(f"out has {target.elements} {target.name}, and the array has {source.elements} {source.name}")
        return self.begin(
            "all_reduce",
            (source.keep, target.keep),
            source.address,
            target.address,
            source.bytes,
            source.type,
            _reduction(op, source),
            compression.encode() if compression else None,
            name.encode() if name else None,
        )

    def allreduce(
        self,
        array: T,
        op: str = "sum",
        *,
        out: Any = None,
        compression: str | None = None,
        name: str | None = None,
        dtype: str | None = None,
    ) -> T:
        """Combine an array over all ranks, in place, and return it; into ``out`` if that is given.

        ``op`` is sum, avg, min, max or prod; avg divides by the ranks in the result. ``compression`` such as "topk:0.01" or
        "int8" applies to float32; ``name`` tells arrays of one size apart for its error feedback.
        """
        self.allreduce_async(array, op, out=out, compression=compression, name=name, dtype=dtype).wait()
        return array if out is None else out

    def broadcast(self, array: T, root: int = 0, *, dtype: str | None = None) -> T:
        """Replace an array by that of the rank ``root``, in place, and return it."""
        memory = buffer(array, writable=True, dtype=dtype)
        self.begin("broadcast", memory.keep, memory.address, memory.bytes, memory.type, root).wait()
        return array

    def allgather(self, array: Any, out: Any = None, *, dtype: str | None = None) -> Any:
        """Return the arrays of all ranks in rank order, with one more dimension in front.

        ``out`` takes them in place of a new NumPy array. It has the array's type, and its size times the number of ranks,
        else ValueError is raised. Raises HearthError if a rank was lost in between: there are fewer arrays then.
        """
        world = self.world_size
        if out is None:
            import numpy as np  # noqa: PLC0415 - for callers without an array of their own only

            array = own = np.asarray(array, order="C")
            out = np.empty((world, *own.shape), own.dtype)
        block, gathered = buffer(array, writable=False, dtype=dtype), buffer(out, writable=True, dtype=dtype)
        if (gathered.bytes, gathered.type) != (world * block.bytes, block.type):
            raise ValueError(
                f"out has {gathered.elements} {gathered.name}, and allgather of {block.elements} {block.name} over {world} "
                f"ranks needs {world * block.elements} {block.name}"
            )
        work = self.begin(
            "all_gather",
            (block.keep, gathered.keep),
            block.address,
            block.bytes,
            gathered.address,
            gathered.bytes,
            block.type,
        )
        there = work.wait()
        if there != world:
            raise HearthError(f"{world - there} of {world} ranks were lost during allgather: call it again")
        return out

    def barrier(self) -> None:
        """Return once all ranks have called it."""
        self.begin("barrier", None).wait()

    def send(self, array: Any, to: int, *, dtype: str | None = None) -> None:
        """Send an array to one rank, which receives it; beside all collectives."""
        memory = buffer(array, writable=False, dtype=dtype)
        self.begin("send", memory.keep, memory.address, memory.bytes, memory.type, to).wait()

    def receive(self, array: T, source: int, *, dtype: str | None = None) -> T:
        """Receive an array of the same size from one rank, in place, and return it."""
        memory = buffer(array, writable=True, dtype=dtype)
        self.begin("receive", memory.keep, memory.address, memory.bytes, memory.type, source).wait()
        return array

    # ---- state ----

    def share(self, name: str, *arrays: Any) -> None:
        """Name arrays that all ranks keep alike, such as weights and the optimizer's state.

        A rank that enters later gets their contents. Call it again, between two steps, if they moved in memory.
        """
        memory = [buffer(array, writable=True) for array in arrays]
        self.share_memory(name, [(each.address, each.bytes) for each in memory], [each.keep for each in memory])

    def share_memory(self, name: str, places: list[tuple[int, int]], keep: object) -> None:
        """As :meth:`share`, for addresses and numbers of bytes; ``keep`` lives as long as they are shared."""
        pairs = (ctypes.c_int64 * (2 * len(places)))(*(number for place in places for number in place))
        check(self._table, self._table.share(self.handle, name.encode(), pairs, len(places)))
        self._begun = None  # it did not compare this
        self._shared[name] = keep

    def unshare(self, name: str) -> None:
        """End the sharing of a name, on all ranks before the same step."""
        check(self._table, self._table.unshare(self.handle, name.encode()))
        self._begun = None
        self._shared.pop(name, None)

    def share_bytes(self, name: str, most: int) -> None:
        """Name a state of at most ``most`` bytes, for :meth:`set_bytes` and :meth:`get_bytes`."""
        check(self._table, self._table.share_blob(self.handle, name.encode(), most))
        self._begun = None

    def set_bytes(self, name: str, state: bytes) -> None:
        """Set this rank's state of that name, before a step."""
        state = bytes(memoryview(state))
        check(self._table, self._table.set_blob(self.handle, name.encode(), state, len(state)))
        self._begun = None

    def get_bytes(self, name: str) -> bytes:
        """Return this rank's state of that name: that of the others after a step that replaced it."""
        return bytes_of(self._table, "get_blob", self.handle, name.encode())

    def resume_at(self, step: int) -> None:
        """Declare what is shared to be the state after ``step`` steps, before the first one begins."""
        check(self._table, self._table.resume_at(self.handle, step))

    def begin_step(self) -> tuple[int, bool]:
        """Begin a step on all ranks; return its number, and whether the others' state replaced what this rank shares.

        Trainers that came late enter here, and a rank that was outside its group comes back.
        """
        self._begun = None
        work = self.begin("begin_step", list(self._shared.values()))  # another share() or an interrupt must not free it
        step = work.wait()
        return step, work.outcome.first == 1

    def enter_step(self) -> tuple[int, bool]:
        """Begin a step as :meth:`begin_step` does; if this rank was put out of its group meanwhile, again, up to 5 times."""
        for _ in range(_REENTRIES_MOST):
            try:
                return self.begin_step()
            except DeadlineError:
                raise
            except ReenterableError as outside:
                _log.LOGGER.warning("this rank enters its group again: %s", outside)
        return self.begin_step()

    def steps(self, total: int) -> Iterator[int]:
        """Yield the numbers of the steps that are left of ``total``; each begins on all ranks together.

        A later call goes on with the next number, or with the one after it if something was shared in between.
        """
        while True:
            step, self._begun = self._begun, None
            if step is None or not self.is_member:
                step, _ = self.enter_step()
            if step >= total:
                self._begun = step
                return
            yield step

    # ---- the node ----

    def status(self) -> dict[str, Any]:
        """Return what this node sees: nodes, links, reasons, as ``hearth status --json`` does."""
        status: dict[str, Any] = json.loads(text_of(self._table, "status", self.handle))
        return status

    def sent_bytes(self, *, dense: bool = False) -> int:
        """Return the bytes sent so far; with ``dense`` those that the sums would have sent without compression."""
        return check(self._table, self._table.sent_bytes(self.handle, int(dense)))

    def report(self, step: int, loss: float, steps: int = 0) -> None:
        """Tell the agent of this machine, for its page, how the training gets on."""
        check(self._table, self._table.report(self.handle, step, steps, loss))

    def close(self) -> None:
        """Leave the group in order; the others go on. Of a subgroup, this rank's part in it. Idempotent."""
        if self.is_open:
            handle, self._handle = self._handle, _NONE
            self._end(self._table.close(handle))
            atexit.unregister(self._at_exit)

    def abort(self) -> None:
        """End at once; open calls end with an error, and the others find this rank lost. Idempotent."""
        if self.is_open:
            handle, self._handle = self._handle, _NONE
            self._table.abort(handle)
            atexit.unregister(self._at_exit)

    def _at_exit(self) -> None:
        if not _jvm.is_ours():
            return
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # Java may use its memory until the process ends
        if self._handle:
            handle, self._handle = self._handle, _NONE
            with suppress(HearthError, TimeoutError):  # the end of the process tells the others
                Work(self._table, self._table.close(handle), None).wait(_LEAVE_SECONDS)

    def __enter__(self) -> Group:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


def _abandon(table: Table, work: Work) -> None:
    """Abort what a call makes, once it has ended."""
    work.await_end()
    if work.outcome.answer > 0:
        table.abort(work.outcome.answer)


def _reduction(op: str, array: Buffer) -> int:
    number = REDUCTIONS.get(op)
    if number is None:
        raise ValueError(f"op must be one of {', '.join(REDUCTIONS)}, got {op!r}")
    if array.name == "bool" and op not in ("min", "max"):
        raise TypeError("bools can be combined with op='max' (any) or op='min' (all) only")
    return number
