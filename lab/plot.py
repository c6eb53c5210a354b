"""Draws what sampler.py printed: one panel for processor time, one for the heap, a line for each process, a band for the attack.

usage: plot.py SAMPLES.csv FROM-SECONDS TO-SECONDS TITLE > FIGURE.svg
"""
import csv, sys

WIDTH, PANEL, LEFT, TOP, GAP = 760, 170, 64, 48, 48
COLOURS = ("#1f6feb", "#bc4c00", "#6639ba")

with open(sys.argv[1]) as file:
    rows = list(csv.DictReader(file))
begin, end, title = float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
names = sorted({row["name"] for row in rows})
last = max(float(row["seconds"]) for row in rows)
across = lambda seconds: LEFT + seconds / last * (WIDTH - LEFT - 16)
height = TOP + 2 * PANEL + GAP + 36
out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
       'font-family="system-ui, sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
       f'<text x="{LEFT}" y="22" font-size="15" font-weight="600">{title}</text>']
for place, name in enumerate(names):
    out.append(f'<text x="{WIDTH - 16 - 70 * (len(names) - 1 - place)}" y="22" text-anchor="end" fill="{COLOURS[place]}">{name}</text>')

def step(most):
    """A round distance of lines, four or five of them."""
    for size in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500):
        if most / size <= 5: return size
    return most

for panel, (key, what) in enumerate((("cpu_percent", "% of a core"), ("heap_mb", "heap in use with its garbage, MB"))):
    top = TOP + panel * (PANEL + GAP)
    most = max(float(row[key]) for row in rows) * 1.05 or 1
    down = lambda value: top + PANEL - value / most * PANEL
    out.append(f'<rect x="{across(begin):.1f}" y="{top}" width="{across(end) - across(begin):.1f}" height="{PANEL}" fill="#ffebe9"/>')
    out.append(f'<text x="{across(end) - 4:.1f}" y="{top + 14}" text-anchor="end" fill="#a40e26">flood</text>')
    out.append(f'<text x="{LEFT}" y="{top - 6}" fill="#57606a">{what}</text>')
    value = 0
    while value <= most:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{down(value):.1f}" y2="{down(value):.1f}" stroke="#d0d7de" stroke-width="1"/>')
        out.append(f'<text x="{LEFT - 8}" y="{down(value) + 4:.1f}" text-anchor="end" fill="#57606a">{value:g}</text>')
        value += step(most)
    for place, name in enumerate(names):
        points = " ".join(f'{across(float(row["seconds"])):.1f},{down(float(row[key])):.1f}' for row in rows if row["name"] == name)
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[place]}" stroke-width="1.6"/>')
for seconds in range(0, int(last) + 1, 10):
    out.append(f'<text x="{across(seconds):.1f}" y="{height - 14}" text-anchor="middle" fill="#57606a">{seconds} s</text>')
out.append("</svg>")
print("\n".join(out))
