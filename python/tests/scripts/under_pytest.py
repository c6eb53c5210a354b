"""A user's test, in pytest with its default plug-ins; one of them sets faulthandler."""

import sys

import numpy as np
import pytest

import hearth_train as hearth


def test_a_sum():
    group = hearth.init(world_size=2)
    values = np.ones(100_000)
    for _ in range(200):
        group.allreduce(values, "avg")
    assert np.all(values == 1)
    hearth.close()


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
