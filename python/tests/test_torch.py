"""The backend of torch.distributed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import types
import weakref
from collections import Counter
from pathlib import Path

import pytest
from conftest import java

import hearth_train

pytest.importorskip("torch")

DIGITS = Path(__file__).resolve().parents[2] / "examples/src/main/resources/io/hearth/examples/digits.csv.gz"


def test_import_of_torch_takes_only_what_registers_the_backend():
    code = "import sys, torch; print(*sorted(name for name in sys.modules if name.startswith('hearth_train.torch')))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["hearth_train.torch", "hearth_train.torch._register"]


@pytest.mark.parametrize("first", ["torch", "hearth_train.torch"])
@pytest.mark.parametrize("autoload", ["0", "1"])
def test_import_of_hearth_for_torch_registers_the_backend(first, autoload):
    code = f"import {first}, hearth_train.torch, torch.distributed as dist; print(*dist.Backend.backend_list)"
    env = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": autoload}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "hearth" in done.stdout.split()
    assert "not available" not in done.stderr


@pytest.mark.parametrize("world", [1, 3])
def test_all_operations(cluster, tmp_path, world):
    assert all("end" in text for text in cluster.run("torch_operations.py", world, tmp_path / "checkpoint"))


def test_a_subgroup_that_not_all_call_is_an_error_soon(cluster):
    for text in cluster.run("torch_subgroup.py", 3):
        assert "end" in text
        print(*(line for line in text.splitlines() if line.startswith("named ")))


def test_mistakes_are_named_and_nothing_hangs(cluster):
    assert all("end" in text for text in cluster.run("torch_misuse.py", 2))


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("java", "this machine has none. Install the one that comes as a wheel"),
        ("old", "only: {old} is Java 17. Install the one that comes as a wheel"),
        ("secret", "hearth init"),
    ],
    ids=["no Java", "an old Java", "no secret"],
)
def test_what_a_machine_lacks_is_said_before_it_waits_for_others(cluster, tmp_path, missing, text):
    old = java(tmp_path / "old", "17.0.2")
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o700)
    trainer = cluster.start("no_java.py", missing, old, env={"HEARTH_HOME": str(empty)})
    trainer.end()
    named = trainer.words("named")
    assert len(named) == 2, trainer.text
    for words in named:
        assert text.format(old=old) in " ".join(words), words
    print("seconds", *(words[1] for words in named))


def test_ranks_stay_after_a_deadline(cluster):
    outputs = cluster.run("deadline.py", 2, env={"RANK": "7"})
    assert all("end" in text and "not 7; use dist.get_rank()" in text for text in outputs), outputs
    assert any("named" in text for text in outputs), outputs


def test_compiled_models_train_as_plain_ones(cluster):
    torch = pytest.importorskip("torch")
    if not hasattr(torch._C._dynamo.eval_frame, "set_code_exec_strategy"):
        pytest.skip("this version of torch compiles Python functions that its own C++ calls, and fails there")
    outputs = cluster.run("compiled.py", 2)
    assert outputs[0].splitlines()[-1] == outputs[1].splitlines()[-1]


def test_the_compiler_keeps_its_view_of_decorators_of_others():
    """A context manager's code is the same for all programs, so a mark on it would change theirs."""
    from hearth_train.torch._compiler import _functions  # noqa: PLC0415 - needs torch
    from hearth_train.torch._process_group import ProcessGroupHearth  # noqa: PLC0415 - needs torch

    codes = {function.__code__ for function in _functions(ProcessGroupHearth)}
    assert ProcessGroupHearth.muted.__code__ not in codes
    assert ProcessGroupHearth.muted.__wrapped__.__code__ in codes
    assert ProcessGroupHearth.broadcast.__code__ in codes


@pytest.mark.parametrize(
    ("case", "number", "line"), [("interrupt", "SIGINT", "interrupted"), ("terminate", "SIGTERM", "handler")]
)
def test_a_signal_ends_a_backward_pass(cluster, case, number, line):
    trainers = [cluster.start("backward.py", 2, case, home=each) for each in range(2)]
    waiting, other = sorted(trainers, key=lambda each: each.await_line("rank")[1])
    waiting.await_line("backward")
    time.sleep(0.5)  # it waits by then; later is as good
    sent = time.monotonic()
    waiting.process.send_signal(getattr(signal, number))
    print("seconds", float(waiting.await_line(line)[1]) - sent)
    waiting.end(0, 3)
    assert other.process.poll() is None, "the rank that makes no pass runs on"


