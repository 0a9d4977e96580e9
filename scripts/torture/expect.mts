// What the round comes to when nothing disturbs it, worked out from the plan alone.

import type {
  Act,
  AgentPlan,
  Call,
  GraphPlan,
  MessagePlan,
  NodePlan,
  RoundPlan,
  ThreadPlan,
  TreePlan,
  TurnPlan,
} from './plan.mts';
import {
  answerOf,
  answerTo,
  argumentsOf,
  decisionOn,
  inputOf,
  inputOfCall,
  keyOf,
  messageOf,
  rejection,
  resultOf,
  toolNameOf,
} from './says.mts';

/** A message as model and transcript have it. */
export type Said = {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** `part`: other words may stand around it. */
  readonly match?: 'part';
  /** The place of a call that happens once, of whose result nobody may know, or which was never made. */
  readonly once?: string;
};

/** One agent's conversation; `ends[n]` is how much of it the model is given at its call n. */
export type Conversation = {
  readonly agent: string;
  readonly messages: readonly Said[];
  readonly ends: readonly number[];
  readonly turns: readonly TurnPlan[];
  /** The last answer, unless the provider refuses to give it. */
  readonly answer: string | undefined;
};

export type TreeEnd =
  | {
      readonly kind: 'complete';
      readonly text: string;
      readonly combinedText?: string;
      readonly session: { readonly [key: string]: string };
    }
  | { readonly kind: 'failed'; readonly code: 'ProviderError' };

export type Expectation = {
  /** By the id of the agent, or the name of the message. */
  readonly conversations: ReadonlyMap<string, Conversation>;
  /** By the id of the tree. */
  readonly ends: ReadonlyMap<string, TreeEnd>;
};

export function expectRound({ trees, threads }: RoundPlan): Expectation {
  const conversations = new Map<string, Conversation>();
  for (const thread of threads) expectThread(thread, conversations);
  const ends = new Map(trees.map((tree) => [tree.id, expectTree(tree, conversations)]));
  return { conversations, ends };
}

function expectTree(tree: TreePlan, conversations: Map<string, Conversation>): TreeEnd {
  const { root } = tree;
  const { text, combinedText, session } = new Evaluation(conversations).node(root, inputOf(tree));
  if (root.kind === 'agent' && root.isRefused) return { kind: 'failed', code: 'ProviderError' };
  return { kind: 'complete', text, ...(combinedText !== undefined && { combinedText }), session };
}

type Result = {
  readonly text: string;
  readonly combinedText?: string;
  /** What the node adds to the session; no two nodes write the same key. */
  readonly session: { readonly [key: string]: string };
};

class Evaluation {
  readonly #conversations: Map<string, Conversation>;

  constructor(conversations: Map<string, Conversation>) {
    this.#conversations = conversations;
  }

  node(node: NodePlan, input: string): Result {
    switch (node.kind) {
      case 'agent':
        return this.#agent(node, input);
      case 'sequential': {
        let last: Result = { text: '', session: {} };
        let next = input;
        for (const step of node.steps) {
          const result = this.node(step, next);
          last = { ...result, session: { ...last.session, ...result.session } };
          if (node.passOutput === true) next = result.text;
          if (node.passOutput === 'combined') next = result.combinedText ?? result.text;
        }
        return last;
      }
      case 'parallel': {
        const results = node.branches.map((branch) => this.node(branch, input));
        return {
          text: results.at(-1)?.text ?? '',
          combinedText: JSON.stringify(results.map(({ text }) => text)),
          session: merged(results),
        };
      }
      case 'graph':
        return this.#graph(node, input);
    }
  }

  #graph({ tasks }: GraphPlan, input: string): Result {
    const done = new Map<string, Result>();
    for (const { id, runner, dependencies } of tasks) {
      const outputs = dependencies.map(
        (from) => `Output of task '${from}':\n${done.get(from)?.text}`,
      );
      done.set(id, this.node(runner, [input, ...outputs].join('\n\n')));
    }
    const sinks = tasks.filter(
      ({ id }) => !tasks.some(({ dependencies }) => dependencies.includes(id)),
    );
    const texts = sinks.map(({ id }) => [id, done.get(id)?.text ?? ''] as const);
    return {
      text: texts.at(-1)?.[1] ?? '',
      ...(texts.length > 1 && { combinedText: JSON.stringify(Object.fromEntries(texts)) }),
      session: merged([...done.values()]),
    };
  }

  #agent(plan: AgentPlan, input: string): Result {
    const below: Result[] = [];
    const conversation = conversationOf(plan, [{ role: 'user', text: input }], (call) => {
      const result = this.node(call.callee, inputOfCall(call));
      below.push(result);
      return result.text;
    });
    this.#conversations.set(plan.id, conversation);
    const notes = plan.turns.flat().filter(({ kind }) => kind === 'note');
    const own = Object.fromEntries(notes.map(({ place }) => [keyOf(plan.id), place]));
    return { text: conversation.answer ?? '', session: { ...merged(below), ...own } };
  }
}

