"""Keeps torch's compiler out of this package."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Called = TypeVar("_Called", bound="Callable[..., Any]")


def runs_as_it_is(called: _Called) -> _Called:
    """Let a function, or all methods of a class, run as written inside compiled programs.

    A compiled model leaves its graph now and then, as DDP does to broadcast buffers. The compiler then also translates each
    Python function that C++ calls, and fails at our calls into C. ``torch.compiler.disable`` would do, but it imports the
    compiler, which takes seconds. torch versions without this switch fail there.
    """
    frames = torch._C._dynamo.eval_frame  # noqa: SLF001 - it has no other name
    if hasattr(frames, "set_code_exec_strategy"):
        skip = frames._FrameAction.SKIP  # noqa: SLF001
        for function in _functions(called):
            frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))  # noqa: SLF001
    return called


def _functions(called: object) -> Iterator[FunctionType]:
    """Yield the functions as they are written: a decorator's code belongs to others too."""
    for member in vars(called).values() if isinstance(called, type) else [called]:
        written: Any = getattr(member, "fget", None) or getattr(member, "__func__", member)
        function = inspect.unwrap(written)
        if isinstance(function, FunctionType):
            yield function
