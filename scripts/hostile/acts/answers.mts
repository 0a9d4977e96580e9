// Plays on inputs that somebody saw: answers by the right and the wrong people, on the right and the wrong routes, at once and again.

import type { Attacker } from '../attacker.mts';
import { budgetInput, callInput } from '../ids.mts';
import { budgets, type AgentId } from '../agents.mts';
import { maySee } from '../people.mts';
import type { InputKind, SeenInput, Thing } from '../world.mts';

type Route = 'answer' | 'approve' | 'reject' | 'complete' | 'fail';

const routes: readonly [Route, ...Route[]] = ['answer', 'approve', 'reject', 'complete', 'fail'];

const fitting: Readonly<Record<InputKind, readonly [Route, ...Route[]]>> = {
  question: ['answer'],
  approval: ['approve', 'approve', 'approve', 'reject'],
  tool: ['complete', 'complete', 'fail'],
  budget: ['answer'],
};

/** What the audit says of an answer by a route. */
const verdicts: Readonly<Record<Route, readonly string[]>> = {
  answer: ['answer'],
  approve: ['approve', 'edit'],
  reject: ['reject'],
  complete: ['complete'],
  fail: ['fail'],
};

export async function answer(one: Attacker): Promise<void> {
  const { random, world, person } = one;
  const inputs = world.inputs(person, random.chance(60) ? 'visible' : 'foreign');
  const input = inputs[random.below(Math.min(8, inputs.length))];
  if (input === undefined) return void (await one.ask({ path: '/inbox?whole=1&limit=200' }));
  if (random.chance(40)) await one.probe({ of: input.thing, path: '' });
  const others = one.people.filter((each) => maySee(each, input.thing.owner) && each !== person);
  const other = others[random.below(others.length)];
  const isTogether = other !== undefined && random.chance(50);
  await Promise.all([decide(one, input), isTogether && decide(one.as(other), input)]);
  if (random.chance(30)) await decide(one, input);
}

/** Answers an input of which the attacker knows at least the id. */
export async function decide(one: Attacker, input: SeenInput): Promise<void> {
  const { random, person, world } = one;
  const { thing, inputId, kind } = input;
  const route = random.pick(random.chance(85) ? fitting[kind] : routes);
  const body = bodyFor(one, route, input);
  const path = `/inputs/${encodeURIComponent(inputId)}/${route}`;
  const { status, body: reply } = await one.probe({ method: 'POST', of: thing, path, body });
  if (status >= 300 || status === 0) return;
  if (input.byToken) world.report(`${one.play}: ${person.user} gave the result of ${inputId}`);
  const { answer: raised } = body as { readonly answer?: unknown };
  if (kind === 'budget' && person.sees === 'own' && raised !== 'stop')
    world.report(`${one.play}: ${person.user} raised the budget of ${inputId}`);
  world.claims.push({ kind: 'decided', thing, inputId, verdicts: verdicts[route], by: person });
  if (route !== 'approve') world.accept(input, JSON.stringify([route, valueIn(body)]), person);
  else if (reply.missing === 0) world.accept(input, '["approve"]', person);
}

function valueIn(body: object): unknown {
  const { answer: given, value, reason } = body as Readonly<Record<string, unknown>>;
  return given ?? value ?? reason;
}

function bodyFor(one: Attacker, route: Route, { thing, kind, digest }: SeenInput): object {
  const { random } = one;
  const seen = digest !== undefined && random.chance(40) ? { seen: digest } : {};
  const wrong = random.chance(10) ? { seen: 'what nobody saw' } : seen;
  const text = one.text(thing.owner);
  switch (route) {
    case 'answer':
      return { answer: kind === 'budget' ? random.pick([700, 'stop', 1_000_000]) : text, ...wrong };
    case 'approve':
      return { ...(random.chance(15) && { args: { what: text } }), ...wrong, note: text };
    case 'complete':
      return { value: kind === 'tool' ? { secret: `forged ${text}` } : text };
    default:
      return { reason: `forged ${text}`, ...wrong };
  }
}

/** Answers, by ids that can be computed, what is not open yet. */
export async function answerEarly(one: Attacker): Promise<void> {
  const { random } = one;
  const agent = random.pick(['spender', 'bank', 'asker', 'payer'] as const);
  const body = { input: one.text() };
  const { body: started } = await one.ask({ method: 'POST', path: `/${agent}/runs`, body });
  const thing = one.world.thing(started.workflowId ?? '');
  if (thing === undefined) return;
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const turn = 1 + (attempt % 3);
    await Promise.all(guesses(thing, turn).map((input) => decide(one, input)));
  }
}

/** The inputs that a run may open in a turn. */
export function guesses(thing: Thing, turn: number): readonly SeenInput[] {
  const { agent } = thing;
  const limit = budgets[agent as AgentId].maxTokens;
  return [
    { thing, kind: 'budget', inputId: budgetInput(thing, turn, limit) },
    {
      thing,
      kind: 'tool',
      inputId: callInput(thing, 't', turn),
      ...(agent === 'bank' && { byToken: true }),
    },
    { thing, kind: 'approval', inputId: callInput(thing, 'a', turn) },
    { thing, kind: 'question', inputId: callInput(thing, 'q', turn) },
  ];
}