/** Each message is answered after those before it, of which the model is given all or the last ones. */
function expectThread(
  { window, operations }: ThreadPlan,
  conversations: Map<string, Conversation>,
): void {
  const answered = (message: MessagePlan, before: readonly Said[]): readonly Said[] => {
    const { name: id, turns, answer } = message;
    const said: Said = { role: 'user', text: messageOf(message) };
    const given =
      window === undefined ? before : before.slice(Math.max(0, before.length - 2 * window));
    const plan = { id, turns, answer, isRefused: false };
    conversations.set(
      id,
      conversationOf(plan, [...given, said], () => ''),
    );
    return [said, { role: 'assistant', text: answerOf(plan) }];
  };
  let before: readonly Said[] = [];
  for (const operation of operations) {
    if (operation.kind === 'clear') before = [];
    else if (operation.kind === 'send')
      for (const message of operation.burst) before = [...before, ...answered(message, before)];
    else answered(operation.asking, before);
  }
}

function conversationOf(
  plan: Pick<AgentPlan, 'id' | 'turns' | 'answer' | 'isRefused'>,
  before: readonly Said[],
  resultOfCall: (call: Call) => string,
): Conversation {
  const messages = [...before];
  const ends = [messages.length];
  for (const turn of plan.turns) {
    messages.push({ role: 'assistant', text: turn.map(callText).join('\n') });
    for (const act of turn)
      messages.push(
        act.kind === 'call' ? { role: 'tool', text: resultOfCall(act) } : resultMessage(act),
      );
    ends.push(messages.length);
  }
  const answer = plan.isRefused ? undefined : answerOf(plan);
  return { agent: plan.id, messages, ends, turns: plan.turns, answer };
}

const callText = (act: TurnPlan[number]): string =>
  `${act.kind === 'call' ? toolNameOf(act) : act.kind}(${JSON.stringify(argumentsOf(act))})`;

function resultMessage(act: Act): Said {
  const { kind, place, size } = act;
  const done: Said = { role: 'tool', text: resultOf({ place, ...size }) };
  switch (kind) {
    case 'charge':
    case 'look':
      return done;
    case 'refund':
      return { ...done, once: place };
    case 'note':
      return { role: 'tool', text: 'noted' };
    case 'stumble':
      return { role: 'tool', text: `it broke at ${place}`, match: 'part' };
    case 'ask_user':
      return { role: 'tool', text: answerTo(act) };
    case 'guard':
    case 'guard_once': {
      const decision = decisionOn(place);
      if (decision === 'reject') return { role: 'tool', text: rejection, match: 'part' };
      const isOnce = kind === 'guard_once';
      return {
        ...done,
        ...(isOnce && { once: place }),
        ...(decision === 'edit' && { match: 'part' }),
      };
    }
  }
}

function merged(results: readonly Result[]): { readonly [key: string]: string } {
  return Object.assign({}, ...results.map(({ session }) => session)) as {
    [key: string]: string;
  };
}

/** The first difference between what was said and what was expected; undefined where there is none. */
export function differenceOf(
  actual: readonly { readonly role: string; readonly text: string }[],
  expected: readonly Said[],
): string | undefined {
  for (let index = 0; index < Math.max(actual.length, expected.length); index += 1) {
    const [is, should] = [actual[index], expected[index]];
    if (is === undefined) return `message ${index} is missing: ${shown(should)}`;
    if (should === undefined) return `message ${index} is too much: ${shown(is)}`;
    if (!agrees(is, should)) return `message ${index} is ${shown(is)}, expected ${shown(should)}`;
  }
  return undefined;
}

/** Behind what else the model is told of the call, such as that a person changed its arguments. */
const isUnknown = (text: string): boolean => /^(Error: )?OutcomeUnknown/m.test(text);
const isNotMade = (text: string): boolean =>
  /^(Error: )?The tool '\w+' failed: it was not called: /m.test(text);

/** Places of calls that happen once, by what was said of them in place of their results. */
export type Untold = { readonly unknown: Set<string>; readonly notMade: Set<string> };

export function collectUntold(
  actual: readonly { readonly text: string }[],
  expected: readonly Said[],
  { unknown, notMade }: Untold,
): void {
  for (const [index, { once }] of expected.entries()) {
    const text = actual[index]?.text ?? '';
    if (once !== undefined && isUnknown(text)) unknown.add(once);
    if (once !== undefined && isNotMade(text)) notMade.add(once);
  }
}

function agrees(is: { readonly role: string; readonly text: string }, should: Said): boolean {
  if (is.role !== should.role) return false;
  if (should.once !== undefined && (isUnknown(is.text) || isNotMade(is.text))) return true;
  return should.match === 'part' ? is.text.includes(should.text) : is.text === should.text;
}

function shown(said: { readonly role: string; readonly text: string } | undefined): string {
  const { role = '', text = '' } = said ?? {};
  const clipped = text.length > 160 ? `${text.slice(0, 120)}… (${text.length})` : text;
  return `${role}: ${JSON.stringify(clipped)}`;
}
