// The graph of nodes and links: nodes on a circle in the order of their ranks, links by their measured rates.

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 760;
const HEIGHT = 440;

export function shape(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export function rate(bytesPerSecond) {
  const megabits = bytesPerSecond * 8 / 1e6;
  return megabits >= 1000 ? `${(megabits / 1000).toFixed(1)} Gbit/s` : `${megabits.toFixed(megabits >= 100 ? 0 : 1)} Mbit/s`;
}

/** Milliseconds in three digits; empty if not known. */
export function millis(ms) {
  return ms === undefined ? '' : `${ms >= 100 ? ms.toFixed(0) : Number(ms.toPrecision(2))} ms`;
}

export function place(count) {
  if (count === 1) {
    return [{ x: WIDTH / 2, y: HEIGHT / 2 }];
  }
  return Array.from({ length: count }, (_, i) => {
    const angle = (count === 2 ? Math.PI : -Math.PI / 2) + 2 * Math.PI * i / count;
    return { x: WIDTH / 2 + 0.37 * WIDTH * Math.cos(angle), y: HEIGHT / 2 + 0.34 * HEIGHT * Math.sin(angle) };
  });
}

/** The best measured path of each pair, worse direction first: what a sum would feel. */
export function pairs(links) {
  const found = new Map();
  for (const link of links) {
    const key = [link.from, link.to].sort().join(' ');
    const former = found.get(key);
    const worse = !former || (link.bytes_per_second ?? Infinity) < (former.bytes_per_second ?? Infinity);
    found.set(key, worse ? link : former);
  }
  return [...found.values()];
}

/** The order in which a ring passes its pieces on; empty if the plan is not a ring. */
function ring(plan) {
  const group = plan?.groups?.[0];
  const ids = new Map((group?.members ?? []).map((member) => [member.name, member.id]));
  return group?.chosen?.algorithm === 'ring' ? (group.order ?? []).map((name) => ids.get(name)) : [];
}

export function draw(host, model, chosen, choose) {
  const focused = document.activeElement?.closest?.('.node')?.dataset?.id;
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': 'Machines and the links between them' });
  const spots = new Map(place(model.nodes.length).map((spot, i) => [model.nodes[i].id, spot]));
  for (const link of pairs(model.links)) {
    const from = spots.get(link.from);
    const to = spots.get(link.to);
    if (!from || !to) {
      continue;
    }
    const strength = link.bytes_per_second ? Math.min(7, 1 + Math.log10(link.bytes_per_second / 1e5)) : 1;
    const isChosen = chosen && (link.from === chosen || link.to === chosen);
    svg.append(shape('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y, 'stroke-width': Math.max(1, strength), class: isChosen ? 'link chosen' : 'link' }));
    if (isChosen || model.nodes.length <= 4) {
      const label = shape('text', { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - 6, class: 'rate', 'text-anchor': 'middle' });
      label.textContent = `${link.class}, ${link.bytes_per_second ? rate(link.bytes_per_second) : 'not measured'}, ${millis(link.rtt_ms)}`;
      svg.append(label);
    }
  }
  const order = ring(model.plan);
  order.forEach((id, i) => {
    const from = spots.get(id);
    const to = spots.get(order[(i + 1) % order.length]);
    if (from && to && order.length > 1) {
      const bend = { x: (from.x + to.x) / 2 + (from.y - to.y) * 0.12, y: (from.y + to.y) / 2 + (to.x - from.x) * 0.12 };
      svg.append(shape('path', { d: `M${from.x} ${from.y} Q${bend.x} ${bend.y} ${to.x} ${to.y}`, class: 'route' }));
    }
  });
  for (const node of model.nodes) {
    const spot = spots.get(node.id);
    const kinds = ['node', node.health, node.self ? 'self' : '', node.id === chosen ? 'chosen' : ''].filter(Boolean);
    const group = shape('g', {
      class: kinds.join(' '), transform: `translate(${spot.x} ${spot.y})`, tabindex: 0, role: 'button',
      'aria-pressed': node.id === chosen, 'aria-label': `${node.name}, ${node.health}${node.master ? ', master' : ''}`,
    });
    group.dataset.id = node.id;
    group.append(shape('circle', { r: 30 }));
    if (node.master) {
      group.append(shape('path', { d: 'M-13 -36 l3 -12 6 7 4 -10 4 10 6 -7 3 12z', class: 'crown' }));
    }
    const name = shape('text', { y: 52 });
    name.textContent = short(node.name, 24);
    const below = shape('text', { y: 4, class: 'small' });
    below.textContent = node.share === undefined ? short(node.role ?? 'not in', 12) : `owns ${(100 * node.share).toFixed(0)} %`;
    group.append(name, below);
    group.addEventListener('click', () => choose(node.id));
    group.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        choose(node.id);
      }
    });
    svg.append(group);
  }
  host.replaceChildren(svg);
  if (focused) {
    host.querySelector(`.node[data-id="${CSS.escape(focused)}"]`)?.focus();
  }
}

function short(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
