"""What the measurements between hosts of a lab have in common."""
import os, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAN = os.path.join(ROOT, "lab", "lan")


class Wrong(Exception):
    """Ends a measurement with one line."""


def lan(lab, *words):
    """What lab/lan prints for that lab."""
    done = subprocess.run([LAN, "--lab", lab, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong("lab/lan %s: %s" % (words[0], (done.stderr.strip().splitlines() or ["failed"])[-1]))
    return done.stdout.strip()


def table(rows, markdown):
    """Rows of texts, the first of them the heading."""
    if markdown:
        rows = [rows[0], tuple("---" for _ in rows[0]), *rows[1:]]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
