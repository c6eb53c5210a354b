"""A script of torch where Hearth cannot start: the error is Hearth's own, and torch has no group afterwards.

Arguments: what is missing. ``java``: this machine has none; ``old``: it has an old one, whose folder is the next argument;
``secret``: it knows no namespace.
"""

import os
import sys
import time

import torch.distributed as dist

from hearth_train import SetupError, _find_jdk

missing = sys.argv[1]
if missing != "secret":
    _find_jdk._FOLDERS, _find_jdk._java_home = (), tuple
    sys.modules["hearth_train_jre"] = None  # as if it were not installed
    os.environ["PATH"] = ""
    for name in ("HEARTH_JAVA_HOME", "JAVA_HOME"):
        os.environ.pop(name, None)
if missing == "old":
    os.environ["JAVA_HOME"] = sys.argv[2]
for _ in range(2):  # the second one is as the first one
    start = time.monotonic()
    try:
        dist.init_process_group("hearth", world_size=2)
    except SetupError as right:
        print("named", round(time.monotonic() - start, 3), right, flush=True)
    else:
        raise AssertionError(missing)
    assert not dist.is_initialized()
