// Plays on bodies: too large, too deep, too slow, half, not JSON, of the wrong type, and made to be dear to read.

import type { Ask, Attacker } from '../attacker.mts';
import type { Manner } from '../request.mts';
import { nameOf } from '../routes.mts';

const kilobyte = 1_024;
const bodiesEach = 4;
/** Enough to be noticed. What takes minutes would end the round. */
const patternParts = 4;

type Poison = (one: Attacker) => Partial<Ask>;

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Each has one more level of repetition than an engine likes. */
const dearPattern = (seed: number): string =>
  `^${`(?:(?:x${seed}){1,31}){1,31}`.repeat(patternParts)}$`;

function dearTools(one: Attacker, name: 'inputSchema' | 'parameters'): readonly object[] {
  return Array.from({ length: 16 }, (_, index) => ({
    name: `tool_${index}`,
    description: one.text(),
    [name]: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 2 }, (_each, field) => [
          `f${field}`,
          { type: 'string', pattern: dearPattern(one.random.below(1_000_000)) },
        ]),
      ),
    },
  }));
}

const poisons: readonly [Poison, ...Poison[]] = [
  // A string that never ends, with a quote that may begin it at each step.
  (one) => ({ body: `"${'\\"'.repeat(one.random.between(12, 28) * kilobyte)}` }),
  (one) => ({ body: `{"input":"${'\\"'.repeat(one.random.between(8, 20) * kilobyte)}` }),
  () => ({ body: '"'.repeat(200 * kilobyte) }),
  () => ({ body: deep(100 * kilobyte) }),
  () => ({ body: `{"input":${deep(199)}}` }),
  () => ({ body: `{"input":${'{"a":'.repeat(30_000)}` }),
  () => ({ body: `{"input":"${'x'.repeat(300 * kilobyte)}"}` }),
  () => ({ body: ' '.repeat(250 * kilobyte) }),
  () => ({ body: { input: ' '.repeat(200 * kilobyte) } }),
  () => ({ body: { input: Array.from({ length: 5_000 }, () => ({ type: 'text', text: '' })) } }),
  () => ({ body: `{"input":[${'0,'.repeat(100_000)}0]}` }),
  () => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }),
  () => ({ body: '{"input":"\\ud800","input":"b","__proto__":{"a":1}}' }),
  () => ({ body: '{"input":"x","constructor":1,"toString":2}' }),
  () => ({ body: '[]' }),
  () => ({ body: 'null' }),
  () => ({ body: '{"input":1e999}' }),
  () => ({ body: '{"input":"x"', headers: { 'content-type': 'text/plain' } }),
  () => ({ body: 'input=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  (one) => ({ body: { input: one.text() }, headers: { 'content-type': 'application/jsonp' } }),
  (one) => ({ body: { input: one.text(), context: { who: 'mkO01x' }, budget: 1, key: {} } }),
  (one) => ({ body: { input: one.text(), clientTools: dearTools(one, 'inputSchema') } }),
  (one) => ({
    body: {
      threadId: 'trip-talker',
      runId: 'r',
      messages: [{ id: one.id('m'), role: 'user', content: one.text() }],
      tools: dearTools(one, 'parameters'),
    },
  }),
  (one) => ({
    body: {
      threadId: 'trip-talker',
      runId: 'r',
      messages: Array.from({ length: 3_000 }, (_, index) => ({
        id: `m${index}`,
        role: 'assistant',
        content: one.text(),
      })),
    },
  }),
  () => ({
    body: {
      threadId: 'trip-asker',
      runId: 'r',
      resume: Array.from({ length: 200 }, (_, index) => ({
        interruptId: `q${index}.0@x`,
        status: 'resolved',
        payload: 'x',
      })),
    },
  }),
];

const manners: readonly [Manner, ...Manner[]] = [
  { kind: 'whole' },
  { kind: 'whole' },
  { kind: 'whole' },
  { kind: 'half', ms: 100 },
  { kind: 'half', ms: 4_000 },
  { kind: 'slow', pieces: 20 },
  { kind: 'slow', pieces: 110 },
  { kind: 'cut', ms: 5 },
];

/** A poisoned body to any route that takes one. */
export async function poison(one: Attacker): Promise<void> {
  const { play } = one;
  for (let count = 0; count < bodiesEach; count += 1) {
    one.play = play;
    await sendPoison(one);
  }
}

async function sendPoison(one: Attacker): Promise<void> {
  const { random, operations } = one;
  const posts = operations.filter(({ method }) => method === 'POST');
  const operation = posts[random.below(posts.length)];
  if (operation === undefined) return;
  const thing = one.thing('own');
  const path = filled(operation.path, {
    agent: 'talker',
    chat: 'trip-talker',
    id: thing?.id ?? 'nobody',
    input: 'q0.0',
  });
  const dear = random.pick(poisons)(one);
  one.play = `${one.play} ${nameOf(operation)}`;
  await one.ask({ method: 'POST', manner: random.pick(manners), ...dear, path, readMs: 500 });
}

/** Starts whose client tools are dear to compile. */
export async function dearClientTools(one: Attacker): Promise<void> {
  const isAgUi = one.random.chance(40);
  const messages = [{ id: one.id('m'), role: 'user', content: one.text() }];
  const tools = dearTools(one, isAgUi ? 'parameters' : 'inputSchema');
  const name = 'trip-talker';
  if (isAgUi) {
    const body = { threadId: name, runId: one.id('r'), messages, tools };
    await one.ask({ method: 'POST', path: '/talker/agui', body, readMs: 500 });
    return;
  }
  const path = one.random.pick(['/talker/runs', `/talker/${name}/messages`] as const);
  const body = { input: one.text(), clientTools: tools };
  const { status, body: reply } = await one.ask({ method: 'POST', path, body });
  if (status < 300 && reply.workflowId !== undefined && path === '/talker/runs')
    one.world.addThing({ id: reply.workflowId, kind: 'run', agent: 'talker', owner: one.person });
}

export function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(params[name] ?? 'x'),
  );
}
