"""The list of the calls that were begun, and the steps that a rank enters again."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest

from hearth_train import DeadlineError, StateSyncError
from hearth_train._calls import Calls
from hearth_train._group import Group


class Open:
    """A call that does not end by itself."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_done = False

    def done(self) -> bool:
        self.asked += 1
        return self.is_done

    def await_end(self, _timeout: float) -> bool:
        self.is_done = True
        return True


def test_many_open_calls_are_seldom_asked():
    calls, works = Calls(), [Open() for _ in range(5_000)]
    for work in works:
        calls.make_room()
        calls.append(work)
    assert sum(each.asked for each in works) < 2 * len(works)
    assert calls._works == works, "each is held"


def test_ended_calls_are_forgotten():
    calls = Calls()
    for _ in range(1_000):
        calls.make_room()
        assert len(calls._works) <= 16
        ended = Open()
        ended.is_done = True
        calls.append(ended)


def test_no_more_are_open_than_may_be():
    calls, works = Calls(20), [Open() for _ in range(60)]
    for number, work in enumerate(works):
        calls.make_room()
        assert len(calls._works) < 20
        assert not any(each.is_done for each in works[number - 19 : number]), "it waits for the first one"
        calls.append(work)


def of_answers(*answers: object) -> Group:
    group = object.__new__(Group)
    group._adopt(None, SimpleNamespace(is_in_group=lambda _: 1), is_fail_fast=False)
    group._handle = ctypes.c_int64(1)
    left = iter(answers)

    def begin_step() -> tuple[int, bool]:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    group.begin_step = begin_step
    return group


def test_steps_go_on_after_a_rank_was_out_of_its_group():
    outside = StateSyncError("out")
    assert list(of_answers((0, False), outside, outside, (4, True), (9, False)).steps(9)) == [0, 4]
    group = of_answers((0, False), (1, False), (2, False), (3, False))
    assert list(group.steps(2)) + list(group.steps(3)) == [0, 1, 2], "the step that ended the first loop is the second's first"
    with pytest.raises(DeadlineError):
        next(of_answers(DeadlineError("late"), (4, True)).steps(9))
    with pytest.raises(StateSyncError):
        next(of_answers(*[outside] * 6, (4, True)).steps(9))
