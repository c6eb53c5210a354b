#!/usr/bin/env python3
"""Draws SVG plots from the lines of JSON that Hearth's benches print. Python 3, standard library only.

usage: plot.py [--data FOLDER] [--out FOLDER]      default: data and plots beside this script

Reads FOLDER/*.jsonl (one object on a line) and FOLDER/run.json ({"commit", "date", "machine"}: the subtitle). A line is drawn by its keys:
  median_ms, peer           of `hearth bench allreduce --json`, `bench/compare --json`, `lab/peers/run`  -> allreduce.svg
  GBps, kernel              of `hearth kernel bench --json`                                              -> kernels.svg
  encode_GBps, codec        of `hearth bench compression --json`                                         -> compression.svg
  sums, views               of `hearth simulate scale --json`                                            -> growth.svg
A line with "ok": false is a wrong sum and no figure. Such lines and all others are counted and left out. A plot without lines is not written."""
import argparse, json, math, os, statistics, sys
from html import escape

HERE = os.path.dirname(os.path.realpath(__file__))
COLOURS = ("#1f6feb", "#bc4c00", "#6639ba", "#116329", "#a40e26", "#57606a", "#9a6700")
GREY, LIGHT = "#57606a", "#d0d7de"
PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP, GAP = 360, 200, 64, 64, 72


def size_text(size):
    for unit, text in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size % unit == 0:
            return "%d %s" % (size // unit, text)
    return "%d B" % size


class Picture:
    """Collects SVG elements; all texts are escaped."""

    def __init__(self, width, height, title, subtitle):
        self.parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
                      'font-family="system-ui, sans-serif" font-size="12">' % (width, height, width, height),
                      '<rect width="%d" height="%d" fill="#ffffff"/>' % (width, height)]
        self.text(16, 22, title, size=15, weight=600)
        self.text(16, 40, subtitle, fill=GREY)

    def text(self, x, y, text, anchor="start", fill="#1f2328", size=12, weight=400):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" font-size="%d" font-weight="%d">%s</text>'
                          % (x, y, anchor, fill, size, weight, escape(text)))

    def line(self, x1, y1, x2, y2, stroke=LIGHT):
        self.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>' % (x1, y1, x2, y2, stroke))

    def path(self, points, stroke):
        text = " ".join("%.1f,%.1f" % point for point in points)
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.8"/>' % (text, stroke))
        for x, y in points:
            self.parts.append('<circle cx="%.1f" cy="%.1f" r="2.6" fill="%s"/>' % (x, y, stroke))

    def bar(self, x, y, width, height, fill):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (x, y, max(width, 0.5), height, fill))

    def write(self, file):
        with open(file, "w", encoding="utf-8") as out:
            out.write("\n".join(self.parts + ["</svg>"]) + "\n")
        print(file)


def legend(picture, names, colours, y):
    x = 16
    for name in names:
        picture.bar(x, y - 9, 10, 10, colours[name])
        picture.text(x + 14, y, name)
        x += 30 + 7 * len(name)


def colours_of(names):
    ordered = sorted(names, key=lambda name: (name != "hearth", name))
    return ordered, {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(ordered)}


