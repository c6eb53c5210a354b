"""What a collective of torch returns."""

from __future__ import annotations

import queue
import threading
import time
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any

import torch
from torch._C._distributed_c10d import Work

from hearth_train import HearthError, PeerLostError, ReenterableError
from hearth_train import Work as Call

from ._compiler import runs_as_it_is

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from ._alone import Excuse

_THREADS_MOST = 32  # of a group, if that many callbacks wait for later collectives
_IDLE_SECONDS = 10.0
_OF_CALLS = (HearthError, ValueError, MemoryError)  # what the end of a call raises
_UNAWAITED_MOST = 64  # programs that never ask for the end would keep all their tensors


class Again:
    """A broadcast of rank 0 that begins again when rank 0 is lost: the rank that has its place then holds the same values.

    All ranks that are left get the same error for the same broadcast, so all of them begin the same one again. DDP
    broadcasts the buffers of rank 0 before each forward pass.
    """

    def __init__(self, call: Call, begin: Callable[[], Call]) -> None:
        self._call = call
        self._begin = begin
        self._lock = threading.Lock()

    def done(self) -> bool:
        return self._call.done()

    def await_end(self, timeout: float) -> bool:
        """Wait for the end of the last one; return False if it has not ended after ``timeout`` seconds."""
        end = time.monotonic() + timeout
        while True:
            call = self._call
            if not call.await_end(max(0.0, end - time.monotonic())):
                return False
            try:
                call.wait()
            except PeerLostError:
                self._begin_again(call)
            except Exception:  # noqa: BLE001 - raised by wait
                return True
            else:
                return True

    def wait(self) -> int:
        while True:
            call = self._call
            try:
                return call.wait()
            except PeerLostError:
                self._begin_again(call)

    def _begin_again(self, lost: Call) -> None:
        """Begin again after a call was lost, unless another thread has."""
        with self._lock:
            if self._call is lost:
                self._call = self._begin()

    @property
    def outcome(self) -> Any:
        return self._call.outcome


@runs_as_it_is
class HearthWork(Work):
    """Calls of one collective. Its future is for DDP and hooks; plain waits need no further thread.

    torch ends the process if an exception is set on a future of a collective. So the future of a failed one is completed
    like any other, and the exception is raised by its ``then`` callback, and by ``wait``.
    """

    def __init__(
        self,
        calls: list[Call] | list[Again],
        result: list[torch.Tensor],
        finish: Callable[[list[Any]], object] | None,
        waiter: Waiter,
        excuse: Excuse | None = None,
    ) -> None:
        super().__init__()
        self._excuse = excuse
        self._calls = calls
        self._result = result
        self._finish = finish
        self._waiter = waiter
        self._lock = threading.Lock()
        self._future_lock = threading.Lock()
        self._is_settled = False
        self._failure: Exception | None = None
        self._future: torch.futures.Future[Any] | None = None
        self._waits_left = 1
        waiter.keep(self)

    def of_each(self) -> HearthWork:
        """Return this work, for which each tensor of its result is waited: the functional collectives do so."""
        self._waits_left = len(self._result)
        return self

    def settle(self) -> Exception | None:
        """Wait for the end and bring the results where they belong; return the failure, if there is one."""
        with self._lock:
            if not self._is_settled:
                try:
                    for call in self._calls:
                        call.wait()
                    if self._finish is not None:
                        self._finish(self._calls)
                except Exception as failed:
                    if threading.current_thread() is threading.main_thread() and not isinstance(failed, _OF_CALLS):
                        raise  # of a signal's handler, perhaps: the result comes all the same
                    if self._excuse is None or not self._excuse.accepts(failed):
                        self._failure = _in_terms_of_torch(failed)  # raised by each wait
                self._is_settled = True
                self._finish = None
        return self._failure

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for the end. A timeout of 0 is none, as torch has it.

        Raises TimeoutError after ``timeout``; the collective goes on then.
        """
        if timeout:
            end = time.monotonic() + timeout.total_seconds()
            if not all(call.await_end(max(0.0, end - time.monotonic())) for call in self._calls):
                raise TimeoutError(f"the collective has not ended after {timeout.total_seconds()} s; it goes on")
        failure = self.settle()
        self._waits_left -= 1
        if self._waits_left <= 0:
            self._waiter.let_go(self)
        if failure is not None:
            raise failure
        return True

    def is_completed(self) -> bool:
        return all(call.done() for call in self._calls)

    def is_success(self) -> bool:
        return self.is_completed() and self.settle() is None

    def exception(self) -> Exception | None:
        return self.settle()

    def synchronize(self) -> None:
        self.wait()

    def result(self) -> list[torch.Tensor]:
        self.wait()
        return self._result

    def get_future(self) -> torch.futures.Future[Any]:
        with self._future_lock:
            if self._future is None:
                ended = self._settles_at_once()  # as small sums mostly do
                base: torch.futures.Future[Any] = torch.futures.Future()
                future = base.then(self._deliver)
                if ended:
                    base.set_result(None)
                else:
                    self._waiter.watch(self, base)
                    self._end_backward_with_this()
                self._waiter.let_go(self)  # the future holds it now
                self._future = future
        return self._future

    def _end_backward_with_this(self) -> None:
        """Let a backward pass wait here for the end. DDP waits in C++, where no signal's handler runs before the end comes."""
        if torch._C._current_graph_task_id() >= 0 and threading.current_thread() is threading.main_thread():  # noqa: SLF001
            torch.autograd.Variable._execution_engine.queue_callback(self._await_end)  # noqa: SLF001 - as FSDP does

    def _await_end(self) -> None:
        self.settle()

    def _settles_at_once(self) -> bool:
        """Settle if all calls have ended and nothing is left to be done, which could fail or wait."""
        if self._finish is not None or not all(isinstance(call, Call) and call.done() for call in self._calls):
            return False
        self.settle()
        return True

    def _deliver(self, _: object) -> list[torch.Tensor]:
        if self._failure is not None:
            raise self._failure
        return self._result


