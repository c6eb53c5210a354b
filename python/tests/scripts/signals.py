"""What a process does while it waits in a sum that the other rank does not make. Arguments: world, case."""

import atexit
import faulthandler
import os
import signal
import sys
import time

case = sys.argv[2]
if case == "faulthandler-before":
    faulthandler.enable()

import numpy as np  # noqa: E402

import hearth_train as hearth  # noqa: E402

group = hearth.init(world_size=int(sys.argv[1]))
if case == "faulthandler-after":
    faulthandler.enable()
rank = group.rank
for _ in range(3000 if case.startswith("faulthandler") else 3):
    hearth.allreduce(np.ones(1000, "float32"))
if case == "exit":
    print("archives", sum("AOTCache" in str(each) for each in hearth._jvm._kept), flush=True)
print("rank", rank, os.getpid(), flush=True)
if case == "exit":
    sys.exit(0)
if case == "sleep" or rank == 1:
    if case in ("interrupt", "terminate"):
        time.sleep(6)
    hearth.close()
elif case == "interrupt":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background starts its programs with it ignored
    atexit.register(lambda: print("exits", time.monotonic(), flush=True))
    try:
        hearth.allreduce(np.ones(1000, "float32"))
    except KeyboardInterrupt:
        print("interrupted", time.monotonic(), flush=True)
elif case == "terminate":

    def handler(number, frame):
        print("handler", time.monotonic(), flush=True)
        hearth.group().abort()
        sys.exit(3)

    signal.signal(signal.SIGTERM, handler)
    hearth.allreduce(np.ones(1000, "float32"))
print("end", rank, flush=True)
