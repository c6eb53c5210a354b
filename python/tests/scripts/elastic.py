"""A DDP training that ranks join and leave; it ends 60 steps after one has joined that came after a loss.

Arguments: world, seed of the initial weights, optimizer ("adam", or "counting", which has a number in its state that is
no tensor, with batches from a DataLoader that has workers), and "late" for that one, or "sleeps" for one that stops itself
within a step, as a laptop that is closed, and comes back when the test lets it go on.
"""

import copy
import hashlib
import os
import signal
import sys
import time

import torch
import torch.distributed as dist

from hearth_train.torch import Elastic, ElasticSampler


class Counting(torch.optim.Optimizer):
    """Plain descent by a rate that falls with the number of steps."""

    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 0.5})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for each in group["params"]:
                state = self.state[each]
                state["steps"] = state.get("steps", 0) + 1
                each.sub_(group["lr"] / (10 + state["steps"]) * each.grad)


class Seen(torch.nn.Module):
    """Counts its calls, which a state dict has as no tensor."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, values):
        self.calls += 1
        return values

    def get_extra_state(self):
        return {"calls": self.calls}

    def set_extra_state(self, state):
        self.calls = state["calls"]


class Steps:
    """A state that is neither a sampler's nor a scheduler's, as that of a GradScaler."""

    def __init__(self):
        self.number = 0

    def state_dict(self):
        return {"number": self.number}

    def load_state_dict(self, state):
        self.number = state["number"]


def sleep_within(step, ranks):
    """Stop as a laptop that is closed, if this is the process that does so; return how many ranks it then has seen."""
    if "sleeps" not in sys.argv or step != 40:
        return ranks
    print("sleeps in", step, flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    return 0


def main():
    world, seed, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    dist.init_process_group("hearth", world_size=world)
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.BatchNorm1d(64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    seen = Seen()
    model.append(seen)
    if kind == "adam":
        model.load_state_dict(copy.deepcopy(model.state_dict()), assign=True)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    else:
        optimizer = Counting(model.parameters())
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, list(range(20, 2000, 20)), 0.97)
    data = torch.randn(1000, 64, generator=torch.Generator().manual_seed(1))
    sampler = ElasticSampler(len(data), 16)
    batches = iter(
        torch.utils.data.DataLoader(range(len(data)), batch_sampler=sampler, num_workers=2) if kind == "counting" else sampler
    )
    start = 10 if kind == "counting" else 0  # as from a checkpoint, whose number all know
    steps, averaged = Steps(), torch.optim.swa_utils.AveragedModel(model)
    run = Elastic(
        model,
        optimizer,
        1_000_000,
        start=start,
        sampler=sampler,
        scheduler=scheduler,
        states={"steps": steps},
        modules=[averaged],
    )

    def digest(of=model):
        parts = [p.detach().numpy().tobytes() for p in of.parameters()]
        return hashlib.sha256(b"".join(parts)).hexdigest()[:12]

    print("ready", flush=True)
    before, was_lost, last = world if "sleeps" in sys.argv else 0, sys.argv[-1] in ("late", "sleeps"), None
    for step in run:
        there = dist.get_world_size()
        if last is None and was_lost and there > before:
            last = step + 60
        was_lost, before = was_lost or there < before, there
        if step == last:
            break
        if kind == "adam" and step == 30:  # its tensors are others from now on
            optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        if step % 20 == 0:
            print("step", step, there, digest(), sampler.position, flush=True)
        loss = run.model(data[next(batches)]).square().mean()
        optimizer.zero_grad()
        before = sleep_within(step, before)
        loss.backward()
        optimizer.step()
        scheduler.step()
        averaged.update_parameters(model)
        steps.number += 1
        time.sleep(0.01)
    rate = optimizer.param_groups[0]["lr"]
    print("end", digest(), digest(averaged), sampler.position, rate, seen.calls, steps.number, flush=True)
    other = Elastic(model, optimizer, last)
    try:
        other.model(data[:16])
    except RuntimeError as right:
        assert "this Elastic does not run" in str(right), right
    else:
        raise AssertionError("a model that nobody makes equal")
    phase = list(Elastic(model, optimizer, last + 4, sampler=sampler))
    assert phase == [last + 1, last + 2, last + 3], (phase, last)
    dist.destroy_process_group()


if __name__ == "__main__":  # from Python 3.14 on, the workers of a DataLoader run this once more
    main()
