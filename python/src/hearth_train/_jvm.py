"""Starts the JVM in this process, once, by ctypes alone, and keeps it compatible with Python's own signals and forks."""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import functools
import locale
import os
import signal
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _archive, _find_jdk
from ._errors import ForkedError, SetupError
from ._sockets import close_inherited
from ._table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_JNI_VERSION_21 = 0x00150000
_JNI_EEXIST = -5
_FIND_CLASS, _EXCEPTION_DESCRIBE, _GET_STATIC_METHOD_ID, _CALL_STATIC_LONG_METHOD_A = 6, 16, 113, 134
_PR_SET_PDEATHSIG = 1
_SIGACTION_BYTES = 256  # more than any system's struct sigaction
_FATAL_SIGNALS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)  # of faulthandler and of the JVM
_ENDS_A_WAIT = {"linux": 62, "darwin": int(signal.SIGIO)}  # the signal that Java sends to a thread that waits for a socket

_VECTOR_MODULE = "jdk.incubator.vector"
_LOADS_IT_LATER = 25  # the version of Java for which Hearth can load the module later
_ERRORS = 2
_INCUBATOR = b"WARNING: Using incubator modules"

# The JVM gets the signal of a crash anywhere in the process, and prints a report in its own name.
# A semicolon in the text would end the command.
_CRASH_HINT = (
    "echo 'hearth: native code of this program failed. Java, which Hearth runs in this process, only reports it. "
    'The line after "Problematic frame" names the library. Report: {}\' >&2'
)

_lock = threading.Lock()
_kept: list[object] = []  # the library, the options and the handles of the JVM live as long as the process
_table: Table | None = None
_pid = 0
_main_thread = 0  # its identifier; a child's threading.main_thread() is the thread that forked it, whichever that was


class _Option(ctypes.Structure):
    _fields_ = (("text", ctypes.c_char_p), ("extra", ctypes.c_void_p))


class _Arguments(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int32),
        ("count", ctypes.c_int32),
        ("options", ctypes.POINTER(_Option)),
        ("ignore_unrecognized", ctypes.c_uint8),
    )


def table() -> Table:
    """Return Hearth's functions; the first call starts the JVM."""
    return _table if _table is not None else _start()


def is_ours() -> bool:
    """Whether this process started the JVM, and was not forked since."""
    return _table is not None and _pid == os.getpid()


def _start() -> Table:
    global _table, _pid, _main_thread  # noqa: PLW0603 - one JVM per process
    with _lock:
        if _table is None:
            _require_embeddable()
            _require_main()
            _table = Table(_create(_find_jdk.find()))
            _pid = os.getpid()
            _main_thread = threading.main_thread().ident or 0
            _keep_faults()
            os.register_at_fork(after_in_child=_in_child)
        return _table


def _refuse(*_: object) -> int:
    raise ForkedError(
        "this process was forked after Hearth started, and a fork has no connection to the group: call Hearth in the process "
        "that started it, or start workers with multiprocessing's 'spawn' or 'forkserver'"
    )


def jars() -> list[Path]:
    """Return Hearth's jars: those of this package, or of HEARTH_JARS, or of the source tree around it."""
    here = Path(__file__).resolve().parent
    folders = [here / "jars", here.parents[2] / "bridge" / "target" / "lib"]
    if os.environ.get("HEARTH_JARS"):
        folders.insert(0, Path(os.environ["HEARTH_JARS"]))
    for folder in folders:
        found = sorted(folder.glob("*.jar"))
        if found:
            return found
    raise SetupError(f"no jars in {folders[0]}: install the wheel of hearth-train, or build them with ./mvnw -Pfast package")


def _require_embeddable() -> None:
    """Refuse Apple's own Python, which is signed without the right to make code at run time."""
    if sys.platform == "darwin":
        home = os.path.realpath(sys.base_prefix)
        if home.startswith(("/Applications/Xcode", "/Library/Developer/CommandLineTools", "/System/")):
            raise SetupError(
                f"Apple's own Python ({sys.executable}) may not run Java inside: use Python from Homebrew (brew install "
                "python), python.org, uv or conda"
            )


