"""What Java must leave to Python in its process: the main thread's stack, the locale of C, variables of other programs."""

import locale
import logging
import os
import sys

import hearth_train as hearth


def deeper(_):
    """Call itself from C, up to Python's own limit, which needs more than a megabyte of the stack."""
    return sorted([0], key=deeper)


before = locale.setlocale(locale.LC_ALL), dict(os.environ)
group = hearth.init(world_size=1)
assert (locale.setlocale(locale.LC_ALL), dict(os.environ)) == before
try:
    deeper(0)
except RecursionError:
    print("recursion ended in Python", flush=True)
group.barrier()
hearth.close()
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="logged %(message)s")
hearth.init(world_size=1)
hearth.close()
