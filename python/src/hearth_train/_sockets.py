"""The JVM's sockets in a forked child."""

import re
import socket
import sys
from pathlib import Path

_PROBE_SECONDS = 71  # Hearth's TCP sockets have this interval of keep-alive probes, and nobody else's; see hearth.h
_LOCAL = re.compile(r"/data-[0-9a-f]{12}\.sock")
_PROBE_INTERVAL = getattr(socket, "TCP_KEEPINTVL", 0x101 if sys.platform == "darwin" else None)


def close_inherited() -> None:
    """Close the sockets of Hearth that this process inherited; those of mDNS stay, which keep no connection open."""
    for one in of_hearth():
        one.close()


def of_hearth() -> list[socket.socket]:
    """Return the open sockets that carry data between nodes, or listen for that."""
    found = []
    limit = socket.getdefaulttimeout()
    socket.setdefaulttimeout(None)  # else each becomes non-blocking, in the parent too
    try:
        for file in [*Path("/dev/fd").iterdir()]:
            try:
                one = socket.socket(fileno=int(file.name))
            except OSError:  # no socket, or the folder that was listed
                continue
            if _is_hearths(one):
                found.append(one)
            else:
                one.detach()
    finally:
        socket.setdefaulttimeout(limit)
    return found


def _is_hearths(one: socket.socket) -> bool:
    try:
        if one.family == getattr(socket, "AF_UNIX", None):
            return any(_LOCAL.search(str(place)) for place in (one.getsockname(), _peer(one)))
        if one.type != socket.SOCK_STREAM or _PROBE_INTERVAL is None:
            return False
        return one.getsockopt(socket.IPPROTO_TCP, _PROBE_INTERVAL) == _PROBE_SECONDS
    except OSError:
        return False


def _peer(one: socket.socket) -> object:
    try:
        return one.getpeername()
    except OSError:
        return ""
