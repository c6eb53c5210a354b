"""Runs PlanBench on every host of a lab, and says what its nodes printed, what they measured and what their probes cost."""
import dataclasses, json, os, re, shutil, statistics, subprocess, tempfile, time

from labs import LAN, ROOT, Wrong, homes, lan

LAB = "uneven%d" % os.getpid()
PROBE = re.compile(r" measured peer=(\S+) with outBytes=(\d+) inBytes=(\d+)")
JVM = ["--add-modules=jdk.incubator.vector", "-Dorg.slf4j.simpleLogger.showDateTime=true",
       "-Dorg.slf4j.simpleLogger.log.io.hearth.agent.topology=debug"]


@dataclasses.dataclass(frozen=True)
class Network:
    """Hosts of a lab, and how they are joined; rates as lab/lan writes them."""
    rates: tuple
    sites: str = ""
    line: str = ""
    rtt: str = ""
    nets: int = 1

    def up(self):
        """The words of lab/lan that make it; each host gets its rate afterwards."""
        words = ["up", str(len(self.rates)), "--nets", str(self.nets)]
        return words + (["--sites", self.sites, "--line", self.line, "--rtt", self.rtt] if self.sites else [])

    def site(self, host):
        sides = self.sites.split("|")
        return next((i for i, side in enumerate(sides) if str(host) in side.split()), 0)

    def shaped(self, one, other):
        """Bits per second between two hosts, on one net."""
        places = [bits(self.rates[one]), bits(self.rates[other])]
        return min(places + ([bits(self.line)] if self.site(one) != self.site(other) else []))

    def narrowest(self):
        """Bits per second of the slowest place; each byte of a buffer has to pass it once in each direction."""
        return min([bits(rate) * self.nets for rate in self.rates] + ([bits(self.line)] if self.sites else []))

    def text(self):
        between = ", line of %s and %s between sites %s" % (self.line, self.rtt, self.sites) if self.sites else ""
        return ",".join(self.rates) + between + (", %d nets" % self.nets if self.nets > 1 else "")


@dataclasses.dataclass
class Seen:
    """What one run of the nodes showed."""
    sums: list
    links: list
    measured: bool
    probes: dict

    def millis(self, strategy):
        return [ms for line in self.sums if line["strategy"] == strategy for ms in line["ms"]]

    def algorithms(self, strategy):
        """How they were played; a ring uses as many links as it has hosts, a direct sum one for each ordered pair of hosts."""
        return sorted({"%s over %d links" % (line["algorithm"], line["links"]) for line in self.sums if line["strategy"] == strategy})

    def right(self):
        return bool(self.sums) and all(line["ok"] for line in self.sums)


def bits(rate):
    match = re.fullmatch(r"([0-9]+)([kmg])bit", rate)
    if not match:
        raise Wrong("rate '%s': write it as 100mbit or 1gbit" % rate)
    return int(match[1]) * {"k": 10 ** 3, "m": 10 ** 6, "g": 10 ** 9}[match[2]]


def run(network, program, size, iterations, rounds, keep=None):
    """Runs PlanBench on each host until all have ended."""
    if keep:
        os.makedirs(keep, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="hearth-uneven.", dir=keep)
    hosts = range(len(network.rates))
    homes(folder, len(hosts))
    nodes = []
    lan(LAB, *network.up())
    try:
        for host, rate in enumerate(network.rates):
            lan(LAB, "rate", str(host), rate)
        began = time.monotonic()
        for host in hosts:
            with open(os.path.join(folder, "node-%d.log" % host), "w", encoding="utf-8") as log:
                nodes.append(subprocess.Popen(
                    [LAN, "--lab", LAB, "run", str(host), "--", "env", "HEARTH_HOME=" + os.path.join(folder, "home-%d" % host),
                     program, "@" + os.path.join(ROOT, "bin", "jvm.args"), *JVM, "-cp", os.path.join(ROOT, "cli", "target", "lib", "*"),
                     "io.hearth.bench.PlanBench", str(len(hosts) - 1), str(size), str(iterations), str(rounds)],
                    stdout=subprocess.PIPE, stderr=log, text=True))
        lines = [[json.loads(line) for line in node.stdout if line.startswith("{")] for node in nodes]
        codes = [node.wait() for node in nodes]
        if any(codes):
            raise Wrong("nodes ended with exit codes %s%s" % (codes, "; their logs are in " + folder if keep else "; see --keep"))
        seconds = time.monotonic() - began
        logs = [open(os.path.join(folder, "node-%d.log" % host), encoding="utf-8").read() for host in hosts]
    finally:
        for node in nodes:
            if node.poll() is None:
                node.kill()
        lan(LAB, "down")
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return seen(network, lines, logs, seconds)


def seen(network, lines, logs, seconds):
    """What the nodes printed and logged, with hosts in place of ids."""
    host_of = {line["node"]: host for host, printed in enumerate(lines) for line in printed if "node" in line}
    every = [line for printed in lines for line in printed]
    measured = next((line for line in every if "measured" in line), {"links": [], "measured": False})
    links = []
    for link in measured["links"]:
        one, other = host_of[link["from"]], host_of[link["to"]]
        shaped = network.shaped(one, other) / 1e6
        links.append({"from": one, "to": other, "mbit_per_s": link["mbit_per_s"], "rtt_ms": round(link["rtt_ms"], 2),
                      "shaped_mbit_per_s": round(shaped), "error_pct": round(100 * (link["mbit_per_s"] / shaped - 1), 1)})
    links.sort(key=lambda link: (link["from"], link["to"]))
    return Seen([line for line in every if "strategy" in line], links, measured["measured"], probes(network, host_of, logs, seconds))


def probes(network, host_of, logs, seconds):
    """Bytes of all probes, and the greatest part of the run's time that they took on a link and on a host's port."""
    link, port = {}, {}
    for host, log in enumerate(logs):
        for peer, out, _ in PROBE.findall(log):
            other = host_of[peer]
            link[host, other] = link.get((host, other), 0) + int(out)
    for (host, other), count in link.items():
        busy = count * 8 / network.shaped(host, other)
        port[host, "out"] = port.get((host, "out"), 0) + busy
        port[other, "in"] = port.get((other, "in"), 0) + busy
    busiest = max((count * 8 / network.shaped(*ends) for ends, count in link.items()), default=0)
    return {"seconds": round(seconds, 1), "bytes": sum(link.values()),
            "link_share_pct": round(100 * busiest / seconds, 2), "port_share_pct": round(100 * max(port.values(), default=0) / seconds, 2)}


def gain(slow, fast):
    """Ratio of the medians."""
    return round(statistics.median(slow) / statistics.median(fast), 3)