def test_compressed_gradients(cluster):
    outputs = cluster.run("compress.py", 2)
    assert outputs[0].splitlines()[-1] == outputs[1].splitlines()[-1]


def test_compressed_digits_are_as_right_and_a_loss_changes_nothing(cluster):
    """Three ranks train plainly, then compressed; one of them dies in the middle of that."""
    trainers = [cluster.start("compress_digits.py", 3, DIGITS, home=number) for number in range(3)]
    lost = trainers.pop()
    lost.await_line("epoch topk:0.01 10")
    lost.process.kill()
    for trainer in trainers:
        trainer.end()
    right, others = (trainer.words("right") for trainer in trainers)
    assert [words[4] for words in right] == [words[4] for words in others]  # hashes of the weights
    (_, _, plain, _, _), (_, _, compressed, share, _) = right
    print("right %", plain, compressed, "sent %", share)
    assert abs(float(compressed) - float(plain)) <= 1
    assert float(share) <= 5


@pytest.mark.parametrize("way", ["environment", "arguments"])
def test_gloo_is_as_before(cluster, way):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    trainers = [cluster.start("gloo.py", way, rank, 2, port) for rank in range(2)]
    assert all("end" in trainer.end() for trainer in trainers)


def test_torchrun_is_as_before(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    script = Path(__file__).parent / "scripts" / "gloo.py"
    command += [str(script), "torchrun"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("end") == 2


class Losing:
    """A group of three that loses its rank 0 in each call, and repeats sums and gathers without it."""

    is_member, is_fail_fast, rank, world_size = True, False, 1, 3

    def __init__(self):
        self.calls = []

    def begin(self, name, *_):
        self.calls.append(name)
        group, call = self, types.SimpleNamespace(outcome=types.SimpleNamespace(answer=2, first=0, count=2))

        def wait():
            if name == "broadcast" and group.calls == ["broadcast"]:
                raise hearth_train.PeerLostError("rank 0 was lost")
            return 2

        call.wait, call.done = wait, lambda: True
        group.world_size = 2
        return call


@pytest.fixture
def losing():
    process_group = pytest.importorskip("hearth_train.torch._process_group")
    return process_group.ProcessGroupHearth(Losing(), "test", closes=False)


@pytest.mark.parametrize("name", ["all_gather_single", "allgather", "reduce_scatter_single", "gather", "alltoall"])
def test_a_loss_is_an_error_where_a_result_has_a_part_for_each_rank(losing, name):
    torch = pytest.importorskip("torch")
    three = [torch.zeros(2) for _ in range(3)]
    tensors = {
        "all_gather_single": (torch.zeros(6), torch.ones(2)),
        "allgather": ([three], [torch.ones(2)]),
        "reduce_scatter_single": (torch.zeros(2), torch.ones(6)),
        "gather": ([three], [torch.ones(2)], types.SimpleNamespace(rootRank=1)),
        "alltoall": (three, [torch.ones(2) for _ in range(3)]),
    }
    with pytest.raises(hearth_train.HearthError, match="1 of 3 ranks were lost"):
        getattr(losing, name)(*tensors[name]).wait()


def broadcast_of(module, group, tensors):
    """Begin a broadcast as a function of that module does."""
    names = {"__name__": module}
    exec("def broadcast(group, tensors): return group.broadcast(tensors)", names)  # noqa: S102
    return names["broadcast"](group, tensors)


@pytest.mark.parametrize("caller", ["torch.nn.parallel.distributed", "script"])
def test_only_broadcasts_of_ddp_begin_again_with_another_root(losing, caller):
    torch = pytest.importorskip("torch")
    work = broadcast_of(caller, losing, [torch.ones(2)])
    if caller == "script":
        with pytest.raises(hearth_train.PeerLostError):
            work.wait()
    else:
        work.wait()
    assert losing.hearth.calls == ["broadcast"] * (1 if caller == "script" else 2)


class Outside:
    """A group that went on without this rank: each call says so, as it begins or as it ends."""

    is_member, is_fail_fast, rank, world_size = True, False, 1, 3

    def __init__(self, failure, at):
        self.failure, self.at = failure, at

    def begin(self, *_):
        def wait():
            raise self.failure

        if self.at == "begin":
            wait()
        return types.SimpleNamespace(wait=wait, done=lambda: True, await_end=lambda _: True)


@pytest.fixture(params=["begin", "end"])
def outside(request):
    process_group = pytest.importorskip("hearth_train.torch._process_group")
    failure = hearth_train.ReenterableError("this node stood still for 900 s")
    return process_group.ProcessGroupHearth(Outside(failure, request.param), "test", closes=False)


def backward(group):
    """Sum two buckets in a backward pass, one of them through a codec; return the gradients, which were 1 and 2."""
    torch = pytest.importorskip("torch")
    weights = [torch.ones(3, requires_grad=True) for _ in range(2)]
    weights[0].register_hook(lambda gradient: group.allreduce([gradient.clone()]).get_future().wait()[0])
    weights[1].register_hook(lambda each: group.compressed(each.clone(), "avg", "int8", "x").get_future().wait()[0])
    (weights[0] + 2 * weights[1]).sum().backward()
    return [each.grad.tolist() for each in weights]


def test_calls_of_ddp_end_with_the_own_values_in_a_step_in_which_this_rank_slept(outside, caplog):
    torch = pytest.importorskip("torch")
    for step in (1, 2):
        with outside.excusing():
            buffers = torch.ones(2)
            broadcast_of("torch.nn.parallel.distributed", outside, [buffers]).wait()
            assert buffers.tolist() == [1, 1]
            assert backward(outside) == [[1, 1, 1], [2, 2, 2]]
            assert caplog.text.count("this step does not count on this rank") == step, "once in a step"
            for call in (outside.allreduce, outside.broadcast):  # a script may decide something by their results
                with pytest.raises(hearth_train.ReenterableError, match="900 s"):
                    call([torch.ones(1)]).wait()
        with pytest.raises(RuntimeError, match="900 s"):  # torch makes one of what a future raises
            backward(outside)


@pytest.mark.parametrize("failure", [hearth_train.DeadlineError, hearth_train.PeerLostError, hearth_train.MismatchError])
def test_a_step_excuses_no_other_failure(outside, failure):
    outside.hearth.failure = failure("of all ranks")
    with outside.excusing(), pytest.raises(RuntimeError, match="of all ranks"):
        backward(outside)


def test_a_timeout_counts_after_a_loss_too():
    _work = pytest.importorskip("hearth_train.torch._work")

    class Lost:
        @staticmethod
        def await_end(_timeout):
            return True

        @staticmethod
        def wait():
            raise hearth_train.PeerLostError("rank 0")

    class Open:
        @staticmethod
        def await_end(timeout):
            assert 0 < timeout <= 5
            return False

    begun = []
    call = _work.Again(Lost(), lambda: begun.append(1) or Open())
    assert not call.await_end(5)
    assert not call.await_end(5)
    assert begun == [1]


def test_a_wait_that_a_signals_handler_interrupts_can_be_repeated():
    torch = pytest.importorskip("torch")
    _work = pytest.importorskip("hearth_train.torch._work")
    ends = [TimeoutError("of a handler"), None]

    class Interrupted:
        @staticmethod
        def wait():
            end = ends.pop(0)
            if end is not None:
                raise end

    finished = []
    work = _work.HearthWork([Interrupted()], [torch.ones(1)], finished.append, _work.Waiter())
    with pytest.raises(TimeoutError, match="of a handler"):
        work.wait()
    assert work.wait()
    assert len(finished) == 1


def test_threads_that_complete_futures_end_when_they_are_idle(monkeypatch):
    torch = pytest.importorskip("torch")
    _work = pytest.importorskip("hearth_train.torch._work")
    monkeypatch.setattr(_work, "_IDLE_SECONDS", 0.05)

    class Ended:
        done = wait = staticmethod(lambda: 1)

    def threads():
        return [each for each in threading.enumerate() if each.name == "hearth-waiter"]

    waiter = _work.Waiter()
    for pause in (0.0, 0.04, 0.05, 0.06, 0.3) * 10:
        futures = [_work.HearthWork([Ended()], [torch.ones(1)], None, waiter).get_future() for _ in range(4)]
        for future in futures:
            future.wait()
        time.sleep(pause)
    end = time.monotonic() + 10
    while threads():
        assert time.monotonic() < end, threads()
        time.sleep(0.01)
    assert (waiter._threads, waiter._idle, waiter._has_waiter) == (0, 0, False)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adamax", "RAdam", "RMSprop", "Adadelta", "Adagrad", "Adafactor"])
def test_the_state_of_an_optimizer_is_made_as_it_begins(name):
    torch = pytest.importorskip("torch")
    _optimizer = pytest.importorskip("hearth_train.torch._optimizer")
    if not hasattr(torch.optim, name):
        pytest.skip("not in this version of torch")
    weights = []
    for is_made in (True, False):
        weight = torch.nn.Parameter(torch.arange(6.0).view(2, 3))
        options = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
        optimizer = getattr(torch.optim, name)([weight], lr=0.1, weight_decay=0.1, **options)
        if is_made:
            _optimizer.make_state(optimizer)
            assert weight.grad is None
        for _ in range(3):
            weight.grad = weight.detach() + 1
            optimizer.step()
        weights.append(weight.detach())
    assert torch.equal(*weights), weights


@pytest.mark.parametrize("name", ["NAdam", "Rprop", "ASGD", "SGD"])
def test_an_optimizer_whose_state_begins_with_other_values_is_refused(name):
    torch = pytest.importorskip("torch")
    _optimizer = pytest.importorskip("hearth_train.torch._optimizer")
    weight = torch.nn.Parameter(torch.ones(3))
    settings = {"momentum": 0.9, "dampening": 0.5} if name == "SGD" else {}
    optimizer = getattr(torch.optim, name)([weight], lr=0.1, **settings)
    with pytest.raises(TypeError, match=f"{name}.* one step before"):
        _optimizer.make_state(optimizer)
    assert weight.tolist() == [1, 1, 1]
    weight.grad = torch.ones(3)
    optimizer.step()
    _optimizer.make_state(optimizer)  # it has been used


def test_parameters_that_had_no_gradient_so_far_get_a_state_too():
    torch = pytest.importorskip("torch")
    _optimizer = pytest.importorskip("hearth_train.torch._optimizer")
    used, unused = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
    parameters = [*used.parameters(), *unused.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.1)
    used(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    values = [each.detach().clone() for each in parameters]
    gradients = [each.grad for each in parameters]
    moments = [optimizer.state[each]["exp_avg"].clone() for each in used.parameters()]
    _optimizer.make_state(optimizer)
    assert len(optimizer.state) == 4
    assert all(torch.equal(each, value) for each, value in zip(parameters, values, strict=True))
    assert all(each.grad is gradient for each, gradient in zip(parameters, gradients, strict=True))
    assert [float(optimizer.state[each]["step"]) for each in parameters] == [1, 1, 0, 0]
    for each, moment in zip(used.parameters(), moments, strict=True):
        assert torch.equal(optimizer.state[each]["exp_avg"], moment)


@pytest.mark.parametrize("key", ["copy", "name"])
def test_an_optimizer_that_knows_its_weights_is_refused(key):
    """A copy of the weights is not 0, and what has a name of its own cannot be seen to begin with 0."""
    torch = pytest.importorskip("torch")
    _optimizer = pytest.importorskip("hearth_train.torch._optimizer")

    class Copying(torch.optim.SGD):
        def step(self):
            (weight,) = self.param_groups[0]["params"]
            self.state[weight if key == "copy" else key]["copy"] = weight.detach().clone()

    weight = torch.nn.Parameter(torch.full((3,), 7.0))
    optimizer = Copying([weight], lr=0.1, weight_decay=0.5)
    with pytest.raises(TypeError, match="Elastic cannot prepare Copying"):
        _optimizer.make_state(optimizer)
    assert weight.tolist() == [7, 7, 7]
    assert optimizer.param_groups[0]["weight_decay"] == 0.5
    optimizer.step()
    assert [each["copy"].tolist() for each in _optimizer.states(optimizer)] == [[7, 7, 7]]


def test_an_optimizer_that_needs_a_closure_is_refused():
    torch = pytest.importorskip("torch")
    _optimizer = pytest.importorskip("hearth_train.torch._optimizer")
    with pytest.raises(TypeError, match="cannot take steps of LBFGS"):
        _optimizer.make_state(torch.optim.LBFGS([torch.nn.Parameter(torch.ones(3))]))


def test_settings_of_pg_options_are_written_as_hearth_reads_them():
    _register = pytest.importorskip("hearth_train.torch._register")
    urls = []
    wrapped = _register._with_rendezvous(lambda _backend, url: urls.append(url))
    wrapped("hearth", pg_options={"open": True, "peers": ["10.0.0.1:1", "b"], "group": None, "label": "a b"})
    wrapped("cpu:hearth", "hearth://digits", pg_options={"on_loss": "fail-fast"})
    wrapped("hearth", "hearth://digits?deadline=9s", pg_options={"on_loss": "fail-fast"})
    wrapped("hearth", "env://", pg_options={"on_loss": "fail-fast"})
    wrapped("hearth", "env://")
    wrapped(None, "hearth://digits")
    wrapped("gloo", "env://")
    assert urls == [
        "hearth:///?open=true&peers=10.0.0.1%3A1%2Cb&label=a%20b",
        "hearth://digits?on_loss=fail-fast",
        "hearth://digits?deadline=9s&on_loss=fail-fast",
        "hearth:///?on_loss=fail-fast",
        "hearth:///",
        "hearth://digits",
        "env://",
    ]


@pytest.mark.parametrize(
    ("rendezvous", "got"), [({"init_method": "tcp://10.0.0.1:2"}, "init_method='tcp://10.0.0.1:2'"), ({"store": 1}, "a store")]
)
def test_a_rendezvous_of_torch_is_refused_before_it_waits_for_anybody(rendezvous, got):
    _register = pytest.importorskip("hearth_train.torch._register")
    wrapped = _register._with_rendezvous(lambda *_, **__: pytest.fail("was called"))
    with pytest.raises(ValueError, match=f"leave init_method and store out.*got {got}"):
        wrapped("hearth", **rendezvous)


def test_other_backends_for_other_devices_are_refused():
    _register = pytest.importorskip("hearth_train.torch._register")
    wrapped = _register._with_rendezvous(lambda *_, **__: pytest.fail("was called"))
    with pytest.raises(ValueError, match="no other backend works beside Hearth: give backend='hearth'"):
        wrapped("cpu:gloo,mps:hearth")


def test_a_group_is_left_if_torch_fails_after_the_rendezvous(monkeypatch):
    _register = pytest.importorskip("hearth_train.torch._register")
    aborted = []
    earlier = types.SimpleNamespace(abort=lambda: pytest.fail("is not of this call"))
    later = types.SimpleNamespace(abort=lambda: aborted.append(1))
    monkeypatch.setattr(hearth_train, "_group", earlier)

    def fails(_backend, _url, opened):
        monkeypatch.setattr(hearth_train, "_group", opened)
        raise KeyboardInterrupt

    for opened in (earlier, later):
        with pytest.raises(KeyboardInterrupt):
            _register._with_rendezvous(fails)("hearth", None, opened)
    assert aborted == [1]


def test_settings_of_a_further_group_are_refused():
    _groups = pytest.importorskip("hearth_train.torch._groups")
    with pytest.raises(ValueError, match="pg_options go to init_process_group"):
        _groups.create(None, {"on_loss": "fail-fast"})


@pytest.mark.parametrize(
    "state",
    [
        {"milestones": Counter({3: 1, 5: 2}), "last_epoch": 1},
        {"best": float("inf"), "mode": "min", "last": None, "verbose": False},
        [{"lr": 0.1, "betas": (0.9, 0.999)}, {}],
        {(1, "a"): [[]], "tuple": ({"dict": 1},)},
    ],
)
def test_newcomers_get_states_with_their_types(state):
    _plain = pytest.importorskip("hearth_train.torch._plain")
    taken = _plain.decode(_plain.encode({"part": state}))["part"]
    assert taken == state
    assert repr(taken) == repr(state)


def test_a_state_that_is_not_plain_is_refused_by_its_place():
    _plain = pytest.importorskip("hearth_train.torch._plain")
    with pytest.raises(TypeError, match=r"give scheduler\['best'\] to newcomers, a builtins.set"):
        _plain.encode({"scheduler": {"best": {1}}})


def test_a_work_stays_until_somebody_asks_for_its_end():
    pytest.importorskip("torch")
    _work = pytest.importorskip("hearth_train.torch._work")

    waiter = _work.Waiter()
    works = [weakref.ref(_work.HearthWork([], [], None, waiter)) for _ in range(_work._UNAWAITED_MOST + 1)]
    assert [work() is None for work in works] == [True] + [False] * _work._UNAWAITED_MOST
    works[1]().wait()
    assert works[1]() is None
