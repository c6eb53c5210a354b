// Health over time, and the loss of trainings.

import { shape } from '/graph.js';

const HOUR = 3_600_000;

/** One row of health for each node: spans of the last hour. */
export function timelines(host, nodes, health, now) {
  const box = document.createElement('div');
  box.className = 'timeline';
  for (const { node, changes } of health) {
    if (!nodes.has(node)) continue; // a program that ended
    const name = document.createElement('span');
    name.textContent = nodes.get(node);
    const svg = shape('svg', { viewBox: '0 0 1000 16', preserveAspectRatio: 'none', role: 'img' });
    const said = [];
    changes.forEach((change, i) => {
      const from = Math.max(change.at_ms, now - HOUR);
      const to = i + 1 < changes.length ? changes[i + 1].at_ms : now;
      if (to > from) {
        const x = 1000 * (from - now + HOUR) / HOUR;
        svg.append(shape('rect', { x, y: 0, width: Math.max(1, 1000 * (to - from) / HOUR), height: 16, class: change.health }));
        said.push(`${change.health} for ${Math.round((to - from) / 1000)} s`);
      }
    });
    svg.setAttribute('aria-label', said.join(', then '));
    box.append(name, svg);
  }
  host.replaceChildren(box);
}

const plots = new Map();

/** The curve of a training; kept between refreshes, so that a zoom stays. */
export function curve(host, id, points) {
  const data = [points.map((point) => point[0]), points.map((point) => point[1])];
  const known = plots.get(id);
  if (known) {
    host.append(known.root);
    known.setData(data);
    return;
  }
  const style = getComputedStyle(document.documentElement);
  const color = (name) => {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const axis = { stroke: color('--quiet'), grid: { stroke: color('--line') }, font: style.font };
  const plot = new window.uPlot({
    width: Math.max(260, host.clientWidth), height: 170, legend: { show: false }, scales: { x: { time: false } },
    axes: [{ ...axis, label: 'step', labelSize: 18, size: 34 }, { ...axis, size: 48 }],
    series: [{}, { stroke: color('--accent'), width: 2, points: { show: points.length < 3 } }],
  }, data, host);
  plots.set(id, plot);
}
