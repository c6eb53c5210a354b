"""A stranger on the LAN: overhears the adverts of Hearth's nodes and floods mDNS, and their ports if it is told to.

usage: stranger.py PACKETS SECONDS FORGED KINDS OWN-ADDRESS [CONNECTIONS-PER-SECOND]
FORGED is the percent of packets from forged addresses; KINDS is all, or names from `makers` with commas.
"""
import random, socket, struct, sys, time

packets, seconds, forged, kinds = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
own = sys.argv[5]
connections = int(sys.argv[6]) if len(sys.argv) > 6 else 0
group, port = "224.0.0.251", 5353
service = "_hearth._tcp.local"
rnd = random.Random(18)

def name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"

def record(owner, kind, data, ttl=120, length=None, cls=0x8001):
    return name(owner) + struct.pack("!HHIH", kind, cls, ttl, len(data) if length is None else length) + data

def response(*records):
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)

def query(*questions):
    return struct.pack("!6H", 0, 0, len(questions), 0, 0, 0) + b"".join(name(n) + struct.pack("!HH", t, 1) for n, t in questions)

def read_name(data, at):
    labels, behind, hops = [], None, 0
    while True:
        size = data[at]
        if size >= 0xC0:
            behind = behind or at + 2
            at, hops = (size & 0x3F) << 8 | data[at + 1], hops + 1
            if hops > 20: raise ValueError
        elif size == 0:
            return ".".join(labels), behind or at + 1
        else:
            labels.append(data[at + 1:at + 1 + size].decode("latin1"))
            at += 1 + size

def adverts(data):
    """Text and port of each instance in a packet."""
    counts, at, found = struct.unpack("!4H", data[4:12]), 12, {}
    for _ in range(counts[0]):
        at = read_name(data, at)[1] + 4
    for _ in range(sum(counts[1:])):
        owner, at = read_name(data, at)
        kind, _, _, length = struct.unpack("!HHIH", data[at:at + 10])
        body = data[at + 10:at + 10 + length]
        at += 10 + length
        if owner.endswith(service) and kind == 16: found.setdefault(owner, {})["txt"] = body
        if owner.endswith(service) and kind == 33: found.setdefault(owner, {})["port"] = struct.unpack("!H", body[4:6])[0]
    return [(f["txt"], f["port"]) for f in found.values() if len(f) == 2 and b"t=" in f["txt"]]

ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
ear.bind(("", port))
ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + socket.inet_aton(own))
ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
raw.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))

heard, doors = set(), set()
deadline = time.monotonic() + 15
ear.settimeout(1)
while time.monotonic() < deadline and len(heard) < 2:
    ear.sendto(query((service, 12)), (group, port))
    pause = time.monotonic() + 1
    while time.monotonic() < pause:
        try:
            data, (sender, _) = ear.recvfrom(9000)
            found = adverts(data)
            heard.update(found)
            doors.update((sender, service_port) for _, service_port in found)
        except (socket.timeout, IndexError, ValueError, struct.error):
            pass
if not heard: sys.exit("stranger: overheard no advert")
heard = sorted(heard)
print(f"overheard {len(heard)} adverts", flush=True)

def a(last): return bytes([10, 77, 0, last])
def instance(i, txt, service_port, address):
    who, host = f"x{i}.{service}", f"x{i}.local"
    return response(record(service, 12, name(who), 0x7FFFFFFF), record(who, 33, struct.pack("!3H", 0, 0, service_port) + name(host), 0x7FFFFFFF),
                    record(who, 16, txt, 0x7FFFFFFF), record(host, 1, address, 0x7FFFFFFF))
def forged_tag(i):
    txt, service_port = rnd.choice(heard)
    return instance(i, txt[:-1] + bytes([rnd.choice(b"abcdefgh")]), service_port, a(i % 250 + 1))
def replay(i):
    txt, service_port = rnd.choice(heard)
    return instance(i, txt, service_port, a(i % 250 + 1))
def noise(i):
    body = bytes(rnd.randrange(256) for _ in range(rnd.randrange(60)))
    return struct.pack("!6H", 0, rnd.choice((0, 0x8400)), rnd.randrange(3), rnd.randrange(4), 0, 0) + name(service) + body

makers = {
    "deaf": lambda i: response(record("x.local", 28, bytes([8, 8, 8, 8]))),
    "memory": lambda i: response(record(f"m{i}", 16, b"", 0x7FFFFFFF, 65535)),
    "years": lambda i: response(*[record(f"y{i}-{j}.local", 16, bytes([200]) + b"z" * 200, 0x7FFFFFFF) for j in range(4)]),
    "replay": replay,
    "tags": forged_tag,
    "questions": lambda i: query((service, 12), ("_services._dns-sd._udp.local", 12)),
    "noise": noise,
}
openers = (b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]) + bytes(60), b"\xff" * 36)
opened = []

def knock():
    """Connects to a node, says something wrong or nothing, and lets go of it 200 connections later."""
    caller = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    caller.settimeout(0.05)
    try:
        caller.connect(rnd.choice(sorted(doors)))
        caller.send(rnd.choice(openers))
        opened.append(caller)
    except OSError:
        caller.close()
    if len(opened) > 200: opened.pop(0).close()

chosen = list(makers) if kinds == "all" else kinds.split(",")
start = time.monotonic()
knocks = 0
for i in range(packets):
    data = makers[chosen[i % len(chosen)]](i)
    if rnd.randrange(100) < forged:
        source = f"10.77.0.{rnd.randrange(5, 255)}"
        udp = struct.pack("!4H", port, port, 8 + len(data), 0) + data
        raw.sendto(struct.pack("!2B3H2BH4s4s", 0x45, 0, 20 + len(udp), i & 0xFFFF, 0, 255, 17, 0,
                               socket.inet_aton(source), socket.inet_aton(group)) + udp, (group, 0))
    else:
        ear.sendto(data, (group, port))
    while doors and knocks < (time.monotonic() - start) * connections:
        knocks += 1
        knock()
    late = start + (i + 1) * seconds / packets - time.monotonic()
    if late > 0.002: time.sleep(late)
print(f"sent {packets} packets and made {knocks} connections in {time.monotonic() - start:.1f} s", flush=True)
