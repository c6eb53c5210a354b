"""ElasticSampler alone: which samples the ranks of a group take, without a group."""

from __future__ import annotations

import types

import pytest

pytest.importorskip("torch")

import hearth_train
from hearth_train.torch import ElasticSampler

SAMPLES = 24
BATCH = 2


class Ranks:
    """The samplers of some ranks; the group that each one asks is this one, at its rank."""

    def __init__(self, monkeypatch, world, **options):
        self.samplers = [ElasticSampler(SAMPLES, BATCH, **options) for _ in range(world)]
        self.draws = [iter(each) for each in self.samplers]
        self.group = types.SimpleNamespace(is_member=True, rank=0, world_size=world)
        monkeypatch.setattr(hearth_train, "group", lambda: self.group)

    def draw(self):
        """Draw one batch on each rank; return all of their samples in rank order."""
        self.group.world_size = len(self.draws)
        drawn = []
        for rank, each in enumerate(self.draws):
            self.group.rank = rank
            drawn += next(each)
        return drawn

    def lose(self, rank):
        del self.draws[rank], self.samplers[rank]

    def enter(self, **options):
        entering = ElasticSampler(SAMPLES, BATCH, **options)
        entering.load_state_dict(self.samplers[0].state_dict())
        self.samplers.append(entering)
        self.draws.append(iter(entering))


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("world", [1, 2, 3])
def test_each_sample_is_drawn_once_in_an_epoch(monkeypatch, world, shuffle):
    ranks = Ranks(monkeypatch, world, shuffle=shuffle)
    epochs = []
    for epoch in range(3):
        assert {each.epoch for each in ranks.samplers} == {epoch}
        drawn = [sample for _ in range(SAMPLES // (BATCH * world)) for sample in ranks.draw()]
        assert sorted(drawn) == list(range(SAMPLES))
        epochs.append(drawn)
    assert (epochs[0] == epochs[1] == list(range(SAMPLES))) is not shuffle
    assert (epochs[1] == epochs[2]) is not shuffle


def test_the_order_is_that_of_the_seed(monkeypatch):
    orders = [[Ranks(monkeypatch, 2, seed=seed).draw() for _ in range(3)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_a_batch_goes_on_in_the_next_epoch(monkeypatch):
    ranks = Ranks(monkeypatch, 5, shuffle=False)
    drawn = [sample for _ in range(5) for sample in ranks.draw()]
    assert drawn == [place % SAMPLES for place in range(5 * 5 * BATCH)]


def test_ranks_that_leave_and_enter_neither_repeat_nor_leave_out_a_sample(monkeypatch):
    ranks = Ranks(monkeypatch, 3)
    drawn = ranks.draw()
    ranks.lose(0)
    drawn += ranks.draw() + ranks.draw()
    ranks.enter()
    ranks.enter()
    drawn += ranks.draw()
    assert len(drawn) == BATCH * (3 + 2 + 2 + 4)
    assert len(set(drawn)) == len(drawn)
    assert len({each.position for each in ranks.samplers}) == 1


def test_one_that_has_not_entered_draws_alone(monkeypatch):
    ranks = Ranks(monkeypatch, 1, shuffle=False)
    ranks.group.is_member, ranks.group.rank, ranks.group.world_size = False, 3, 4
    assert next(ranks.draws[0]) == [0, 1]
    assert ranks.samplers[0].position == BATCH


@pytest.mark.parametrize(("samples", "batch"), [(0, 1), (1, 0)])
def test_nothing_to_draw_is_refused(samples, batch):
    with pytest.raises(ValueError, match="1 or more"):
        ElasticSampler(samples, batch)
