"""Training that machines join and leave while it runs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from hearth_train import DeadlineError, ReenterableError
from hearth_train._log import LOGGER

from . import _plain
from ._optimizer import make_state, states
from ._process_group import ProcessGroupHearth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hearth_train import Group

_LOOP = "hearth-loop"
_TENSORS = "hearth-tensors"
_LOOP_BYTES = 1 << 20
_EXTRA = "_extra_state"  # how torch ends the key of what get_extra_state() of a module returns


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
    sampler. One that dies is left out; the others repeat the open sum without it and go on. One that slept, as a laptop that
    was closed, ends its step with gradients of its own, and its next step enters as a newcomer's.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        steps: int,
        *,
        start: int = 0,
        sampler: Any = None,
        scheduler: Any = None,
        states: Mapping[str, Any] | None = None,
        modules: Sequence[torch.nn.Module] = (),
        **ddp: Any,
    ) -> None:
        """Prepare a model; ``sampler`` and ``scheduler`` have ``state_dict`` and ``load_state_dict`` with plain values.

        So have all of ``states``, by names of their own, such as a ``GradScaler``. ``modules`` are further ones that newcomers
        get, such as averaged weights; only ``model`` has its gradients summed.
        ``start`` is the first step of a training that goes on from a checkpoint, which all ranks have loaded, or rank 0.
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
        parts = {
            "sampler": sampler,
            "scheduler": scheduler,
            **{f"states[{name!r}]": each for name, each in (states or {}).items()},
        }
        self._parts = {name: part for name, part in parts.items() if part is not None}
        self._module = torch.nn.ModuleList([model, *modules])
        make_state(optimizer)
        # A newcomer must say nothing to the others before it enters; and DDP, which talks once more when it rebuilds its
        # buckets after the first step, does not do so with unused parameters.
        if "find_unused_parameters" not in ddp:
            warnings.filterwarnings("ignore", message="find_unused_parameters=True was specified")
        with group.muted():
            self.model = DistributedDataParallel(model, **{"find_unused_parameters": True, **ddp})
        self.model.register_forward_pre_hook(self._require_running)
        self._mirrors: list[tuple[torch.Tensor, torch.Tensor]] = []
        if group.elastic is None:  # a later one, as in a notebook, takes the place of the former
            self._group.share_bytes(_LOOP, _LOOP_BYTES)
            group.elastic = self
        if start:
            self._group.resume_at(start)

    def __iter__(self) -> Iterator[int]:
        self._process_group.elastic = self
        while True:
            self._share()
            step, is_replaced = self._group.enter_step()
            if is_replaced:
                self._take_over()
            if step >= self._steps:
                return
            with self._process_group.excusing():
                yield step
            if self._group.is_member:  # else it was put out, and enters by its next step
                self._even_out()

    def _require_running(self, *_: object) -> None:
        if torch.is_grad_enabled() and self._process_group.elastic is not self:
            raise RuntimeError(
                "this Elastic does not run, so its model is not the same on all ranks: use run.model within 'for step in run', "
                "and one Elastic for all that is trained (modules=, states=)"
            )

    def _even_out(self) -> None:
        """Give all ranks the buffers of rank 0, such as statistics of batch normalization, which each has of its own batches.

        DDP does so when the next pass begins. Here that is too late: ranks whose states differ at a step take over that of
        one of them, with all weights that lie beside the buffers.
        """
        buffers = [each for each in self._of_module() if not isinstance(each, torch.nn.Parameter)]
        if not buffers:
            return
        plain = [each.detach().cpu().resolve_conj().resolve_neg().contiguous() for each in buffers]
        flat = torch.cat([each.view(-1).view(torch.uint8) for each in plain])
        try:
            self._process_group.broadcast_from_first([flat]).wait()
        except DeadlineError:
            raise
        except ReenterableError as outside:
            LOGGER.warning("this rank has no buffers of its group: %s", outside)  # it gets them when it enters
            return
        parts = flat.split([each.numel() * each.element_size() for each in buffers])
        for each, part in zip(buffers, parts, strict=True):
            each.detach().copy_(part.clone().view(each.dtype).view(each.shape))

    def _of_module(self) -> list[torch.Tensor]:
        """Return what the module's state has in memory of its own: ``expand`` makes tensors that nobody can write."""
        tensors = (value for key, value in self._module.state_dict(keep_vars=True).items() if not key.endswith(_EXTRA))
        return [
            each for each in tensors if all(step or size <= 1 for step, size in zip(each.stride(), each.shape, strict=True))
        ]

    def _extra_of_module(self) -> dict[str, Any]:
        """Return what modules add to their state by ``get_extra_state``."""
        return {key: value for key, value in self._module.state_dict().items() if key.endswith(_EXTRA)}

    def _share(self) -> None:
        """Share the tensors where they are now: optimizers and ``load_state_dict`` may have replaced them."""
        tensors = self._of_module()
        numbers = {}  # and texts: what else the optimizer knows of a parameter
        for place, each in enumerate(states(self._optimizer)):
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
        state["module"] = self._extra_of_module()
        self._group.set_bytes(_LOOP, _plain.encode({"optimizer": [groups, numbers], **state}))

    def _take_over(self) -> None:
        for tensor, mirror in self._mirrors:
            tensor.copy_(mirror)
        state = _plain.decode(self._group.get_bytes(_LOOP))
        groups, numbers = state["optimizer"]
        for group, taken in zip(self._optimizer.param_groups, groups, strict=True):
            group.update(taken)
        known = states(self._optimizer)
        for place, taken in numbers.items():
            known[place].update(taken)
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
        if state["module"]:
            self._module.load_state_dict(state["module"], strict=False)
