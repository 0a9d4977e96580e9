// Plays on runs: starts, looks, lists, messages, cancellations.

import type { Attacker } from '../attacker.mts';

export async function start(one: Attacker): Promise<void> {
  const agent = one.agent();
  const requestId = one.random.chance(50) ? one.id('request') : undefined;
  const body = { input: one.text(), ...(requestId && { requestId }) };
  const ask = { method: 'POST', path: `/${agent}/runs`, body } as const;
  const isTwice = requestId !== undefined && one.random.chance(50);
  const replies = await Promise.all(isTwice ? [one.ask(ask), one.ask(ask)] : [one.ask(ask)]);
  const ids = replies.flatMap(({ status, body: { workflowId } }) =>
    (status === 201 || status === 200) && workflowId !== undefined ? [workflowId] : [],
  );
  if (new Set(ids).size > 1) one.world.report(`one request started two runs: ${ids.join(', ')}`);
  const [id] = ids;
  if (id !== undefined) await look(one, one.world.thing(id));
}

const looks = ['', '/transcript', '/events', '/events?tree=1', '?unknown=1'] as const;

export async function look(one: Attacker, thing = one.thing()): Promise<void> {
  if (thing === undefined) return;
  const path = thing.kind === 'run' && one.random.chance(50) ? '' : one.random.pick(looks);
  await one.probe({ of: thing, path, readMs: 600 });
}

const queries = [
  '',
  '?limit=200',
  '?limit=1',
  '?limit=0',
  '?limit=1e9',
  '?agent=payer',
  '?agent=hidden',
  '?agent=%27%20OR%201%3D1',
  '?status=running',
  '?status=running%27%20OR%20ExecutionStatus%3D%27Running',
  '?kind=approval',
  '?whole=1',
  '?key=mkU03x',
  '?limit=5&limit=6',
] as const;

export async function lists(one: Attacker): Promise<void> {
  for (const path of ['/runs', '/threads', '/inbox'])
    await one.ask({ path: path + one.random.pick(queries) });
  await one.ask({ path: '/openapi.json' });
  if (one.random.chance(50)) await one.ask({ path: '/inbox?whole=1&limit=200' });
}

export async function cancel(one: Attacker): Promise<void> {
  const thing = one.thing(one.random.chance(75) ? 'foreign' : 'visible');
  if (thing === undefined || one.random.chance(30)) return await look(one, thing);
  const body = one.random.chance(50) ? { reason: one.text(thing.owner) } : {};
  await one.probe({ method: 'POST', of: thing, path: '/cancel', body });
}

const whens = ['next', 'now', undefined, 'later'] as const;

export async function say(one: Attacker): Promise<void> {
  const thing = one.thing(one.random.pick(['own', 'visible', 'foreign'] as const));
  if (thing === undefined) return;
  const when = one.random.pick(whens);
  const path = one.random.chance(20)
    ? one.random.pick(['asker', 'manager', '..', 'x/y'])
    : undefined;
  const text = one.text(thing.owner);
  const body = { text, messageId: one.id('said'), ...(when && { when }), ...(path && { path }) };
  const ask = { method: 'POST', of: thing, path: '/messages', body } as const;
  const { status } = await one.probe(ask);
  if (status === 200) one.world.claims.push({ kind: 'said', thing, text });
  if (one.random.chance(30)) await one.probe(ask);
}
