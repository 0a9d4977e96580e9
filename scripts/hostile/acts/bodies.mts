// Plays on bodies: too large, too deep, too slow, half, not JSON, of the wrong type, and made to be dear to read.

import type { Ask, Attacker } from '../attacker.mts';
import { mayBringTools } from '../people.mts';
import type { Manner } from '../request.mts';
import { nameOf } from '../routes.mts';
import { decide } from './answers.mts';

const kilobyte = 1_024;
const bodiesEach = 4;

type Poison = (one: Attacker) => Partial<Ask>;

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Each part multiplies what the one before it costs. */
const dearPattern = (one: Attacker): string => {
  const number = one.random.below(1_000_000);
  const most = one.random.pick([3, 9, 31]);
  return `^${`(?:(?:x${number}){1,${most}}){1,${most}}`.repeat(one.random.between(1, 4))}$`;
};

function dearTools(one: Attacker, name: 'inputSchema' | 'parameters'): readonly object[] {
  const fields = one.random.between(1, 4);
  const deepest = one.random.pick([1, 30, 300]);
  return Array.from({ length: one.random.pick([1, 4, 16, 16, 17]) }, (_, index) => ({
    name: `tool_${index}`,
    description: one.text(),
    [name]: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: fields }, (_each, field) => [
          `f${field}`,
          { type: 'string', pattern: dearPattern(one) },
        ]),
      ),
      ...(one.random.chance(20) && nested(deepest)),
    },
  }));
}

function nested(levels: number): object {
  return levels === 0 ? {} : { allOf: [{ minProperties: levels }, nested(levels - 1)] };
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
  const { random } = one;
  const isAgUi = random.chance(40);
  const messages = [{ id: one.id('m'), role: 'user', content: one.text() }];
  const tools = dearTools(one, isAgUi ? 'parameters' : 'inputSchema');
  const name = 'trip-talker';
  const path = random.pick(['/talker/runs', `/talker/${name}/messages`] as const);
  const reply = isAgUi
    ? await one.ask({
        method: 'POST',
        path: '/talker/agui',
        body: { threadId: name, runId: one.id('r'), messages, tools },
        readMs: 500,
      })
    : await one.ask({ method: 'POST', path, body: { input: one.text(), clientTools: tools } });
  if (reply.status >= 300 || reply.status === 0) return;
  if (!mayBringTools(one.person))
    one.world.report(`${one.play}: ${one.person.user} brought tools, which the backend refuses`);
}

/** Brings a tool, as a page does, whose result the page gives. */
export async function bringTool(one: Attacker): Promise<void> {
  const inputSchema = { type: 'object', properties: { what: { type: 'string' } } };
  const tool = { name: 'page_tool', description: 'Asks the page', inputSchema };
  const body = { input: `${one.text()} page_tool`, clientTools: [tool] };
  const { status, body: reply } = await one.ask({ method: 'POST', path: '/talker/runs', body });
  const isTaken = status === 201;
  if (isTaken !== mayBringTools(one.person) && (status === 201 || status === 403))
    one.world.report(`${one.play}: tools of ${one.person.user} were answered with ${status}`);
  const thing = one.world.thing(reply.workflowId ?? '');
  if (!isTaken || thing === undefined) return;
  await one.ask({ of: thing, path: '/events', readMs: 1_000 });
  const { body: state } = await one.ask({ of: thing, path: '' });
  for (const { inputId, kind } of state.pending ?? []) await decide(one, { thing, inputId, kind });
}

export function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(params[name] ?? 'x'),
  );
}