def all_reduce(lines, subtitle, file):
    """A panel for each place and number of ranks; a line for each program: the median of its rounds, both axes logarithmic."""
    panels = {}
    for line in lines:
        place = line.get("place") or "%s, %s" % (line.get("where", "loopback"), line.get("transport", "tcp"))
        program = line["peer"] + (" " + line["compression"] if "compression" in line else "")
        panels.setdefault((place, line["ranks"]), {}).setdefault(program, {}).setdefault(line["bytes"], []).append(line["median_ms"])
    names, colours = colours_of({program for panel in panels.values() for program in panel})
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    picture = Picture(LEFT + columns * (PANEL_WIDTH + GAP), TOP + 24 + rows * (PANEL_HEIGHT + GAP), "All-reduce: median time in ms", subtitle)
    legend(picture, names, colours, TOP)
    for place, (key, panel) in enumerate(sorted(panels.items())):
        left = LEFT + place % columns * (PANEL_WIDTH + GAP)
        top = TOP + 40 + place // columns * (PANEL_HEIGHT + GAP)
        sizes = sorted({size for program in panel.values() for size in program})
        values = [statistics.median(got) for program in panel.values() for got in program.values()]
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        high = max(high, low + 1)
        first, last = math.log2(sizes[0]), math.log2(sizes[-1])
        across = lambda size: left + (math.log2(size) - first) / (last - first or 1) * PANEL_WIDTH
        down = lambda ms: top + PANEL_HEIGHT - (math.log10(ms) - low) / (high - low) * PANEL_HEIGHT
        picture.text(left, top - 8, "%s, %d ranks" % key, weight=600)
        for power in range(low, high + 1):
            picture.line(left, down(10 ** power), left + PANEL_WIDTH, down(10 ** power))
            picture.text(left - 6, down(10 ** power) + 4, "%g" % 10 ** power, anchor="end", fill=GREY)
        for size in sizes:
            picture.text(across(size), top + PANEL_HEIGHT + 16, size_text(size), anchor="middle", fill=GREY)
        for name in names:
            if name in panel:
                points = sorted((size, statistics.median(got)) for size, got in panel[name].items())
                picture.path([(across(size), down(ms)) for size, ms in points], colours[name])
    picture.write(file)


def bars(groups, names, colours, unit, title, subtitle, file):
    """Horizontal bars: groups is a list of (label, {name: value}); one scale for all."""
    thickness, label_width, width = 12, 230, 420
    most = max(value for _, group in groups for value in group.values()) or 1
    height = TOP + 24 + sum(len(group) * thickness + 10 for _, group in groups) + 16
    picture = Picture(label_width + width + 90, height, title, subtitle)
    legend(picture, names, colours, TOP)
    top = TOP + 20
    for label, group in groups:
        picture.text(label_width - 8, top + len(group) * thickness / 2 + 4, label, anchor="end")
        for name in names:
            if name in group:
                picture.bar(label_width, top, group[name] / most * width, thickness - 2, colours[name])
                picture.text(label_width + group[name] / most * width + 6, top + 10, "%.3g %s" % (group[name], unit), fill=GREY)
                top += thickness
        top += 10
    picture.write(file)


def kernels(lines, subtitle, file):
    """A group for each kernel and size: every engine, and the loop in C."""
    cells, in_c = {}, {}
    for line in lines:
        key = (line["kernel"], line["bytes"])
        cells.setdefault(key, {}).setdefault(line["engine"], []).append(line["GBps"])
        if line["c_GBps"] is not None:
            in_c.setdefault(key, []).append(line["c_GBps"])
    groups = []
    for key in sorted(cells):
        group = {engine: statistics.median(got) for engine, got in cells[key].items()}
        if key in in_c:
            group["C"] = statistics.median(in_c[key])
        groups.append(("%s, %s" % (key[0], size_text(key[1])), group))
    names, colours = colours_of({name for _, group in groups for name in group})
    bars(groups, names, colours, "GB/s", "Kernels: GB/s of one operand", subtitle, file)


def compression(lines, subtitle, file):
    """A group for each codec: encoding, and decoding with the sum; the median over numbers of nodes and distributions."""
    cells = {}
    for line in lines:
        cell = cells.setdefault(line["codec"], {"encode": [], "decode and add": []})
        cell["encode"].append(line["encode_GBps"])
        cell["decode and add"].append(line["decode_GBps"])
    groups = [(codec, {name: statistics.median(got) for name, got in cell.items()}) for codec, cell in cells.items()]
    names = ["encode", "decode and add"]
    bars(groups, names, dict(zip(names, COLOURS)), "GB/s", "Codecs: GB/s of float32 on one core", subtitle, file)


