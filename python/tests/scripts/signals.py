"""What a process does while it waits in a sum that the other rank does not make. Arguments: world, case."""

import atexit
import ctypes
import faulthandler
import os
import signal
import sys
import time


def handlers():
    """Return the addresses of the handlers of the signals that the JVM needs."""
    found = []
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
        action = (ctypes.c_void_p * 32)()  # begins with the handler
        ctypes.CDLL(None).sigaction(int(number), None, action)
        found.append(action[0])
    return found


case = sys.argv[2]
if case.startswith("faulthandler"):
    # runs after the handlers that Hearth registers later
    atexit.register(lambda: not faulthandler.is_enabled() and handlers() == of_jvm and print("handlers kept", flush=True))
if case == "faulthandler-before":
    faulthandler.enable()

import numpy as np  # noqa: E402

import hearth_train as hearth  # noqa: E402

group = hearth.init(world_size=int(sys.argv[1]))
of_jvm = handlers()
if case == "faulthandler-after":
    faulthandler.enable()
    assert handlers() == of_jvm
    faulthandler.disable()
    assert handlers() == of_jvm
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
    if case in ("interrupt", "interrupt-begin", "terminate"):
        signal.pause()  # until the test kills it
    hearth.close()
elif case in ("interrupt", "interrupt-begin"):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background starts its programs with it ignored
    atexit.register(lambda: print("exits", time.monotonic(), flush=True))
    try:
        if case == "interrupt-begin":  # more than may be open
            for _ in range(70):
                group.allreduce_async(np.ones(1000, "float32"))
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
