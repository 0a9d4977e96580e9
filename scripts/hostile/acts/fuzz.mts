// Plays on anything: any route of the document with any ids and any members, other methods, odd paths, and nobody's tokens. A new route is
// met here at once. That does not count as tried: it needs a play that knows what it is for.

import type { Attacker } from '../attacker.mts';
import { filled } from './bodies.mts';

const methods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'] as const;

const oddPaths = [
  '/',
  '//',
  '/runs/',
  '/runs/%00',
  '/runs/%ff',
  '/runs/..%2f..%2finbox',
  '/runs/../inbox',
  '/talker/runs/x',
  '/talker/agui/x',
  '/nobody/runs',
  '/hidden/runs',
  '/openapi.json',
  '/talker/%2e%2e',
  '/TALKER/runs',
  `/${'x'.repeat(4_000)}`,
  '/runs/thread%3Ahostile%2FmkU01x%2Ftrip-talker',
] as const;

const values = [null, true, 0, -1, '', 'x', [], {}, ['x'], { a: 1 }, 1e308, 'mkO05x'] as const;

export async function fuzz(one: Attacker): Promise<void> {
  const { random, operations } = one;
  const operation = operations[random.below(operations.length)];
  if (operation === undefined || random.chance(30)) {
    const method = random.pick(methods);
    await one.ask({ method, path: random.pick(oddPaths), readMs: 300 });
    return;
  }
  const { path, method, query, body } = operation;
  const name = query[random.below(query.length)];
  const search = name === undefined ? '' : `?${name}=${JSON.stringify(random.pick(values))}`;
  const members = Object.keys(body?.properties ?? {}).filter(() => random.chance(60));
  const forged = Object.fromEntries(members.map((member) => [member, random.pick(values)]));
  await one.ask({
    method: random.chance(85) ? (method as 'GET') : random.pick(methods),
    path: filled(path, anyParams(one)) + encodeURI(search),
    ...(method === 'POST' && { body: forged }),
    readMs: 300,
  });
}

function anyParams(one: Attacker): Readonly<Record<string, string>> {
  const which = one.random.chance(50) ? 'visible' : 'foreign';
  const [input] = one.world.inputs(one.person, which);
  return {
    agent: one.agent(),
    chat: one.chat().name,
    id: input?.thing.id ?? one.thing()?.id ?? 'nobody',
    input: input?.inputId ?? 'q0.0',
  };
}

/** Tokens that the backend does not know. */
export async function nobody(one: Attacker): Promise<void> {
  const { random } = one;
  const thing = one.thing();
  const token = random.pick(['', 'x', `${one.person.token}x`, one.person.token.slice(0, -1)]);
  const path = random.pick(['', '/transcript', '/events', '/cancel'] as const);
  const method = path === '/cancel' ? 'POST' : 'GET';
  await one.ask({ method, of: thing, path, headers: { 'x-token': token } });
  const { operations } = one;
  const { path: any } = operations[random.below(operations.length)] ?? { path: '/runs' };
  await one.ask({ path: filled(any, {}), headers: { 'x-token': token } });
}
