"""Training that machines join and leave while it runs."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from hearth_train import DeadlineError, ReenterableError
from hearth_train._log import LOGGER

from . import _plain
from ._process_group import ProcessGroupHearth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hearth_train import Group

_LOOP = "hearth-loop"
_TENSORS = "hearth-tensors"
_LOOP_BYTES = 1 << 20
_UNPREPARED = (
    "Elastic cannot prepare {}, whose state '{}' does not begin with 0: let the optimizer make one step before it is given to "
    "Elastic, or use another one"
)
_EPSILON = 1e-6  # optimizers such as Adamax add less than that to a gradient of zeros


class Elastic:
    """The steps of a training whose model and optimizer all ranks keep alike. ``steps`` is the number at which it ends.

    A later one in the same process goes on with the number after the last one's.

    ::

        run = hearth_train.torch.Elastic(model, optimizer, steps=10_000, sampler=sampler)
        for step in run:
            loss = criterion(run.model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    A process that starts later, with the same script, enters between two steps with the others' weights, optimizer and
    sampler. One that dies is left out; the others repeat the open sum without it and go on.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        steps: int,
        *,
        sampler: Any = None,
        scheduler: Any = None,
        **ddp: Any,
    ) -> None:
        """Prepare a model; ``sampler`` and ``scheduler`` have ``state_dict`` and ``load_state_dict`` with plain values.

        ``ddp`` are further arguments of ``DistributedDataParallel``. A step raises TypeError if a state has values that are
        not plain: numbers, texts, and lists, tuples, dicts and Counters of them.
        """
        group = dist.group.WORLD
        if not isinstance(group, ProcessGroupHearth):
            raise TypeError("Elastic needs dist.init_process_group('hearth') before it")
        self._process_group = group
        self._group: Group = group.hearth
        self._steps = steps
        self._optimizer = optimizer
        self._parts = {name: part for name, part in (("sampler", sampler), ("scheduler", scheduler)) if part is not None}
        self._module = model
        _make_state(optimizer)
        # A newcomer must say nothing to the others before it enters; and DDP, which talks once more when it rebuilds its
        # buckets after the first step, does not do so with unused parameters.
        with group.muted():
            self.model = DistributedDataParallel(model, **{"find_unused_parameters": True, **ddp})
        self._mirrors: list[tuple[torch.Tensor, torch.Tensor]] = []
        if not group.has_elastic:  # a later one, as in a notebook, takes the place of the former
            self._group.share_bytes(_LOOP, _LOOP_BYTES)
            group.has_elastic = True

    def __iter__(self) -> Iterator[int]:
        while True:
            if self._group.is_member:  # a newcomer says nothing before it enters
                self._even_out()
            self._share()
            step, is_replaced = self._group.enter_step()
            if is_replaced:
                self._take_over()
            if step >= self._steps:
                return
            yield step

    def _even_out(self) -> None:
        """Give all ranks the buffers of rank 0, such as statistics of batch normalization, which each has of its own batches.

        DDP does so when the next pass begins. Here that is too late: ranks whose states differ at a step take over that of
        one of them, with all weights that lie beside the buffers.
        """
        buffers = [each.detach() for each in self._module.buffers()]
        if not buffers:
            return
        flat = torch.cat([each.cpu().reshape(-1).view(torch.uint8) for each in buffers])
        try:
            self._process_group.broadcast_from_first([flat]).wait()
        except DeadlineError:
            raise
        except ReenterableError as outside:
            LOGGER.warning("this rank has no buffers of its group: %s", outside)  # it gets them when it enters
            return
        parts = flat.split([each.numel() * each.element_size() for each in buffers])
        for each, part in zip(buffers, parts, strict=True):
            each.copy_(part.clone().view(each.dtype).view(each.shape))

    def _share(self) -> None:
        """Share the tensors where they are now: optimizers and ``load_state_dict`` may have replaced them."""
        tensors = list(self._module.state_dict(keep_vars=True).values())
        numbers = {}  # and texts: what else the optimizer knows of a parameter
        for place, each in enumerate(self._of_parameters()):
            tensors += [value for _, value in sorted(each.items()) if isinstance(value, torch.Tensor)]
            plain = {name: value for name, value in each.items() if not isinstance(value, torch.Tensor)}
            if plain:
                numbers[place] = plain
        self._mirrors = []
        places = []
        for tensor in tensors:
            memory = tensor.detach()
            if memory.device.type != "cpu" or not memory.is_contiguous():
                mirror = memory.to("cpu").contiguous()
                self._mirrors.append((memory, mirror))
                memory = mirror
            places.append((memory.data_ptr(), memory.numel() * memory.element_size()))
        self._group.share_memory(_TENSORS, places, (tensors, self._mirrors))
        state = {name: part.state_dict() for name, part in self._parts.items()}
        groups = [{key: value for key, value in group.items() if key != "params"} for group in self._optimizer.param_groups]
        self._group.set_bytes(_LOOP, _plain.encode({"optimizer": [groups, numbers], **state}))

    def _of_parameters(self) -> list[dict[str, Any]]:
        """Return what the optimizer knows of each parameter, in the order that all ranks have."""
        state = self._optimizer.state
        return [state[each] for group in self._optimizer.param_groups for each in group["params"] if each in state]

    def _take_over(self) -> None:
        for tensor, mirror in self._mirrors:
            tensor.copy_(mirror)
        state = _plain.decode(self._group.get_bytes(_LOOP))
        groups, numbers = state["optimizer"]
        for group, taken in zip(self._optimizer.param_groups, groups, strict=True):
            group.update(taken)
        known = self._of_parameters()
        for place, taken in numbers.items():
            known[place].update(taken)
        for name, part in self._parts.items():
            part.load_state_dict(state[name])


