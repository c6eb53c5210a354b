"""What a process does while it waits in a sum that the other rank does not make. Arguments: world, case."""

import atexit
import ctypes
import faulthandler
import logging
import os
import signal
import sys
import time
from pathlib import Path


def await_file(name):
    while not Path(name).exists():
        time.sleep(0.01)


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

if case == "user-signals":
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda number, _: print("handler of", signal.Signals(number).name, flush=True))

if case == "interrupt-init":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    logging.basicConfig(level=logging.INFO, format="log %(message)s")
    try:
        hearth.init(world_size=int(sys.argv[1]))
    except KeyboardInterrupt:
        print("interrupted", time.monotonic(), flush=True)
    hearth.init(world_size=1)
    print("end", 0, flush=True)
    sys.exit(0)

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
if case == "all-signals":  # as PyTorch Lightning does after a training
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if (handler := signal.getsignal(number)) is not None:
            signal.signal(number, handler)
    assert handlers() == of_jvm
    for _ in range(300):
        hearth.allreduce(np.ones(1000, "float32"))
    hearth.close()
    hearth.init(world_size=int(sys.argv[1]))
    hearth.allreduce(np.ones(1000, "float32"))
    hearth.close()
    print("end", rank)
    sys.exit(0)
if case == "user-signals":
    os.kill(os.getpid(), signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR2)
if case == "interrupt-step":
    shared = np.full(64 << 20, rank, "uint8")  # so large that it goes back to the system when it is freed
    group.share("state", shared)
    if rank == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            group.begin_step()
        except KeyboardInterrupt:
            shared = np.full(64 << 20, 2, "uint8")  # as when a cell of a notebook is run again
            group.share("state", shared)
            print("interrupted", time.monotonic(), flush=True)
        Path("interrupted").touch()
        await_file("stepped")
    else:
        await_file("interrupted")
        print("step", *group.begin_step(), flush=True)
        Path("stepped").touch()
    print("share", shared[0], shared[-1], flush=True)
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
