"""Native code of the program that fails: Hearth says whose it is not."""

import ctypes

import hearth_train as hearth

hearth.init(world_size=1)
ctypes.string_at(8)
