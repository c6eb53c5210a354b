"""What Java must leave to Python in its process: the stack of the main thread, the locale of C, the variables of other programs."""

import locale
import os

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
