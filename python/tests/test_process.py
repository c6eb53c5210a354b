"""Hearth inside somebody else's process: signals, forks, ends, mistakes."""

from __future__ import annotations

import ctypes
import gc
import os
import queue
import signal
import subprocess
import sys
import time
import weakref
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from hearth_train import SetupError, _jvm, _table
from hearth_train._group import Group

pytest.importorskip("numpy")


@pytest.mark.parametrize("case", ["interrupt", "interrupt-begin"])
def test_ctrl_c_ends_a_wait_at_once(cluster, case):
    trainers = [cluster.start("signals.py", 2, case, home=number) for number in range(2)]
    waiting, other = sorted(trainers, key=lambda each: each.await_line("rank")[1])
    time.sleep(0.5)  # it is in the sum by then; later is as good
    sent = time.monotonic()
    os.kill(waiting.process.pid, signal.SIGINT)
    caught = float(waiting.await_line("interrupted")[1])
    waiting.end()
    assert other.process.poll() is None, "the rank that makes no sum runs on"
    print("caught after", caught - sent, "ended after", time.monotonic() - sent)
    assert "end 0" in waiting.text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_forked_child_ends_with_a_killed_parent(cluster):
    parent = cluster.start("orphan.py", 1)
    child = Path("/proc") / parent.await_line("child")[1] / "stat"
    assert not is_over(child)
    parent.process.kill()
    end = time.monotonic() + 60
    while not is_over(child):
        assert time.monotonic() < end, "the child of a killed parent runs on"
        time.sleep(0.01)


def is_over(stat):
    try:
        return stat.read_text().rpartition(")")[2].split()[0] == "Z"  # or nobody has asked for its exit code yet
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("prefix", ["/Library/Developer/CommandLineTools/x", "/Applications/Xcode.app/x", "/System/x"])
def test_apples_own_python_is_refused(monkeypatch, prefix):
    with monkeypatch.context() as mac:
        mac.setattr(sys, "platform", "darwin")
        mac.setattr(sys, "base_prefix", prefix)
        with pytest.raises(SetupError, match="brew install"):
            _jvm._require_embeddable()
        mac.setattr(sys, "base_prefix", "/opt/homebrew/x")
        _jvm._require_embeddable()


def test_another_jvm_in_the_process_is_named(cluster):
    assert "this process runs a JVM already" in cluster.start("two_jvms.py").end()


def test_interrupt_of_the_wait_for_peers(cluster):
    alone = cluster.start("signals.py", 2, "interrupt-init")
    alone.await_line("log")
    sent = time.monotonic()
    alone.process.send_signal(signal.SIGINT)
    print("caught after", float(alone.await_line("interrupted")[1]) - sent)
    assert "end 0" in alone.end(), "it can begin again"


def test_memory_of_an_interrupted_step_stays(cluster):
    trainers = [cluster.start("signals.py", 2, "interrupt-step", home=number) for number in range(2)]
    waiting, other = sorted(trainers, key=lambda each: each.await_line("rank")[1])
    time.sleep(0.5)  # it is in the step by then; later is as good
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.await_line("interrupted")
    other.end()
    assert other.words("share") == [["share", "0", "0"]], "what was shared when the step began"
    waiting.end()
    assert waiting.words("share") == [["share", "2", "2"]]


def test_handlers_of_java_stay_when_a_program_sets_all_signals(cluster):
    assert all("end" in text for text in cluster.run("signals.py", 2, "all-signals"))


def test_handlers_of_user_signals_stay(cluster):
    outputs = cluster.run("signals.py", 2, "user-signals")
    assert all(text.count("handler of SIGUSR") == 2 for text in outputs), outputs


def test_stack_locale_and_environment_stay(cluster):
    """As on a desktop, which sets a locale, with a variable that ends a JVM that has another collector."""
    env = {"LANG": "C.UTF-8", "LC_ALL": "", "LC_NUMERIC": "", "JAVA_TOOL_OPTIONS": "-XX:+UseG1GC"}
    trainer = cluster.start("guest.py", env=env)
    assert "recursion ended in Python" in trainer.end()
    assert trainer.words("logged"), "the second group has the level of that moment"


def test_what_an_interrupted_call_makes_is_aborted():
    aborted = queue.Queue()
    waits = iter([KeyboardInterrupt(), 7])

    def wait(call, millis, outcome):
        answer = next(waits)
        if isinstance(answer, BaseException):
            raise answer
        outcome._obj.answer = answer
        return answer

    group = object.__new__(Group)
    group._adopt(None, SimpleNamespace(wait=wait, abort=aborted.put), is_fail_fast=False)
    with pytest.raises(KeyboardInterrupt):
        group._made(1)
    assert aborted.get(timeout=60) == 7


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_group_that_was_not_closed_is_never_freed(monkeypatch, interrupted):
    def wait(call, millis, outcome):
        if interrupted:
            raise KeyboardInterrupt
        return _table.NOT_YET

    monkeypatch.setattr(_jvm, "is_ours", lambda: True)
    group = object.__new__(Group)
    group._adopt(None, SimpleNamespace(wait=wait, close=lambda _: 1), is_fail_fast=False)
    group._handle = ctypes.c_int64(5)
    freed = weakref.ref(group)
    with pytest.raises(KeyboardInterrupt) if interrupted else nullcontext():
        group._at_exit()
    del group
    gc.collect()
    assert freed() is not None


def test_a_handler_of_sigterm_runs(cluster):
    trainers = [cluster.start("signals.py", 2, "terminate", home=number) for number in range(2)]
    waiting, other = sorted(trainers, key=lambda each: each.await_line("rank")[1])
    time.sleep(0.5)
    waiting.process.send_signal(signal.SIGTERM)
    assert "handler" in waiting.end(3)
    assert other.process.poll() is None


@pytest.mark.parametrize("when", ["before", "after"])
def test_faulthandler(cluster, when):
    env = {"PYTHONFAULTHANDLER": "1"} if when == "before" else {}
    outputs = cluster.run("signals.py", 2, f"faulthandler-{when}", env=env)
    assert all("end" in text and "handlers kept" in text for text in outputs), outputs


def test_under_pytest(cluster):
    trainers = [cluster.start("under_pytest.py", home=number) for number in range(2)]
    assert all("1 passed" in trainer.end() for trainer in trainers)


def test_an_end_without_close(cluster):
    cluster.run("signals.py", 2, "exit")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_is_refused(cluster):
    assert all("end" in text for text in cluster.run("forks.py", 2))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_worker_that_runs_the_script_again_is_refused(cluster, method):
    for text in cluster.run("unguarded.py", 2, method):
        assert "if __name__ == '__main__':" in text, text
        assert "worker 1\nsum 2.0\n" in text, text


def test_foreign_crashes_are_named_as_such(cluster):
    trainer = cluster.start("crash.py")
    trainer.process.wait(60)
    assert trainer.process.returncode in (-signal.SIGABRT, 134)
    assert [line for line in trainer.text.splitlines() if line.startswith("hearth: native code of this program failed")]


def test_different_calls_are_an_error_on_all(cluster):
    outputs = cluster.run("mismatch.py", 2)
    assert all(text.count("named") == 3 for text in outputs), outputs


def test_no_secret_says_what_to_do(tmp_path):
    script = "import hearth_train as h; h.init(world_size=1)"
    env = {**os.environ, "HEARTH_HOME": str(tmp_path)}
    env["HEARTH_INTERFACES"] = "lo0" if sys.platform == "darwin" else "lo"
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "hearth init" in done.stderr.splitlines()[-1]