def _require_plain_steps(optimizer: torch.optim.Optimizer) -> None:
    closure = inspect.signature(optimizer.step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        raise TypeError(f"Elastic cannot take steps of {type(optimizer).__name__}, which need a closure: use another optimizer")


def _make_state(optimizer: torch.optim.Optimizer) -> None:
    """Make an optimizer allocate its state, as its first step would, so that it can be shared before that.

    The step of zeros leaves a state of zeros, but for the number of the step. Raises TypeError for an optimizer whose state
    begins with other values, such as NAdam and Rprop: which ones cannot be seen after the step. SGD with dampening begins
    with the first gradient.
    """
    _require_plain_steps(optimizer)
    parameters = [each for group in optimizer.param_groups for each in group["params"] if each.requires_grad]
    if any(optimizer.state.get(each) for each in parameters):
        return  # it has been used or loaded
    if any(group.get("dampening") and group.get("momentum") for group in optimizer.param_groups):
        raise TypeError(_UNPREPARED.format(type(optimizer).__name__, "momentum_buffer"))
    values = [each.detach().clone() for each in parameters]
    gradients = [each.grad for each in parameters]
    with torch.no_grad():
        for each in parameters:
            each.zero_()  # so that weight decay changes no state
            each.grad = torch.zeros_like(each)
    try:
        optimizer.step()
    finally:
        with torch.no_grad():
            for each, value, gradient in zip(parameters, values, gradients, strict=True):
                each.copy_(value)
                each.grad = gradient
    for each in parameters:
        state = optimizer.state[each]
        for name, part in state.items():
            if isinstance(part, int):
                state[name] = 0
            elif name == "step" or (isinstance(part, torch.Tensor) and not bool((part.abs() > _EPSILON).any())):
                state[name] = part * 0
            elif isinstance(part, torch.Tensor) or (isinstance(part, float) and part):
                optimizer.state.clear()
                raise TypeError(_UNPREPARED.format(type(optimizer).__name__, name))
