"""A rank whose forked child does nothing but wait. Arguments: world."""

import os
import signal
import sys

import hearth_train as hearth

hearth.init(world_size=int(sys.argv[1]))
child = os.fork()
if child == 0:
    signal.alarm(120)  # its end if nothing else ends it
    print("child", os.getpid(), flush=True)
signal.pause()
