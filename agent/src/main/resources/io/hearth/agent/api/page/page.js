// Reads the agent's API every second while the page is visible, and shows what it says. Every text of the network is set as text.

import { draw, millis, rate } from '/graph.js';
import { curve, timelines } from '/charts.js';

const EVERY_MS = 1_000;
const PLAN_EVERY_MS = 5_000;
const PLAN_BYTES_USUAL = 16 * 1024 * 1024;

const by = (id) => document.getElementById(id);
let chosen = null;
let plan = null;
let plannedAt = 0;
let newest = null;

function make(name, text, kind) {
  const element = document.createElement(name);
  if (text !== undefined) {
    element.textContent = text;
  }
  if (kind) {
    element.className = kind;
  }
  return element;
}

function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.floor(seconds / 60)} min`
    : seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

function bytes(count) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = count;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}

async function get(path) {
  const answer = await fetch(path, { headers: { Accept: 'application/json' } });
  const body = await answer.json();
  if (!answer.ok) {
    throw new Error(body.error ?? `status ${answer.status}`);
  }
  return body;
}

/** The label with the slot; the topology's name where two machines have one label. */
function nameOf(node, unique) {
  const slash = node.id.indexOf('/');
  const slot = slash < 0 ? '' : node.id.slice(slash);
  return (unique.get(node.id) || node.label || node.id.slice(0, slash < 0 ? undefined : slash).slice(-8)) + slot;
}

/** Members, linked nodes and those that are away, as the graph and the tables need them. */
function model(status, topology) {
  const shares = new Map((plan?.groups?.[0]?.members ?? []).filter((m) => m.owns !== undefined).map((m) => [m.id, m.owns]));
  const unique = new Map(topology.nodes.filter((node) => !node.id.includes('/')).map((node) => [node.id, node.name]));
  const nodes = status.nodes.map((node) => ({
    ...node, name: nameOf(node, unique), master: node.id === status.master && status.view.members > 1, share: shares.get(node.id),
  }));
  const known = new Set(nodes.map((node) => node.id));
  for (const gone of status.away) {
    if (!known.has(gone.id) && !gone.id.includes('/')) {
      nodes.push({ ...gone, name: nameOf(gone, unique), health: 'away', role: 'away' });
    }
  }
  return { nodes, links: topology.links, plan };
}

function table(host, heads, rows) {
  const head = make('tr');
  heads.forEach(([text, kind]) => {
    const cell = make('th', text, kind);
    cell.scope = 'col';
    head.append(cell);
  });
  const top = make('thead');
  top.append(head);
  const body = make('tbody');
  for (const row of rows) {
    const line = make('tr');
    row.forEach((cell, i) => {
      const place = make('td', undefined, [heads[i][1], cell?.kind].filter(Boolean).join(' '));
      place.append(cell instanceof Node ? cell : cell?.text ?? cell ?? '');
      line.append(place);
    });
    body.append(line);
  }
  host.replaceChildren(top, body);
}

function showNodes(shown, topology) {
  const profiles = new Map(topology.nodes.map((node) => [node.id, node]));
  const versions = shown.nodes.map((node) => node.version ?? profiles.get(node.id)?.version).filter(Boolean);
  const isMixed = new Set(versions).size > 1; // else the head of the page names it
  const rows = shown.nodes.map((node) => {
    const profile = profiles.get(node.id) ?? {};
    const remove = make('button', 'Remove…');
    remove.type = 'button';
    remove.setAttribute('aria-label', `Remove ${node.name}`);
    remove.addEventListener('click', () => askRemove(node));
    return [
      node.rank ?? '', node.name + (node.self ? ' (this machine)' : '') + (node.master ? ' ★ master' : ''),
      (node.role ?? 'not in the view') + (node.group ? ` of ${node.group}` : ''), { text: node.health, kind: node.health },
      millis(node.rtt_mean_ms), node.address ?? '',
      [profile.chip || profile.arch, profile.cores ? `${profile.cores} cores` : ''].filter(Boolean).join(', '),
      profile.load_percent === undefined ? '' : `${profile.load_percent} %`, ...(isMixed ? [node.version ?? profile.version ?? ''] : []),
      node.apart ?? node.why ?? '', node.self || node.id.includes('/') ? '' : remove,
    ];
  });
  table(by('nodes'), [['Rank', 'number'], ['Name', 'text'], ['Role', 'text'], ['Health'], ['Round trip', 'number'], ['Address'],
    ['Machine', 'text'], ['Load', 'number'], ...(isMixed ? [['Version']] : []), ['Why', 'text'], ['']], rows);
}

function askRemove(node) {
  by('remove-text').textContent = `${node.name} loses its place in this namespace for good, and all other machines get a new `
    + 'secret. This page only reads; confirm by running the command on any machine that is left:';
  by('remove-command').textContent = `hearth remove ${node.label || node.id.slice(-8)}`;
  by('remove').showModal();
}

by('remove-copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(by('remove-command').textContent);
  by('remove-copy').textContent = 'Copied';
});

function showLinks(topology) {
  const rows = topology.links.flatMap((link) => link.paths.map((path) => [
    link.from_name, link.to_name, path.class, path.bytes_per_second ? rate(path.bytes_per_second) : 'not measured',
    millis(path.rtt_ms), path.loss_permille === undefined ? '' : `${path.loss_permille} ‰`, span(path.age_s * 1000),
  ]));
  if (rows.length === 0) {
    by('links').replaceChildren(make('caption', 'No link is measured yet: trainers measure when they meet.'));
    return;
  }
  table(by('links'), [['From'], ['To'], ['Class'], ['Rate', 'number'], ['Round trip', 'number'], ['Loss', 'number'],
    ['Age', 'number']], rows);
}

function list(pairs) {
  const terms = make('dl');
  for (const [term, text] of pairs) {
    if (text !== '' && text !== undefined) {
      terms.append(make('dt', term), make('dd', text));
    }
  }
  return terms;
}

function showDetail(shown, topology) {
  const node = shown.nodes.find((each) => each.id === chosen);
  if (!node) {
    return;
  }
  const profile = topology.nodes.find((each) => each.id === node.id) ?? {};
  by('detail').replaceChildren(list([
    ['Name', node.name], ['Id', node.id], ['Role', node.role], ['Group', node.group], ['Health', node.health],
    ['Why', node.apart ?? node.why], ['Away since', node.since_ms ? new Date(node.since_ms).toLocaleString() : ''],
    ['Address', node.address], ['Processor', profile.chip], ['System', profile.os ? `${profile.os}, ${profile.arch}` : ''],
    ['Memory', profile.memory_bytes ? bytes(profile.memory_bytes) : ''], ['Reduces with', profile.accelerator],
    ['Battery', profile.battery_percent === undefined ? '' : `${profile.battery_percent} %${profile.on_mains ? ', on mains' : ''}`],
    ['Owns of a sum', node.share === undefined ? '' : `${(100 * node.share).toFixed(1)} %`],
  ]));
}

function showJobs(answer) {
  const host = by('jobs');
  if (answer.jobs.length === 0) {
    host.replaceChildren(make('p', 'No training of this machine has reported here. Each script that uses AutoDiscoveryBackend does; '
      + 'report(step, steps, loss) adds its progress.', 'quiet'));
    return;
  }
  host.replaceChildren();
  for (const job of answer.jobs) {
    const box = make('article', undefined, 'job');
    const left = make('div');
    const made = job.progress;
    left.append(make('h3', `${job.group}: ${job.state}`));
    if (made?.steps) {
      const bar = make('div', undefined, 'bar');
      const done = Math.min(100, 100 * (made.step + 1) / made.steps);
      bar.setAttribute('role', 'progressbar');
      bar.setAttribute('aria-label', `Progress of ${job.group}`);
      bar.setAttribute('aria-valuenow', done.toFixed(0));
      const filled = make('i');
      filled.style.width = `${done}%`;
      bar.append(filled);
      left.append(bar);
    }
    const work = job.collectives;
    const sums = work.operations.all_reduce ?? {completed: 0, failed: 0, seconds: 0, sent_bytes: 0};
    const mean = sums.completed ? 1000 * sums.seconds / sums.completed : 0;
    const predicted = plan?.groups?.find((group) => group.group === job.group)?.chosen?.predicted_ms;
    left.append(list([
      ['Rank', job.rank < 0 ? 'none yet' : `${job.rank} of ${job.world}`],
      ['Step', made ? `${made.step + 1}${made.steps ? ` of ${made.steps}` : ''}, ${job.steps_per_second.toFixed(1)} a second` : ''],
      ['Loss', made ? made.loss.toPrecision(4) : ''],
      ['Sums', `${sums.completed}${sums.failed ? `, ${sums.failed} failed` : ''}${work.repeated ? `, ${work.repeated} repeated after a loss` : ''}`],
      ['A sum takes', sums.completed ? `${mean.toFixed(2)} ms on the mean` : ''],
      ['Plan of a 16 MiB sum', predicted === undefined ? '' : `${predicted.toFixed(1)} ms predicted`],
      ['Sends', job.state === 'running' ? rate(job.sent_bytes_per_second) : ''],
      ['Sent', bytes(sums.sent_bytes)],
      ['Compression', work.compression ? `${work.compression}, ${(work.plain_bytes / Math.max(1, sums.sent_bytes)).toFixed(1)} times less` : 'none'],
    ]));
    const right = make('div');
    box.append(left, right);
    host.append(box);
    if (job.curve.length > 0) {
      right.setAttribute('role', 'img');
      right.setAttribute('aria-label', `Loss of ${job.group}: ${job.curve[0][1].toPrecision(3)} at first, ${job.curve.at(-1)[1].toPrecision(3)} now`);
      curve(right, `${job.trainer} ${job.started_ms}`, job.curve);
    }
  }
}

/** The services that this machine offers, and the jobs of its scheduler. */
function showServices(status, shown) {
  const names = new Map(shown.nodes.map((node) => [node.id, node.name + (node.self ? ' (this machine)' : '')]));
  by('services-card').hidden = status.services.length === 0;
  table(by('services'), [['Service', 'text'], ['Programs of this machine call', 'text'], ['Answered by', 'text'], ['State on', 'text']],
    status.services.map((service) => {
      const link = make('a', service.address);
      link.href = service.address;
      return [service.name, link, service.answered_by ? names.get(service.answered_by) ?? service.answered_by
        : { text: service.vacancy, kind: 'degraded' }, service.keepers === 1 ? '1 machine' : `${service.keepers} machines`];
    }));
  const jobs = status.services.flatMap((service) => service.jobs);
  const runsJobs = status.services.some((service) => service.name === 'scheduler');
  by('h-service-jobs').hidden = !runsJobs;
  by('service-jobs').hidden = !runsJobs;
  if (jobs.length === 0) {
    by('service-jobs').replaceChildren(make('caption', 'No job yet: submit one with hearth jobs submit.'));
    return;
  }
  table(by('service-jobs'), [['Job', 'text'], ['State', 'text'], ['Epoch', 'number'], ['Shards of it', 'number'], ['Samples a second', 'number'],
    ['Time left', 'number'], ['Why', 'text']], jobs.map((job) => [
    job.name, job.state, `${job.epoch} of ${job.epochs}`, `${job.parts_done} of ${job.parts}`,
    job.samples_per_second > 0 ? job.samples_per_second.toFixed(1) : '', job.seconds_left === undefined ? '' : span(1000 * job.seconds_left),
    job.reason,
  ]));
}

function showPlan() {
  const host = by('plan');
  const group = plan?.groups?.[0];
  if (!group) {
    host.replaceChildren(make('p', 'No plan yet.', 'quiet'));
    return;
  }
  const way = group.chosen;
  host.replaceChildren(list([
    ['Group', group.group ?? 'all machines'], ['A sum of', bytes(plan.bytes)], ['Goes by', way?.text ?? way?.algorithm ?? 'nothing to send: one machine'],
    ['Predicted', way?.predicted_ms === undefined ? '' : `${way.predicted_ms.toFixed(1)} ms`], ['Why', way?.reason],
    ['Next best', group.runner_up ? `${group.runner_up.text ?? group.runner_up.algorithm}${group.runner_up.predicted_ms ? `, ${group.runner_up.predicted_ms.toFixed(1)} ms` : ''}` : ''],
    ['Known from', group.basis_text],
  ]));
}

function showPairing(pairing) {
  const host = by('pairing');
  if (pairing.code) {
    host.replaceChildren(
      make('p', 'On the new machine run:'), make('p', `hearth join ${pairing.code}`, 'code'),
      make('p', `${pairing.text} The code holds for ${span(1000 * pairing.seconds_left)} more.`, 'quiet'));
    return;
  }
  const line = make('p', 'To add a machine, run ');
  line.append(make('code', 'hearth pair'), ' on this one: its code appears here. Then run ', make('code', 'hearth join CODE'), ' on the new one.');
  host.replaceChildren(line);
}

function showEvents(answer, now) {
  const lines = [...answer.events].reverse().slice(0, 100).map((event) => {
    const line = make('li');
    const at = new Date(event.at_ms);
    const time = make('time', now - event.at_ms < 43_200_000 ? at.toLocaleTimeString() : at.toLocaleDateString());
    time.dateTime = at.toISOString();
    time.title = at.toLocaleString();
    line.append(time, make('span', event.text));
    return line;
  });
  by('events').replaceChildren(...(lines.length ? lines : [make('li', 'Nothing has happened since the agent started.', 'quiet')]));
}

function showNotices(status) {
  const told = [];
  if (status.stuck) {
    told.push(`Stuck: ${status.stuck}`);
  }
  if (status.waiting) {
    told.push(`Waiting: ${status.waiting}`);
  }
  status.doubled.forEach((other) => told.push(`Two computers are ${other.who}: ${other.why}`));
  status.refused.forEach((other) => told.push(`Refused ${other.who} ${other.address} (${other.count}): ${other.why}`));
  status.slow_links.forEach((link) => told.push(`Slow link: ${link.text}`));
  status.delays.forEach((late) => told.push(late.text));
  if (status.discovery) {
    told.push(status.discovery);
  }
  const shown = told.map((text) => make('p', text));
  if (by('notices').textContent !== shown.map((each) => each.textContent).join('')) {
    by('notices').replaceChildren(...shown);
  }
}

function show() {
  if (!newest) {
    return;
  }
  const { status, topology, jobs, events, pairing } = newest;
  const now = Date.now();
  const shown = model(status, topology);
  const members = status.view.members;
  by('summary').textContent = `namespace ${status.namespace.name}${status.namespace.open ? ' (OPEN)' : ''}: ${members} `
    + `${members === 1 ? 'node' : 'nodes'} in view ${status.view.epoch}; this one is ${status.state}; agent ${status.agent.version}, up ${span(now - status.agent.started_ms)}`;
  document.title = `Hearth: ${members} ${members === 1 ? 'node' : 'nodes'}`;
  showNotices(status);
  draw(by('graph'), shown, chosen, (id) => {
    chosen = id;
    show();
  });
  by('legend').textContent = 'The crown marks the master. Thicker lines carry more; ' + (plan?.groups?.[0]?.chosen?.algorithm === 'ring'
    ? 'dashes show the order of the ring.' : 'shares show what each node owns of a direct sum.');
  showDetail(shown, topology);
  showNodes(shown, topology);
  timelines(by('health'), new Map(shown.nodes.map((node) => [node.id, node.name])), events.health, now);
  showPairing(pairing);
  showJobs(jobs);
  showServices(status, shown);
  showLinks(topology);
  showPlan();
  showEvents(events, now);
}

async function refresh() {
  try {
    const [status, topology, jobs, events, pairing] = await Promise.all(
      ['/v1/status', '/v1/topology', '/v1/jobs', '/v1/events', '/v1/pairing'].map(get));
    if (Date.now() - plannedAt > PLAN_EVERY_MS) {
      plannedAt = Date.now();
      plan = await get(`/v1/plan?bytes=${PLAN_BYTES_USUAL}`);
    }
    newest = { status, topology, jobs, events, pairing };
    by('live').textContent = 'live';
    by('live').className = '';
    show();
  } catch (failed) {
    by('live').textContent = failed instanceof TypeError ? 'The agent does not answer; what you see is old.' : failed.message;
    by('live').className = 'lost';
  }
}

async function run() {
  for (;;) {
    if (!document.hidden) {
      await refresh();
    }
    await new Promise((wake) => setTimeout(wake, EVERY_MS));
  }
}

run();
