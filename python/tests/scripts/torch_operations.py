import sys, time, os, faulthandler

t0 = time.time()
import torch, torch.distributed as dist

print("import", round(time.time() - t0, 2))
t0 = time.time()
dist.init_process_group("hearth", world_size=int(sys.argv[1]))
print("init", round(time.time() - t0, 2), dist.get_rank(), dist.get_world_size(), dist.get_backend())
r, w = dist.get_rank(), dist.get_world_size()
for dt in (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int32,
    torch.int64,
    torch.int8,
    torch.uint8,
):
    x = torch.full((5,), r + 1, dtype=dt)
    dist.all_reduce(x)
    assert x.tolist() == [w * (w + 1) / 2] * 5, (dt, x)
x = torch.tensor([float(r)])
dist.all_reduce(x, op=dist.ReduceOp.AVG)
print("avg", x.item())
x = torch.arange(6.0).view(2, 3).t()
dist.all_reduce(x)
print("noncontig", x)
x = torch.tensor([r == 0, False])
dist.all_reduce(x)
print(x)
x = torch.zeros(0)
dist.all_reduce(x)
o = [None] * w
dist.all_gather_object(o, {"r": r, "s": "x" * r * 100})
print([len(str(i)) for i in o])
o = [r, "a"] if r == 0 else [None, None]
dist.broadcast_object_list(o)
print(o)
o = [torch.zeros(3) for _ in range(w)]
dist.all_gather(o, torch.full((3,), float(r)))
print(o)
t = torch.zeros(w * 2)
dist.all_gather_into_tensor(t, torch.full((2,), float(r)))
print(t)
t = torch.zeros(2)
dist.reduce_scatter_tensor(t, torch.arange(2.0 * w))
print(t)
t = torch.zeros(2)
dist.reduce_scatter(t, [torch.full((2,), float(i)) for i in range(w)])
print(t)
g = [torch.zeros(1) for _ in range(w)] if r == 0 else None
dist.gather(torch.tensor([float(r)]), g, dst=0)
print(g)
s = torch.zeros(1)
dist.scatter(s, [torch.tensor([float(i * 10)]) for i in range(w)] if r == 0 else None, src=0)
print(s)
if r == 0:
    dist.send(torch.tensor([42.0]), 1)
if r == 1:
    t = torch.zeros(1)
    dist.recv(t, 0)
    print("recv", t)
t = torch.zeros(w)
dist.all_to_all_single(t, torch.arange(float(w)) + 10 * r)
print(t)
out = [torch.zeros(i + 1) for i in range(w)]
inp = [torch.full((r + 1,), float(r)) for i in range(w)]
dist.all_to_all(out, inp)
print(out)
x = torch.ones(3) * (r + 1)
dist.reduce(x, dst=1)
print("reduce", x)
dist.barrier()
wk = dist.all_reduce(x, async_op=True)
wk.wait()
f = dist.all_reduce(x, async_op=True).get_future()
print(f.wait())
gr = dist.new_group()
dist.all_reduce(x, group=gr)
import torch.distributed._functional_collectives as F

print("func", F.all_reduce(torch.ones(2), "sum", list(range(w))))
obj = [None] * w if r == 0 else None
dist.gather_object("o%d" % r, obj)
print(obj)
so = [None]
dist.scatter_object_list(so, ["s%d" % i for i in range(w)] if r == 0 else None)
print(so)
ops = [
    dist.P2POp(dist.isend, torch.tensor([float(r)]), (r + 1) % w),
    dist.P2POp(dist.irecv, torch.zeros(1), (r - 1) % w),
]
for q in dist.batch_isend_irecv(ops):
    q.wait()
print("p2p", ops[1].tensor)
from torch.nn.parallel import DistributedDataParallel as DDP

torch.manual_seed(r)
m = DDP(torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.BatchNorm1d(30), torch.nn.ReLU(), torch.nn.Linear(30, 3)))
opt = torch.optim.SGD(m.parameters(), 0.1)
for i in range(5):
    opt.zero_grad()
    m(torch.randn(8, 20)).sum().backward()
    opt.step()
print("ddp", sum(p.double().sum().item() for p in m.parameters()))
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as ps, default_hooks as dh

m = DDP(torch.nn.Sequential(torch.nn.Linear(200, 300), torch.nn.ReLU(), torch.nn.Linear(300, 3)))
m.register_comm_hook(ps.PowerSGDState(None, 1, start_powerSGD_iter=2), ps.powerSGD_hook)
opt = torch.optim.SGD(m.parameters(), 0.01)
for i in range(6):
    opt.zero_grad()
    m(torch.randn(8, 200)).sum().backward()
    opt.step()
print("psgd", sum(p.double().sum().item() for p in m.parameters()))
m = DDP(torch.nn.Linear(20, 3))
m.register_comm_hook(None, dh.bf16_compress_hook)
m(torch.randn(8, 20)).sum().backward()
print("bf16 ok")
from torch.distributed.optim import ZeroRedundancyOptimizer as Z

m = DDP(torch.nn.Linear(20, 3))
o = Z(m.parameters(), optimizer_class=torch.optim.Adam, lr=0.01)
for i in range(3):
    o.zero_grad()
    m(torch.randn(8, 20)).sum().backward()
    o.step()
print("zero", sum(p.double().sum().item() for p in m.parameters()))
from torch.distributed.algorithms.join import Join

m = DDP(torch.nn.Linear(20, 3))
with Join([m]):
    for i in range(2 + r):
        m(torch.randn(8, 20)).sum().backward()
print("join ok")
from torch.distributed.fsdp import fully_shard

m = torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.Linear(30, 3))
from torch.distributed.device_mesh import init_device_mesh

mesh = init_device_mesh("cpu", (w,))
shards = not torch.__version__.startswith("2.6.")  # there FSDP2 needs a GPU
if shards:
    for l in m:
        fully_shard(l, mesh=mesh)
    fully_shard(m, mesh=mesh)
opt = torch.optim.Adam(m.parameters(), 0.01)
for i in range(2):
    opt.zero_grad()
    m(torch.randn(8, 20)).sum().backward()
    opt.step()
print("fsdp2", sum((p.full_tensor() if shards else torch.zeros(1)).double().sum().item() for p in m.parameters()))
import torch.distributed.checkpoint as dcp, tempfile

d = "checkpoint"  # in the folder of the test
sd = {"model": m.state_dict()}
dcp.save(sd, checkpoint_id=d)
dcp.load(sd, checkpoint_id=d)
dcp.async_save(sd, checkpoint_id=d).result()
with torch.device("meta"):  # a script's default device
    ones = torch.ones(3, device="cpu")
    dist.all_gather([torch.empty(3, device="cpu") for _ in range(w)], ones)
    dist.all_to_all([torch.empty(1, device="cpu") for _ in range(w)], [torch.ones(1, device="cpu") for _ in range(w)])
print("dcp ok")
t = time.time()
dist.destroy_process_group()
print("destroy", round(time.time() - t, 2))
