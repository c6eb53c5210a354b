"""The process group of torch over a group of Hearth."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from hearth_train import HearthError, MismatchError, ReenterableError
from hearth_train._table import REDUCTIONS

from ._alone import Alone, Ended, Excuse
from ._compiler import runs_as_it_is
from ._tensors import Memory, element_type, join, joined, part, require_alike
from ._work import Again, HearthWork, Waiter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hearth_train import Group
    from hearth_train import Work as Call

_REDUCTIONS = (
    (dist.ReduceOp.SUM, "sum"),
    (dist.ReduceOp.AVG, "avg"),
    (dist.ReduceOp.MIN, "min"),
    (dist.ReduceOp.MAX, "max"),
    (dist.ReduceOp.PRODUCT, "prod"),
)
_OF_DDP = ("torch.nn.parallel.distributed", "torch.distributed.utils")  # call broadcast through C++, so their frame is next
_OF_BOOLS = {"sum": "max", "prod": "min", "max": "max", "min": "min"}


def _name_of(chosen: Any) -> str:
    """Return the name of a reduction of torch; it can be compared, but is no key."""
    for op, name in _REDUCTIONS:
        if chosen == op:
            return name
    kinds = dist.ReduceOp.RedOpType.__members__.items()
    asked = next((kind for kind, op in kinds if chosen == op), str(chosen))
    raise ValueError(f"the reduction {asked} is not supported: Hearth has {', '.join(REDUCTIONS)}")


def _reduction(opts: Any, tensor: torch.Tensor) -> int:
    """Return the number of the reduction for a tensor."""
    name = "sum" if opts is None else _name_of(opts.reduceOp)
    if tensor.dtype == torch.bool:
        if name not in _OF_BOOLS:
            raise TypeError(f"bools have no reduction {name}")
        name = _OF_BOOLS[name]
    return REDUCTIONS[name]


def _require_one_each(tensors: list[torch.Tensor], world: int) -> None:
    if len(tensors) != world:
        raise ValueError(f"a tensor for each of {world} ranks is needed, got {len(tensors)}")


@runs_as_it_is
class ProcessGroupHearth(dist.ProcessGroup):
    """All ranks of a group, or of a subgroup. Rank and size are those of now: they change when a machine is lost or enters.

    Tensors on the CPU without gaps are used where they lie; others (also those of Apple's GPU, "mps") go through a copy.
    """

    def __init__(self, group: Group, name: str, *, closes: bool) -> None:
        self._rank, self._size = (group.rank, group.world_size) if group.is_member else (0, 1)
        super().__init__(self._rank, self._size)
        self.hearth = group
        self._ranks: Any = group
        self._name = name
        self._desc = ""
        self._closes = closes
        self._waiter = Waiter()
        self._excuse: Excuse | None = None
        self.elastic: object = None  # the Elastic that runs, or has run, or was the first to be made

    # ---- names ----

    def getBackendName(self) -> str:  # noqa: N802 - torch's name, as all below
        return "hearth"

    def rank(self) -> int:
        """Return the rank; outside the group that of its time inside, so that not every rank takes itself for the first."""
        if self._ranks is not self.hearth:
            return int(self._ranks.rank)
        if self.hearth.is_member:
            self._rank = self.hearth.rank
        return self._rank

    def size(self) -> int:
        """Return the number of ranks, likewise."""
        if self._ranks is not self.hearth:
            return int(self._ranks.world_size)
        if self.hearth.is_member:
            self._size = self.hearth.world_size
        return self._size

    getRank = rank  # noqa: N815
    getSize = size  # noqa: N815

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Answer all calls from the own values, as a group of one, while a block runs."""
        self._ranks = Alone()
        try:
            yield
        finally:
            self._ranks = self.hearth

    @contextmanager
    def excusing(self) -> Iterator[None]:
        """Let DDP's calls end with the own values if this rank is put out of its group while a block runs."""
        self._excuse = Excuse()
        try:
            yield
        finally:
            self._excuse = None

    def getGroupName(self) -> str:  # noqa: N802
        return self._name

    def setGroupName(self, name: str) -> None:  # noqa: N802
        self._name = name

    def getGroupDesc(self) -> str:  # noqa: N802
        return self._desc

    def setGroupDesc(self, desc: str) -> None:  # noqa: N802
        self._desc = desc

    def setTimeout(self, timeout: timedelta) -> None:  # noqa: N802
        """Ignored: Hearth's deadline is that of ``init_process_group``."""

    def _get_backend(self, device: torch.device) -> ProcessGroupHearth:  # noqa: ARG002 - one for all devices
        return self

    @property
    def _device_types(self) -> list[torch.device]:
        """The device for torch's own helpers, such as those of checkpoints; none while torch still makes this group.

        A group that is not in C++ must have none then, because torch would attach its recorder to it.
        """
        return [torch.device("cpu")] if self in distributed_c10d._world.pg_map else []  # noqa: SLF001 - it has no other name

    @property
    def supports_coalescing(self) -> bool:
        """Transfers begin one by one, and run at a time all the same."""
        return False

    @property
    def supports_splitting(self) -> bool:
        """``dist.split_group`` has no counterpart; ``dist.new_group`` makes a group of some ranks."""
        return False

    def shutdown(self) -> None:
        if self._closes:
            self.hearth.close()

    def abort(self) -> None:
        if self._closes:
            self.hearth.abort()

    # ---- helpers ----

    def _work(
        self,
        calls: list[Any],
        result: list[torch.Tensor],
        *memories: Memory,
        finish: Callable[[list[Any]], object] | None = None,
        excuse: Excuse | None = None,
    ) -> HearthWork:
        copies = [each.finish for each in memories if each.finish is not None]
        if not copies:
            return HearthWork(calls, result, finish, self._waiter, excuse)

        def finish_all(ended: list[Any]) -> None:
            if finish is not None:
                finish(ended)
            for copy in copies:
                copy()

        return HearthWork(calls, result, finish_all, self._waiter, excuse)

    @staticmethod
    def _begun(begin: Callable[[], Call], excuse: Excuse | None) -> Call | Ended:
        try:
            return begin()
        except ReenterableError as outside:
            if excuse is None or not excuse.accepts(outside):
                raise
            return Ended()

    def _excuse_in_backward(self) -> Excuse | None:
        """Return the excuse for calls of a backward pass: those are of DDP, and of its hook."""
        return self._excuse if torch._C._current_graph_task_id() >= 0 else None  # noqa: SLF001 - it has no other name

    @staticmethod
    def _all_there(what: str, world: int) -> Callable[[list[Any]], None]:
        """Return a check that no rank was lost in between: a result with fewer blocks has another form.

        ``world`` is the number of ranks for which the tensors were checked, before the call began.
        """

        def check(calls: list[Any]) -> None:
            for call in calls:
                there = call.outcome.answer
                if there != world:
                    raise HearthError(f"{world - there} of {world} ranks were lost during {what}: call it again")

        return check

    # ---- sums ----

    def allreduce(self, tensors: list[torch.Tensor], opts: Any = None) -> HearthWork:
        calls, memories = [], []
        excuse = self._excuse_in_backward()
        for tensor in tensors:
            memory = Memory(tensor, written=True)
            memories.append(memory)
            calls.append(self._begun(partial(self._all_reduce, memory, _reduction(opts, tensor)), excuse))
        return self._work(calls, tensors, *memories, excuse=excuse)

    def _all_reduce(self, memory: Memory, op: int, codec: str | None = None, name: str | None = None) -> Call:
        begun: Call = self._ranks.begin(
            "all_reduce",
            memory,
            memory.address,
            memory.address,
            memory.bytes,
            memory.type,
            op,
            codec.encode() if codec else None,
            name.encode() if name else None,
        )
        return begun

    def allreduce_coalesced(self, tensors: list[torch.Tensor], opts: Any = None) -> HearthWork:
        return self.allreduce(tensors, opts).of_each()

    def compressed(self, tensor: torch.Tensor, op: str, codec: str, name: str) -> HearthWork:
        """Begin an all-reduce through a codec, with error feedback by name."""
        memory = Memory(tensor, written=True)
        excuse = self._excuse_in_backward()
        call = self._begun(partial(self._all_reduce, memory, REDUCTIONS[op], codec, name), excuse)
        return self._work([call], [tensor], memory, excuse=excuse)

    def reduce(self, tensors: list[torch.Tensor], opts: Any = None) -> HearthWork:
        root = 0 if opts is None else opts.rootRank
        calls, memories = [], []
        for tensor in tensors:
            memory = Memory(tensor, written=self._ranks.rank == root)
            memories.append(memory)
            op = _reduction(opts, tensor)
            calls.append(self._ranks.begin("reduce", memory, memory.address, memory.bytes, memory.type, op, root))
        return self._work(calls, tensors, *memories)

    # ---- copies to all ----

    def broadcast(self, tensors: list[torch.Tensor], opts: Any = None) -> HearthWork:
        root = 0 if opts is None else opts.rootRank
        # After a loss another rank is number 0. For the model of DDP its values are as good, for a script's own they are not.
        caller = sys._getframe(1).f_globals.get("__name__")  # noqa: SLF001 - nothing else tells them apart
        if root == 0 and caller in _OF_DDP:
            return self.broadcast_from_first(tensors, self._excuse)
        memories = [Memory(tensor, written=True) for tensor in tensors]
        return self._work([self._broadcast(memory, root) for memory in memories], tensors, *memories)

    def broadcast_from_first(self, tensors: list[torch.Tensor], excuse: Excuse | None = None) -> HearthWork:
        """Begin a broadcast of rank 0, and again if that is lost, of the rank that has its place then."""
        memories = [Memory(tensor, written=True) for tensor in tensors]
        begins = [partial(self._broadcast, memory, 0) for memory in memories]
        calls: list[Any] = [self._begun(begin, excuse) for begin in begins]
        if not self.hearth.is_fail_fast:
            calls = [Again(call, begin) for call, begin in zip(calls, begins, strict=True)]
        return self._work(calls, tensors, *memories, excuse=excuse)

    def _broadcast(self, memory: Memory, root: int) -> Call:
        begun: Call = self._ranks.begin("broadcast", memory, memory.address, memory.bytes, memory.type, root)
        return begun

    def _all_gather(self, flat: torch.Tensor, tensor: torch.Tensor, world: int) -> tuple[Call, Memory, Memory]:
        block = Memory(tensor, written=False)
        gathered = Memory(flat, written=True, read=False)
        if gathered.type != block.type:
            raise ValueError(f"tensors of one call must be alike, got {tensor.dtype} and {flat.dtype}")
        if gathered.bytes != world * block.bytes:
            raise ValueError(
                f"all_gather of {tensor.numel()} elements over {world} ranks gives {world * tensor.numel()}, and the output "
                f"has {flat.numel()}"
            )
        call = self._ranks.begin(
            "all_gather",
            (block, gathered),
            block.address,
            block.bytes,
            gathered.address,
            gathered.bytes,
            block.type,
        )
        return call, block, gathered

    def allgather(
        self,
        outputs: list[list[torch.Tensor]],
        inputs: list[torch.Tensor],
        opts: Any = None,  # noqa: ARG002
    ) -> HearthWork:
        world = self._ranks.world_size
        for into, tensor in zip(outputs, inputs, strict=True):
            _require_one_each(into, world)
            require_alike(into, tensor)
        calls: list[Any] = []
        flats = []
        for into, tensor in zip(outputs, inputs, strict=True):
            flat = torch.empty(len(into) * tensor.numel(), dtype=tensor.dtype, device="cpu")
            call, _, _ = self._all_gather(flat, tensor, world)
            calls.append(call)
            flats.append(flat)
        check = self._all_there("all_gather", world)

        def finish(ended: list[Any]) -> None:
            check(ended)
            for into, flat in zip(outputs, flats, strict=True):
                part(into, flat)

        return self._work(calls, [each for into in outputs for each in into], finish=finish)

    def allgather_coalesced(
        self, outputs: list[list[torch.Tensor]], inputs: list[torch.Tensor], opts: Any = None
    ) -> HearthWork:
        # torch gives one list for each rank here, and one tensor for each input in it
        return self.allgather([list(each) for each in zip(*outputs, strict=True)], inputs, opts)

    def all_gather_single(self, output: torch.Tensor, tensor: torch.Tensor, opts: Any = None) -> HearthWork:  # noqa: ARG002
        world = self._ranks.world_size
        call, _, gathered = self._all_gather(output, tensor, world)
        return self._work([call], [output], gathered, finish=self._all_there("all_gather", world))

    _allgather_base = all_gather_single

    def allgather_into_tensor_coalesced(
        self,
        outputs: list[torch.Tensor],
        inputs: list[torch.Tensor],
        opts: Any = None,  # noqa: ARG002
    ) -> HearthWork:
        world = self._ranks.world_size
        begun = [self._all_gather(output, tensor, world) for output, tensor in zip(outputs, inputs, strict=True)]
        return self._work(
            [call for call, _, _ in begun],
            outputs,
            *(gathered for _, _, gathered in begun),
            finish=self._all_there("all_gather", world),
        ).of_each()

    # ---- parts of a sum ----

    def _reduce_scatter(self, flat: torch.Tensor, opts: Any) -> Call:
        memory = Memory(flat, written=True)
        op = _reduction(opts, flat)
        begun: Call = self._ranks.begin("reduce_scatter", memory, memory.address, memory.bytes, memory.type, op)
        return begun

    def _own_part(self, outputs: list[torch.Tensor], flats: list[torch.Tensor], world: int) -> Callable[[list[Any]], None]:
        check = self._all_there("reduce_scatter", world)

        def finish(calls: list[Any]) -> None:
            check(calls)
            for call, output, flat in zip(calls, outputs, flats, strict=True):
                first, count = call.outcome.first, call.outcome.count
                output.detach().copy_(flat[first : first + count].view(output.shape))

        return finish

    def reduce_scatter(self, outputs: list[torch.Tensor], inputs: list[list[torch.Tensor]], opts: Any = None) -> HearthWork:
        world = self._ranks.world_size
        flats = []
        for output, parts in zip(outputs, inputs, strict=True):
            _require_one_each(parts, world)
            require_alike(parts, output)
            flat = joined(parts)
            join(parts, flat)
            flats.append(flat)
        calls = [self._reduce_scatter(flat, opts) for flat in flats]
        return self._work(calls, outputs, finish=self._own_part(outputs, flats, world))

    def reduce_scatter_single(self, output: torch.Tensor, tensor: torch.Tensor, opts: Any = None) -> HearthWork:
        return self.reduce_scatter_tensor_coalesced([output], [tensor], opts)

    _reduce_scatter_base = reduce_scatter_single

    def reduce_scatter_tensor_coalesced(
        self, outputs: list[torch.Tensor], inputs: list[torch.Tensor], opts: Any = None
    ) -> HearthWork:
        world = self._ranks.world_size
        for output, tensor in zip(outputs, inputs, strict=True):
            element_type(tensor)
            if tensor.numel() != world * output.numel():
                raise ValueError(
                    f"reduce_scatter of {tensor.numel()} elements over {world} ranks gives {tensor.numel() / world} to "
                    f"each, and the output has {output.numel()}"
                )
        flats = [tensor.detach().to("cpu", copy=True).contiguous().view(-1) for tensor in inputs]
        calls = [self._reduce_scatter(flat, opts) for flat in flats]
        return self._work(calls, outputs, finish=self._own_part(outputs, flats, world)).of_each()

    # ---- to and from one rank ----

    def gather(self, outputs: list[list[torch.Tensor]], inputs: list[torch.Tensor], opts: Any = None) -> HearthWork:
        root = 0 if opts is None else opts.rootRank
        world = self._ranks.world_size
        tensor = inputs[0]
        is_root = self._ranks.rank == root
        into = outputs[0] if is_root else []
        if is_root:
            _require_one_each(into, world)
            require_alike(into, tensor)
        flat = torch.empty(len(into) * tensor.numel(), dtype=tensor.dtype, device="cpu")
        block, gathered = Memory(tensor, written=False), Memory(flat, written=True)
        call = self._ranks.begin(
            "gather",
            (block, gathered),
            block.address,
            block.bytes,
            gathered.address,
            gathered.bytes,
            block.type,
            root,
        )
        check = self._all_there("gather", world)

        def finish(ended: list[Any]) -> None:
            check(ended)
            if is_root:
                part(into, flat)

        return self._work([call], into, finish=finish)

    def scatter(self, outputs: list[torch.Tensor], inputs: list[list[torch.Tensor]], opts: Any = None) -> HearthWork:
        root = 0 if opts is None else opts.rootRank
        world = self._ranks.world_size
        output = outputs[0]
        parts = inputs[0] if self._ranks.rank == root else []
        flat = torch.empty(0, dtype=output.dtype, device="cpu")
        if parts:
            _require_one_each(parts, world)
            require_alike(parts, output)
            flat = joined(parts)
            join(parts, flat)
        blocks, block = Memory(flat, written=False), Memory(output, written=True, read=False)
        call = self._ranks.begin(
            "scatter",
            (blocks, block),
            blocks.address,
            blocks.bytes,
            block.address,
            block.bytes,
            block.type,
            root,
        )
        return self._work([call], outputs, block, finish=self._all_there("scatter", world))

    def send(self, tensors: list[torch.Tensor], to: int, tag: int = 0) -> HearthWork:
        self._require_no_tag(tag)
        memory = Memory(tensors[0], written=False)
        call = self._ranks.begin("send", memory, memory.address, memory.bytes, memory.type, to)
        return self._work([call], tensors)

    def recv(self, tensors: list[torch.Tensor], source: int, tag: int = 0) -> HearthWork:
        self._require_no_tag(tag)
        memory = Memory(tensors[0], written=True, read=False)
        call = self._ranks.begin("receive", memory, memory.address, memory.bytes, memory.type, source)
        return self._work([call], tensors, memory)

    def recv_anysource(self, tensors: list[torch.Tensor], tag: int = 0) -> HearthWork:  # noqa: ARG002
        raise ValueError("Hearth receives from a rank that is named: pass src= to recv")

    def _require_no_tag(self, tag: int) -> None:
        if tag != 0:
            raise ValueError(f"Hearth's transfers have no tags, and arrive in the order of their sending; got tag={tag}")

    # ---- all to all ----

    def all_to_all_single(
        self,
        output: torch.Tensor,
        tensor: torch.Tensor,
        output_splits: list[int] | None = None,
        input_splits: list[int] | None = None,
        opts: Any = None,
    ) -> HearthWork:
        world = self._ranks.world_size
        into = self._rows(output, output_splits, world)
        parts = self._rows(tensor, input_splits, world)
        return self.alltoall(into, parts, opts)

    alltoall_base = all_to_all_single

    @staticmethod
    def _rows(tensor: torch.Tensor, splits: list[int] | None, world: int) -> list[torch.Tensor]:
        rows = tensor.shape[0] if tensor.dim() else 0
        if not splits:
            if rows % world:
                raise ValueError(f"{rows} rows cannot be divided among {world} ranks: pass split sizes")
            splits = [rows // world] * world
        if len(splits) != world or sum(splits) != rows:
            raise ValueError(f"split sizes {splits} must be {world} numbers with the sum {rows}")
        return list(tensor.split(splits))

    def alltoall(self, outputs: list[torch.Tensor], inputs: list[torch.Tensor], opts: Any = None) -> HearthWork:  # noqa: ARG002
        world = self._ranks.world_size
        _require_one_each(inputs, world)
        _require_one_each(outputs, world)
        for each in inputs + outputs:
            element_type(each)
            if each.dtype != inputs[0].dtype:
                raise ValueError(f"tensors of one call must be alike, got {inputs[0].dtype} and {each.dtype}")
        longest = self._longest_block(inputs, outputs, world)
        sent = torch.empty(world * longest, dtype=inputs[0].dtype, device="cpu")
        received = torch.empty_like(sent)
        for rank, each in enumerate(inputs):
            sent[rank * longest : rank * longest + each.numel()].copy_(each.detach().reshape(-1))
        blocks, target = Memory(sent, written=False), Memory(received, written=True)
        call = self._ranks.begin(
            "all_to_all", (blocks, target), blocks.address, target.address, blocks.bytes, longest, blocks.type
        )
        check = self._all_there("all_to_all", world)

        def finish(ended: list[Any]) -> None:
            check(ended)
            for rank, each in enumerate(outputs):
                each.detach().copy_(received[rank * longest : rank * longest + each.numel()].view(each.shape))

        return self._work([call], outputs, finish=finish)

    def _longest_block(self, inputs: list[torch.Tensor], outputs: list[torch.Tensor], world: int) -> int:
        """Return the elements of the longest block of all ranks.

        All ranks see the sizes of all, so each raises MismatchError if any rank expects another size than it is sent.
        """
        sizes = torch.tensor([each.numel() for each in inputs + outputs], device="cpu")
        everyone = torch.empty(world * len(sizes), dtype=sizes.dtype, device="cpu")
        call, _, _ = self._all_gather(everyone, sizes, world)
        call.wait()
        self._all_there("all_to_all", world)([call])
        sends, expects = everyone.view(world, 2, world).unbind(1)
        for source, target in (sends != expects.t()).nonzero().tolist():
            raise MismatchError(
                f"all_to_all: rank {source} sends {int(sends[source, target])} elements to rank {target}, which expects "
                f"{int(expects[target, source])}"
            )
        return int(sends.max())

    # ---- barriers ----

    def barrier(self, opts: Any = None) -> HearthWork:  # noqa: ARG002
        return self._work([self._ranks.begin("barrier", None)], [])

    def monitored_barrier(self, opts: Any = None, wait_all_ranks: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """Wait for all ranks; torch passes its timeout in the place of the options. Raises HearthError after it."""
        timeout = opts if isinstance(opts, timedelta) else None
        try:
            self.barrier().wait(timeout)
        except TimeoutError:
            seconds = timeout.total_seconds() if timeout else 0
            raise HearthError(
                f"monitored_barrier: not all {self.size()} ranks came within {seconds:g} s; the barrier goes on, and ends when "
                "they come"
            ) from None
