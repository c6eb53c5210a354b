#!/usr/bin/env python3
"""Draws the graph of rates as SVG. Python 3, standard library only.

usage: draw.py FILE OUT      such as draw.py topology.json topology.svg

FILE is the output of `hearth topology --json`. Trainers are drawn, or all nodes if there is no trainer. A line stands for a link, its label for
the measured rates of both directions, its colour for the slower one: the slowest lines are red. A link without a rate is dashed."""
import json, math, sys
from html import escape

GREY, DARK = "#57606a", "#1f2328"
COLOURS = ((0.5, "#116329"), (0.15, "#bc4c00"), (0.0, "#a40e26"))  # part of the fastest rate, and the colour from there on
SIZE, RADIUS = 520, 170


def megabits(rate):
    return "?" if rate is None else "%.0f" % (rate * 8 / 1e6) if rate * 8 >= 1e8 else "%.1f" % (rate * 8 / 1e6)


def colour(rate, fastest):
    return GREY if rate is None else next(colour for part, colour in COLOURS if rate >= part * fastest)


def main():
    if len(sys.argv) != 3:
        sys.exit("draw.py: give the file of `hearth topology --json` and the file to write")
    file, out = sys.argv[1:]
    with open(file, encoding="utf-8") as read:
        topology = json.load(read)
    trainers = [node for node in topology["nodes"] if "/" in node["short_id"]]
    nodes = sorted(trainers or topology["nodes"], key=lambda node: node["name"])
    rates = {(link["from"], link["to"]): link.get("bytes_per_second") for link in topology["links"]}
    fastest = max([rate for rate in rates.values() if rate] or [1])
    middle = SIZE / 2
    place = {}
    for i, node in enumerate(nodes):
        turn = 2 * math.pi * i / len(nodes) - 3 * math.pi / 4
        place[node["id"]] = (middle + RADIUS * math.cos(turn), middle + RADIUS * math.sin(turn))
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" '
             'font-size="13">' % (SIZE, SIZE, SIZE, SIZE), '<rect width="%d" height="%d" fill="#ffffff"/>' % (SIZE, SIZE)]

    def text(x, y, words, fill=DARK, weight=400):
        parts.append('<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s" font-weight="%d" stroke="#ffffff" stroke-width="4" '
                     'paint-order="stroke">%s</text>' % (x, y, fill, weight, escape(words)))

    labels = []
    for i, one in enumerate(nodes):
        for other in nodes[i + 1:]:
            pair = (one["id"], other["id"])
            if pair not in rates and pair[::-1] not in rates:
                continue
            both = (rates.get(pair), rates.get(pair[::-1]))
            known = [rate for rate in both if rate]
            slower = min(known) if known else None
            (x1, y1), (x2, y2) = place[pair[0]], place[pair[1]]
            parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="2.5"%s/>' % (
                x1, y1, x2, y2, colour(slower, fastest), "" if known else ' stroke-dasharray="6 4"'))
            labels.append((x1 + 0.38 * (x2 - x1), y1 + 0.38 * (y2 - y1) + 4,
                           "%s / %s" % (megabits(both[0]), megabits(both[1])), colour(slower, fastest)))
    for label in labels:
        text(*label)
    for node in nodes:
        x, y = place[node["id"]]
        parts.append('<circle cx="%.1f" cy="%.1f" r="7" fill="%s"/>' % (x, y, DARK))
        text(x, y + (26 if y > middle else -16), node["name"], weight=600)
    text(middle, SIZE - 12, "Mbit/s there / back, as measured", GREY)
    with open(out, "w", encoding="utf-8") as write:
        write.write("\n".join(parts + ["</svg>"]) + "\n")
    print(out)


if __name__ == "__main__":
    main()
