#!/usr/bin/env python3
"""Draws growth.svg from the JSON of `hearth simulate scale --json`. Python 3, standard library only.

usage: growth.py [FILE] [--out FILE]      default: data/growth.json and plots/growth.svg beside this script
"""
import argparse, json, math, os

from plot import GAP, GREY, HERE, LEFT, PANEL_HEIGHT, PANEL_WIDTH, TOP, Picture, colours_of, legend


def panel(picture, place, title, series, colours):
    """Lines over the number of nodes, both axes logarithmic."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default=os.path.join(HERE, "data", "growth.json"))
    parser.add_argument("--out", default=os.path.join(HERE, "plots", "growth.svg"))
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        data = json.load(file)
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
        panel(picture, place, title, series, colours)
    picture.write(options.out)


if __name__ == "__main__":
    main()
