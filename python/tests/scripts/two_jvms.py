"""A process in which another library has started a JVM. No arguments."""

import ctypes

import hearth_train as hearth
from hearth_train import _find_jdk, _jvm

arguments = _jvm._Arguments(_jvm._JNI_VERSION_21, 0, None, 0)
jvm, env = ctypes.c_void_p(), ctypes.c_void_p()
library = ctypes.CDLL(str(_find_jdk.library(_find_jdk.find())))
assert library.JNI_CreateJavaVM(ctypes.byref(jvm), ctypes.byref(env), ctypes.byref(arguments)) == 0
try:
    hearth.init(world_size=1)
except hearth.SetupError as right:
    print("named", right, flush=True)
