"""Samples Java processes once a second, as lines of CSV: seconds, name, percent of a core, MB of heap in use, MB resident.

usage: sampler.py NAME=PID...
Heap in use is read from the JVM's own counters (hsperfdata), which costs the process nothing.
"""
import getpass, os, struct, sys, tempfile, time

TICK = os.sysconf("SC_CLK_TCK")

def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK

def resident_mb(pid):
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

def heap_mb(pid):
    """Bytes used in all spaces of the heap. The layout is that of the JVM's PerfDataPrologue and PerfDataEntry, version 2."""
    with open(f"{tempfile.gettempdir()}/hsperfdata_{getpass.getuser()}/{pid}", "rb") as file:
        data = file.read()
    order = ">" if data[4] == 0 else "<"
    at, entries = struct.unpack_from(order + "ii", data, 24)
    used = 0
    for _ in range(entries):
        length, name_at = struct.unpack_from(order + "ii", data, at)
        value_at = struct.unpack_from(order + "i", data, at + 16)[0]
        name = data[at + name_at:data.index(b"\0", at + name_at)].decode()
        if name.startswith("sun.gc.generation.") and ".space." in name and name.endswith(".used"):
            used += struct.unpack_from(order + "q", data, at + value_at)[0]
        at += length
    return used / 1e6

processes = [(argument.split("=")[0], int(argument.split("=")[1])) for argument in sys.argv[1:]]
begun = time.monotonic()
last = {pid: (begun, cpu_seconds(pid)) for _, pid in processes}
print("seconds,name,cpu_percent,heap_mb,resident_mb", flush=True)
for turn in range(1, 100_000):
    time.sleep(max(0, begun + turn - time.monotonic()))
    for name, pid in processes:
        now, cpu = time.monotonic(), cpu_seconds(pid)
        before, cpu_before = last[pid]
        last[pid] = (now, cpu)
        print(f"{now - begun:.1f},{name},{100 * (cpu - cpu_before) / (now - before):.1f},{heap_mb(pid):.1f},{resident_mb(pid):.1f}", flush=True)