def _require_main() -> None:
    """Refuse a worker process that runs the program's script once more as it starts: it would be one more rank."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and getattr(process.current_process(), "_inheriting", False):
        raise SetupError(
            "a worker process runs this script once more as it starts, and would enter the group: put what follows the imports "
            "behind if __name__ == '__main__':, as multiprocessing's 'spawn' and 'forkserver' need it"
        )


def _options(home: Path) -> list[str]:
    reports = Path(tempfile.gettempdir()) / f"hearth-crash-{os.getuid()}-%p.log"
    options = [
        "-Djava.class.path=" + os.pathsep.join(map(str, jars())),
        "--enable-native-access=ALL-UNNAMED",
        "-XX:+UseCompactObjectHeaders",
        "-XX:+UseSerialGC",
        "-Xms24m",
        "-Xmx512m",
        "-Xrs",  # SIGINT, SIGTERM and SIGHUP stay Python's
        *_archive.COMPILE_LATER,
        "-Xlog:disable",
        "-Xlog:all=error:stderr",
        f"-XX:ErrorFile={reports}",
        "-XX:OnError=" + _CRASH_HINT.format(reports),
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:+DisablePrimordialThreadGuardPages",  # they would leave 1 MB of the main thread's stack to Python
    ]
    return options + _vector_options(home) + os.environ.get("HEARTH_JAVA_OPTIONS", "").split()


def _vector_options(home: Path) -> list[str]:
    """Return the options for the vector instructions, as the program ``hearth`` has them."""
    if not _find_jdk.has_module(home, _VECTOR_MODULE):
        return []
    if _find_jdk.version(home) != _LOADS_IT_LATER:
        return ["--add-modules=" + _VECTOR_MODULE]
    # Hearth loads the module itself, by this Java's own means: with it from the start, the archive has no linked classes.
    return [
        "--add-exports=java.base/jdk.internal.module=ALL-UNNAMED",
        "-XX:+EnableVectorSupport",  # experimental, too
        _archive.LOAD_VECTOR_MODULE,
    ]


def _create(home: Path) -> int:
    """Create the JVM and return the address of Hearth's table."""
    library = ctypes.CDLL(str(_find_jdk.library(home)))
    chosen = _options(home)
    texts = [option.encode() for option in chosen + _archive.use(home, chosen)]
    options = (_Option * len(texts))(*(_Option(text, None) for text in texts))
    arguments = _Arguments(_JNI_VERSION_21, len(texts), options, 0)
    jvm, env = ctypes.c_void_p(), ctypes.c_void_p()
    with _without_incubator_warning(), _keeping_user_signal(), _keeping_locale(), _without_options_of_others():
        result = library.JNI_CreateJavaVM(ctypes.byref(jvm), ctypes.byref(env), ctypes.byref(arguments))
    if result == _JNI_EEXIST:
        raise SetupError(
            "this process runs a JVM already (JPype, PySpark or pyjnius?), and there can be one only: use Hearth in a "
            "process of its own"
        )
    if result != 0:
        raise SetupError(f"the JVM of {home} did not start (JNI error {result}); its output says why")
    _kept.extend((library, texts, options, arguments, jvm, env))
    return _ask_for_table(env)


@contextmanager
def _keeping_user_signal() -> Iterator[None]:
    """Keep the program's handler of SIGUSR2, which Java takes, in spite of ``-Xrs``, for a profiler that stops its threads."""
    libc = ctypes.CDLL(None)
    action = ctypes.create_string_buffer(_SIGACTION_BYTES)
    libc.sigaction(int(signal.SIGUSR2), None, action)
    yield
    if any(action.raw[: ctypes.sizeof(ctypes.c_void_p)]):  # the handler comes first; SIG_DFL is 0
        libc.sigaction(int(signal.SIGUSR2), action, None)