def _in_terms_of_torch(failed: Exception) -> Exception:
    """Return an exception whose text names calls that a script of torch has."""
    if not isinstance(failed, ReenterableError):
        return failed
    return type(failed)(
        f"{failed}; a script without steps (hearth_train.torch.Elastic) enters by dist.destroy_process_group() and "
        "dist.init_process_group()"
    )


class Waiter:
    """Completes futures. One thread at a time waits, in the order of the calls, and completes the future of what has ended.

    A callback of a future may wait for a later collective, as that of the PowerSGD hook does. So before a thread completes a
    future, it leaves the wait for the next one to another thread. A thread ends after 10 s without work. All threads are
    daemons: none keeps the program from its end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: deque[tuple[HearthWork, Any]] = deque()
        self._has_waiter = False  # or one was woken
        self._threads = 0
        self._idle = 0
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()  # one entry for each idle thread that is to wait
        self._unawaited: OrderedDict[int, HearthWork] = OrderedDict()

    def keep(self, work: HearthWork) -> None:
        """Keep a work until somebody asks for its end.

        C++ code that waits for a work, as that of DDP's constructor, holds no Python object. In torch 2.6 the methods of a
        work are gone with its object, and the wait never ends.
        """
        self._unawaited[id(work)] = work
        if len(self._unawaited) > _UNAWAITED_MOST:
            self._unawaited.popitem(last=False)

    def let_go(self, work: HearthWork) -> None:
        self._unawaited.pop(id(work), None)

    def watch(self, work: HearthWork, future: Any) -> None:
        """Complete a future when its work has ended."""
        with self._lock:
            self._watched.append((work, future))
            if not self._has_waiter:
                self._has_waiter = self._wake()

    def _wake(self) -> bool:
        """Let another thread wait, with the lock held; return whether there is one."""
        if self._idle:
            self._idle -= 1
            self._wakes.put(None)
        elif self._threads < _THREADS_MOST:
            self._threads += 1
            threading.Thread(target=self._run, name="hearth-waiter", daemon=True).start()
        else:
            return False
        return True

    def _run(self) -> None:
        while True:
            with self._lock:
                work, future = self._watched.popleft()
            work.settle()
            with self._lock:
                self._has_waiter = bool(self._watched) and self._wake()
            future.set_result(None)
            del work, future
            with self._lock:
                is_waiter = bool(self._watched) and not self._has_waiter
                self._has_waiter |= is_waiter
                self._idle += not is_waiter
            if not is_waiter and not self._is_woken():
                return

    def _is_woken(self) -> bool:
        """Wait idly until this thread is to wait for a work; return False if it is to end."""
        try:
            self._wakes.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                if self._wakes.empty():  # else the wake-up of an idle thread came just now
                    self._idle -= 1
                    self._threads -= 1
                    return False
                self._wakes.get_nowait()
        return True
