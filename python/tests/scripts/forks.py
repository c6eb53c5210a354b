"""A child that is forked after Hearth has started. Arguments: world."""

import os
import sys

import numpy as np

import hearth_train as hearth

group = hearth.init(world_size=int(sys.argv[1]))
child = os.fork()
if child == 0:
    try:
        hearth.allreduce(np.ones(3))
    except hearth.ForkedError as refused:
        assert "spawn" in str(refused)
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert hearth.allreduce(np.ones(1))[0] == group.world_size
hearth.close()
print("end", flush=True)
