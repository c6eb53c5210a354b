#!/usr/bin/env python3
"""Makes a moving picture of a terminal: script -qec './hearth demo' OUT; docs/terminal.py './hearth demo' OUT >docs/demo.svg

A program that moves the cursor up draws its picture anew; the output of any other one grows by a line.
"""
import re
import sys
from html import escape

command, recording = sys.argv[1:]
text = open(recording, encoding="utf-8", errors="replace").read()
text = text[text.index("\n") + 1:] if text.startswith("Script started") else text
text = text.split("\nScript done")[0].replace("\r\n", "\n")

frames, lines, row = [], [], 0
for part in re.split(r"(\x1b\[\d+A)", text):
    up = re.fullmatch(r"\x1b\[(\d+)A", part)
    if up:
        frames.append(list(lines))
        row -= int(up[1])
        continue
    for line in part.split("\n")[:-1]:
        line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]|\r", "", line)
        lines[row:row + 1] = [line]
        row += 1
frames += [list(lines)] if frames else [lines[:end] for end in range(1, len(lines) + 1)]
step = max(1, len(frames) // 12)
frames = frames[:-1:step] + frames[-1:]

rows = max(map(len, frames)) + 1
width, height = 8 * max(len(line) for frame in frames for line in frame) + 32, 18 * rows + 28
times = [1.0] * (len(frames) - 1) + [6.0]
whole, begin = sum(times), 0.0
css, groups = [], []
for number, frame in enumerate(frames):
    end = begin + times[number]
    a, b = 100 * begin / whole, 100 * end / whole
    css.append(f"@keyframes f{number}{{0%,{max(0, a - .01):.2f}%{{opacity:0}}{a:.2f}%,{b - .02:.2f}%{{opacity:1}}{b:.2f}%,100%{{opacity:{int(end >= whole)}}}}}")
    shown = "".join(f'<tspan x="16" y="{18 * (i + 2) + 12}">{escape(line)}</tspan>' for i, line in enumerate(frame))
    still = int(number == len(frames) - 1)  # what a viewer shows that moves nothing
    groups.append(f'<text xml:space="preserve" opacity="{still}" style="animation:f{number} {whole:.0f}s infinite">{shown}</text>')
    begin = end
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
      f'<style>text{{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#d8dee9}}{"".join(css)}</style>'
      f'<rect width="100%" height="100%" rx="8" fill="#20242c"/>'
      f'<text x="16" y="30" style="fill:#8fbc8f">$ {escape(command)}</text>{"".join(groups)}</svg>')
