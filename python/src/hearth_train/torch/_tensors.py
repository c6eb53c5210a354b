"""Memory of tensors: in place where a tensor lies on the CPU without gaps, through a copy elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from hearth_train._table import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_TYPES = {
    torch.float32: TYPES["float32"],
    torch.float64: TYPES["float64"],
    torch.float16: TYPES["float16"],
    torch.bfloat16: TYPES["bfloat16"],
    torch.int32: TYPES["int32"],
    torch.int64: TYPES["int64"],
    torch.int8: TYPES["int8"],
    torch.uint8: TYPES["uint8"],
    torch.bool: TYPES["uint8"],
}


class Memory:
    """Memory that a call reads or writes, and what brings its result back."""

    __slots__ = ("bytes", "finish", "flat", "type")

    def __init__(self, tensor: torch.Tensor, *, written: bool, read: bool = True) -> None:
        """Take a tensor's own memory, or a copy on the CPU that :attr:`finish` copies back if it was written."""
        self.type = element_type(tensor)
        self.finish: Callable[[], object] | None = None
        if tensor.is_cpu and tensor.is_contiguous():
            self.flat = tensor
        else:
            plain = tensor.detach()
            self.flat = plain.to("cpu").contiguous() if read else torch.empty(plain.shape, dtype=plain.dtype, device="cpu")
            if written:
                self.finish = lambda: plain.copy_(self.flat)
        self.bytes = self.flat.nbytes

    @property
    def address(self) -> int:
        """Where it begins."""
        return self.flat.data_ptr()


def element_type(tensor: torch.Tensor) -> int:
    """Return the number of a tensor's element type; raise if no collective can have this tensor."""
    if tensor.layout != torch.strided:
        raise TypeError(f"a tensor of layout {tensor.layout} has no collectives: use to_dense()")
    if not tensor.is_cpu and not tensor.is_mps:
        raise TypeError(f"a tensor is on {tensor.device}, and Hearth has collectives for cpu and mps: move it with .to('cpu')")
    number = _TYPES.get(tensor.dtype)
    if number is None:
        hint = ": use torch.view_as_real()" if tensor.is_complex() else ""
        raise TypeError(f"tensors of {tensor.dtype} have no collectives{hint}")
    if tensor.is_cpu and tensor.data_ptr() == 0 and tensor.numel():
        raise ValueError("a tensor has no memory: it was freed, or its storage was resized to 0")
    return number


def require_alike(tensors: Iterable[torch.Tensor], first: torch.Tensor) -> None:
    """Raise unless all tensors have the size and type of the first."""
    for each in tensors:
        if each.numel() != first.numel() or each.dtype != first.dtype:
            raise ValueError(
                f"tensors of one call must be alike, got {first.numel()} {first.dtype} and {each.numel()} {each.dtype}"
            )


def joined(tensors: list[torch.Tensor]) -> torch.Tensor:
    """Return new memory on the CPU for tensors that lie one behind the other."""
    return torch.empty(sum(each.numel() for each in tensors), dtype=tensors[0].dtype, device="cpu")


def join(tensors: list[torch.Tensor], flat: torch.Tensor) -> None:
    """Copy tensors into memory from :func:`joined`."""
    for each, part in zip(tensors, flat.split([each.numel() for each in tensors]), strict=True):
        part.copy_(each.detach().reshape(-1))


def part(tensors: list[torch.Tensor], flat: torch.Tensor) -> None:
    """Copy memory from :func:`joined` into its tensors."""
    for each, values in zip(tensors, flat.split([each.numel() for each in tensors]), strict=True):
        each.detach().copy_(values.view(each.shape))
