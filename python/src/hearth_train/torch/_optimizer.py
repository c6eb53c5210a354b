"""What an optimizer knows, so that all ranks can keep it alike."""

from __future__ import annotations

import inspect
from typing import Any

import torch

_UNPREPARED = (
    "Elastic cannot prepare {}, whose state '{}' does not begin with 0: let the optimizer make one step before it is given to "
    "Elastic, or use another one"
)
_EPSILON = 1e-6  # optimizers such as Adamax add less than that to a gradient of zeros


def states(optimizer: torch.optim.Optimizer) -> list[dict[str, Any]]:
    """Return what an optimizer knows of each parameter, then what it knows under names, in the order that all ranks have."""
    state = optimizer.state
    keys = [each for group in optimizer.param_groups for each in group["params"] if each in state] + _names(optimizer)
    for key in keys:
        if not isinstance(state[key], dict):
            raise TypeError(f"Elastic cannot share the state '{key}' of {type(optimizer).__name__}, which is no dict")
    return [state[key] for key in keys]


def _names(optimizer: torch.optim.Optimizer) -> list[Any]:
    return sorted(key for key in optimizer.state if isinstance(key, str))


def make_state(optimizer: torch.optim.Optimizer) -> None:
    """Make an optimizer allocate its state, as its first step would, so that it can be shared before that.

    A step with gradients of 0 leaves a state of zeros, but for the number of the step. Raises TypeError for an optimizer whose
    state begins with other values, such as NAdam and Rprop: which ones cannot be seen after the step. SGD with dampening
    begins with the first gradient.
    """
    kind = type(optimizer).__name__
    closure = inspect.signature(optimizer.step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        raise TypeError(f"Elastic cannot take steps of {kind}, which need a closure: use another optimizer")
    parameters = [each for group in optimizer.param_groups for each in group["params"] if each.requires_grad]
    fresh = [each for each in parameters if not optimizer.state.get(each)]
    is_used = len(fresh) < len(parameters)  # or loaded; some parameters may have had no gradient so far
    is_damped = any(group.get("dampening") and group.get("momentum") for group in optimizer.param_groups)
    if not fresh or (is_used and (is_damped or _names(optimizer))):
        return
    if is_damped:
        raise TypeError(_UNPREPARED.format(kind, "momentum_buffer"))
    _step_without_gradients(optimizer, fresh)
    wrong = _names(optimizer) or [name for each in fresh for name in _set_to_zero(optimizer.state[each])]
    if wrong and is_used:
        for each in fresh:
            optimizer.state.pop(each, None)
    elif wrong:
        optimizer.state.clear()
        raise TypeError(_UNPREPARED.format(kind, wrong[0]))


def _step_without_gradients(optimizer: torch.optim.Optimizer, parameters: list[Any]) -> None:
    """Make a step of some parameters that changes none. They are 1 meanwhile, to show a state that begins with a copy."""
    values = [each.detach().clone() for each in parameters]
    everything = [each for group in optimizer.param_groups for each in group["params"]]
    gradients = [each.grad for each in everything]
    settings = [{key: value for key, value in group.items() if key != "params"} for group in optimizer.param_groups]
    with torch.no_grad():
        for each in everything:
            each.grad = None
        for each in parameters:
            each.fill_(1)
            each.grad = torch.zeros_like(each)
    for group in optimizer.param_groups:
        if "weight_decay" in group:
            group["weight_decay"] = 0.0  # it would be a gradient
    try:
        optimizer.step()
    finally:
        for group, kept in zip(optimizer.param_groups, settings, strict=True):
            group.update(kept)
        with torch.no_grad():
            for each, value in zip(parameters, values, strict=True):
                each.copy_(value)
            for each, gradient in zip(everything, gradients, strict=True):
                each.grad = gradient


def _set_to_zero(state: dict[str, Any]) -> list[str]:
    """Set the number of the step, and what is almost 0, to 0; return the names of all else that is a number."""
    others = []
    for name, part in state.items():
        if isinstance(part, int):
            state[name] = 0
        elif name == "step" or (isinstance(part, torch.Tensor) and not bool((part.abs() > _EPSILON).any())):
            state[name] = part * 0
        elif isinstance(part, torch.Tensor) or (isinstance(part, float) and part):
            others.append(name)
    return others