def growth(lines, _, file):
    """Panels over the number of nodes: a sum of each network, predicted and played, and the bytes of views. The figures are simulated."""
    data = lines[-1]
    panels = []
    for network in dict.fromkeys(row["network"] for row in data["sums"]):
        rows = [row for row in data["sums"] if row["network"] == network]
        panels.append(("%s: ms of a sum of 64 MiB" % network, {
            "predicted": [(row["nodes"], row["large"]["predicted_ms"]) for row in rows],
            "played": [(row["nodes"], row["large"]["played_ms"]) for row in rows]}))
    views = [row for row in data["views"] if "join" in row]
    panels.append(("a view: bytes, and bytes that the proposer of a join sends", {
        "view": [(row["members"], row["view_bytes"]) for row in views],
        "join": [(row["members"], row["join"]["bytes"]) for row in views]}))
    names, colours = colours_of({name for _, series in panels for name in series})
    rows = -(-len(panels) // 2)
    picture = Picture(LEFT + 2 * (PANEL_WIDTH + GAP), TOP + 24 + rows * (PANEL_HEIGHT + GAP), "Growth with the number of nodes",
                      "hearth simulate scale, seed %d" % data["seed"])
    legend(picture, names, colours, TOP)
    for place, (title, series) in enumerate(panels):
        left = LEFT + place % 2 * (PANEL_WIDTH + GAP)
        top = TOP + 40 + place // 2 * (PANEL_HEIGHT + GAP)
        points = [point for line in series.values() for point in line]
        sizes = sorted({size for size, _ in points})
        low = math.floor(math.log10(min(value for _, value in points)))
        high = max(low + 1, math.ceil(math.log10(max(value for _, value in points))))
        first, last = math.log2(sizes[0]), math.log2(sizes[-1])
        across = lambda size: left + (math.log2(size) - first) / (last - first or 1) * PANEL_WIDTH
        down = lambda value: top + PANEL_HEIGHT - (math.log10(value) - low) / (high - low) * PANEL_HEIGHT
        picture.text(left, top - 8, title, weight=600)
        for power in range(low, high + 1):
            picture.line(left, down(10 ** power), left + PANEL_WIDTH, down(10 ** power))
            picture.text(left - 6, down(10 ** power) + 4, "%g" % 10 ** power, anchor="end", fill=GREY)
        for size in sizes:
            picture.text(across(size), top + PANEL_HEIGHT + 16, str(size), anchor="middle", fill=GREY)
        for name, line in series.items():
            picture.path([(across(size), down(value)) for size, value in sorted(line)], colours[name])
    picture.write(file)


PLOTS = (("allreduce.svg", all_reduce, {"median_ms", "peer"}), ("kernels.svg", kernels, {"GBps", "kernel"}),
         ("compression.svg", compression, {"encode_GBps", "codec"}), ("growth.svg", growth, {"sums", "views"}))


def read(folder):
    lines = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                lines += [json.loads(line) for line in file if line.strip()]
    return lines


def main():
    form = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    form.add_argument("--data", default=os.path.join(HERE, "data"))
    form.add_argument("--out", default=os.path.join(HERE, "plots"))
    asked = form.parse_args()
    try:
        lines = read(asked.data)
        with open(os.path.join(asked.data, "run.json"), encoding="utf-8") as file:
            run = json.load(file)
        subtitle = "commit %s, %s, %s" % (run["commit"], run["date"], run["machine"])
    except (OSError, ValueError, KeyError) as wrong:
        sys.exit("plot: cannot read %s: %s" % (asked.data, wrong))
    os.makedirs(asked.out, exist_ok=True)
    drawn = 0
    for name, draw, keys in PLOTS:
        wanted = [line for line in lines if keys <= line.keys() and line.get("ok", True)]
        drawn += len(wanted)
        if wanted:
            draw(wanted, subtitle, os.path.join(asked.out, name))
    if drawn < len(lines):
        print("plot: %d of %d lines are in no plot" % (len(lines) - drawn, len(lines)), file=sys.stderr)
    if not drawn:
        sys.exit("plot: %s has no lines to draw" % asked.data)


if __name__ == "__main__":
    main()