@contextmanager
def _keeping_locale() -> Iterator[None]:
    """Keep the locale of C, which Java sets to the environment's: with Python's own, months have English names."""
    saved = locale.setlocale(locale.LC_ALL)
    yield
    locale.setlocale(locale.LC_ALL, saved)


@contextmanager
def _without_options_of_others() -> Iterator[None]:
    """Hide the options that the environment has for other Java programs; one that contradicts ours ends the whole process."""
    hidden = {name: os.environ.pop(name) for name in _archive.OPTIONS_OF_OTHERS if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def _without_incubator_warning() -> Iterator[None]:
    """Hold back what the JVM writes while it starts, and pass all of it on but its line about the Vector API's module."""
    try:
        saved = os.dup(_ERRORS)
    except OSError:  # a program without standard error
        yield
        return
    if sys.stderr is not None:
        sys.stderr.flush()
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), _ERRORS)
        try:
            yield
        finally:
            os.dup2(saved, _ERRORS)
            os.close(saved)
            held.seek(0)
            for line in held:
                if not line.startswith(_INCUBATOR):
                    os.write(_ERRORS, line)


def _ask_for_table(env: ctypes.c_void_p) -> int:
    functions = ctypes.cast(env, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents

    def function(index: int, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)(functions[index] or 0)

    find_class = function(_FIND_CLASS, ctypes.c_void_p, ctypes.c_char_p)
    method_of = function(_GET_STATIC_METHOD_ID, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
    call = function(_CALL_STATIC_LONG_METHOD_A, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    bridge = find_class(env, b"io/hearth/bridge/Bridge")
    method = method_of(env, bridge, b"table", b"()J") if bridge else None
    address = int(call(env, bridge, method, None)) if method else 0
    if not address:
        function(_EXCEPTION_DESCRIBE, None)(env)
        raise SetupError("Hearth's jars did not load; the text above says why")
    return address


def _keep_faults() -> None:
    """Keep the JVM's handlers of signals, which it needs for its own work, whatever the program does with its own.

    ``faulthandler`` sets some of them, and Lightning sets all signals to what Python knew of them before.
    """
    libc = ctypes.CDLL(None)
    saved = {}
    for number in _FATAL_SIGNALS:
        action = ctypes.create_string_buffer(_SIGACTION_BYTES)
        libc.sigaction(int(number), None, action)
        saved[int(number)] = action

    def restored(change: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(change)
        def change_and_restore(*arguments: Any, **named: Any) -> Any:
            try:
                return change(*arguments, **named)
            finally:
                if is_ours():
                    for number, action in saved.items():
                        libc.sigaction(number, action, None)

        return change_and_restore

    faulthandler.enable = restored(faulthandler.enable)
    faulthandler.disable = restored(faulthandler.disable)
    _keep_from_signal({*saved, _ENDS_A_WAIT.get(sys.platform)})
    atexit.register(faulthandler.disable)  # else Python does it later, by itself, while the JVM still runs
    _kept.append(saved)


def _keep_from_signal(needed: set[int | None]) -> None:
    """Let ``signal.signal`` change nothing of the signals that Java needs. Their handlers must not be away for a moment."""
    change = signal.signal

    @functools.wraps(change)
    def change_others(number: Any, handler: Any) -> Any:
        if is_ours() and int(number) in needed:
            return signal.getsignal(number)
        return change(number, handler)

    signal.signal = change_others  # type: ignore[assignment] # its types are those of the original


def _in_child() -> None:
    """Refuse all calls in a forked child, which has none of the JVM's threads; close its sockets, and end it with its parent.

    While it held the parent's sockets open, the others would not see the parent's loss at once.
    """
    if _table is not None:
        _table.forbid(_refuse)
        close_inherited()
    global _main_thread  # noqa: PLW0603 - this process has another one
    is_of_main_thread = threading.get_ident() == _main_thread
    _main_thread = threading.get_ident()
    if sys.platform == "linux" and is_of_main_thread:
        # The kernel ties the child to the thread that forked it, so a worker of another thread is left alone.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
