"""Samples Java processes once a second, as lines of CSV: seconds, name, percent of a core, MB of heap in use, MB resident.

usage: sampler.py NAME=PID...
A JVM listens for such questions once jcmd has asked it anything.
"""
import os, re, socket, sys, tempfile, time

TICK = os.sysconf("SC_CLK_TCK")

def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK

def resident_mb(pid):
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

def heap_mb(pid):
    """Bytes used in all spaces of the heap, garbage included, asked as jcmd asks: one line to the JVM's own socket."""
    with socket.socket(socket.AF_UNIX) as jvm:
        jvm.settimeout(5)
        jvm.connect(f"{tempfile.gettempdir()}/.java_pid{pid}")
        jvm.sendall(b"1\0jcmd\0GC.heap_info\0\0\0")
        answer = b"".join(iter(lambda: jvm.recv(4096), b"")).decode()
    return sum(int(used) for used in re.findall(r"total [^\n]*?used (\d+)K", answer)) * 1024 / 1e6

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
