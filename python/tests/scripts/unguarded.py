"""A script whose workers run it once more, because it has no guard. Arguments: world, start method."""

import multiprocessing
import sys

import numpy as np

import hearth_train as hearth

group = hearth.init(world_size=int(sys.argv[1]))
worker = multiprocessing.get_context(sys.argv[2]).Process(target=print)
try:
    worker.start()
    worker.join()
    ended = worker.exitcode
except (EOFError, OSError):  # from Python 3.14 on the fork server runs the script, before any worker
    ended = 1
print("worker", ended, flush=True)
print("sum", hearth.allreduce(np.ones(1))[0], flush=True)
hearth.close()
