"""A child that is forked after Hearth has started. Arguments: world."""

import os
import socket
import sys
import threading
import time

import numpy as np

import hearth_train as hearth
from hearth_train._sockets import of_hearth


def sockets_of_hearth():
    return len([one.detach() for one in of_hearth()])


group = hearth.init(world_size=int(sys.argv[1]))
hearth.allreduce(np.ones(3))
socket.setdefaulttimeout(5)
own = socket.create_server(("127.0.0.1", 0))
assert sockets_of_hearth() >= 4  # two that listen, a link, a stream
child = os.fork()
if child == 0:
    if sockets_of_hearth():
        os._exit(2)
    own.getsockname()  # is still open
    try:
        hearth.allreduce(np.ones(3))
    except hearth.ForkedError as refused:
        assert "spawn" in str(refused)
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert hearth.allreduce(np.ones(1))[0] == group.world_size

children = []


def fork_a_sleeper():
    child = os.fork()
    if child == 0:
        time.sleep(1)
        os._exit(9)
    children.append(child)


thread = threading.Thread(target=fork_a_sleeper)
thread.start()
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 9, "it died with the thread that forked it"
hearth.close()
print("end", flush=True)
