"""Which samples a rank takes while ranks come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.utils.data import Sampler

import hearth_train

if TYPE_CHECKING:
    from collections.abc import Iterator


class ElasticSampler(Sampler[list[int]]):
    """Batches of indices without end, divided among the ranks that there are at each draw.

    For ``DataLoader(dataset, batch_sampler=ElasticSampler(len(dataset), 32))``. All ranks walk through one order of the
    samples, another one in each epoch if ``shuffle`` is set; ``position`` says how many samples all ranks have drawn. Ranks
    that draw the same number of batches have the same position. A DataLoader with workers draws some batches ahead; those
    were divided among the ranks that there were then. A rank that has not entered yet draws as if it were alone; it takes
    over the others' position when it enters, and trains with what it has drawn ahead first.
    """

    def __init__(self, samples: int, batch_size: int, *, shuffle: bool = True, seed: int = 0) -> None:
        if samples < 1 or batch_size < 1:
            raise ValueError(f"samples and batch_size must be 1 or more, got {samples} and {batch_size}")
        self.samples = samples
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self.position = 0
        self._epoch = -1
        self._order: list[int] = []

    @property
    def epoch(self) -> int:
        """Number of passes over the samples that have been drawn."""
        return self.position // self.samples

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            group = hearth_train.group()
            rank, world = (group.rank, group.world_size) if group.is_member else (0, 1)
            first = self.position + rank * self.batch_size
            self.position += world * self.batch_size
            yield [self._index(place) for place in range(first, first + self.batch_size)]

    def _index(self, place: int) -> int:
        epoch, within = divmod(place, self.samples)
        if not self.shuffle:
            return within
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(self.seed + epoch)
            self._order = torch.randperm(self.samples, generator=generator).tolist()
            self._epoch = epoch
        return self._order[within]

    def state_dict(self) -> dict[str, int]:
        """Return what a rank that enters needs."""
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Take over the state of the others."""
        self.position = int(state["position"])
