"""What the measurements between hosts of a lab have in common."""
import os, shutil, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAN = os.path.join(ROOT, "lab", "lan")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}


class Wrong(Exception):
    """Ends a measurement with one line."""


def lan(lab, *words):
    """What lab/lan prints for that lab."""
    done = subprocess.run([LAN, "--lab", lab, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong("lab/lan %s: %s" % (words[0], (done.stderr.strip().splitlines() or ["failed"])[-1]))
    return done.stdout.strip()


def size(text):
    """Bytes, of a text such as 64MiB."""
    number, unit = text[:-3], text[-3:]
    if unit not in UNITS or not number.isdigit():
        raise Wrong("--size %s: write it as 64MiB or 256KiB" % text)
    return int(number) * UNITS[unit]


def java():
    """The one that ./hearth takes, after it built what is newer than its last build."""
    subprocess.run([os.path.join(ROOT, "hearth"), "version"], check=True, stdout=subprocess.DEVNULL)
    found = subprocess.run([os.path.join(ROOT, "bin", "hearth"), "--jdk"], capture_output=True, text=True)
    if found.returncode != 0:
        raise Wrong(found.stderr.strip())
    return os.path.join(found.stdout.strip(), "bin", "java")


def homes(folder, hosts):
    """A home for each host; all know one namespace."""
    first = os.path.join(folder, "first")
    made = subprocess.run([os.path.join(ROOT, "hearth"), "init", "home"], env=dict(os.environ, HEARTH_HOME=first),
                          capture_output=True, text=True)
    if made.returncode:
        raise Wrong("hearth init failed: " + made.stderr.strip())
    for host in range(hosts):
        home = os.path.join(folder, "home-%d" % host)
        os.mkdir(home, 0o700)
        shutil.copy2(os.path.join(first, "namespace.toml"), home)


def table(rows, markdown):
    """Rows of texts, the first of them the heading."""
    if markdown:
        rows = [rows[0], tuple("---" for _ in rows[0]), *rows[1:]]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
