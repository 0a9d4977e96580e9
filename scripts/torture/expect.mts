// What the round comes to when nothing disturbs it, worked out from the plan alone.

import { shownPicture } from './payload.mts';
import {
  agentsOf,
  hasPlannedCalls,
  type Act,
  type AgentPlan,
  type BudgetPlan,
  type Call,
  type GraphPlan,
  type MessagePlan,
  type NodePlan,
  type RoundPlan,
  type RoundSettings,
  type ThreadPlan,
  type TreePlan,
  type TurnPlan,
} from './plan.mts';
import {
  answerOf,
  answerTo,
  argumentsOf,
  captionOf,
  decisionOn,
  drawnAt,
  headInStore,
  inputOf,
  inputOfCall,
  keyOf,
  laterResultOf,
  messageOf,
  refusedArguments,
  rejection,
  resultOf,
  rolledAt,
  shownResult,
  spokenParts,
  stateOf,
  roomOfPicture,
  toolNameOf,
  voteOn,
} from './texts.mts';

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
  /** Set where the prompt is made smaller: the model is given parts of the conversation only. */
  readonly window?: number | undefined;
  readonly turns: readonly TurnPlan[];
  /** The last answer, unless the provider refuses to give it. */
  readonly answer: string | undefined;
};

type Session = { readonly [key: string]: string };

/** What a result has. */
export type Outcome = {
  readonly text: string;
  readonly combinedText?: string;
  readonly session: Session;
  /** Of all model calls; not of a race, which does not wait for those who lose. */
  readonly tokens?: number;
};

export type TreeEnd = {
  /** The codes it may fail with. */
  readonly failures: readonly ('ProviderError' | 'BudgetExceeded')[];
  /** What it may come to: of a race there are several. */
  readonly outcomes: readonly Outcome[];
  /** How often it asks for more budget, where that does not depend on what runs when. */
  readonly asksForBudget?: number;
};

/** Of one model call: as the model says. */
export const tokensOfCall = { input: 10, output: 5, total: 15 };

export type Expectation = {
  /** By the id of the agent, or the name of the message. */
  readonly conversations: ReadonlyMap<string, Conversation>;
  /** By the id of the tree. */
  readonly ends: ReadonlyMap<string, TreeEnd>;
};

export function expectRound({ trees, threads, settings }: RoundPlan): Expectation {
  const conversations = new Map<string, Conversation>();
  for (const thread of threads) expectThread(thread, settings, conversations);
  const ends = new Map(trees.map((tree) => [tree.id, expectTree(tree, settings, conversations)]));
  return { conversations, ends };
}

function expectTree(
  tree: TreePlan,
  settings: RoundSettings,
  conversations: Map<string, Conversation>,
): TreeEnd {
  const { root } = tree;
  const input = spokenParts(inputOf(tree));
  const evaluation = new Evaluation(settings, conversations);
  if (root.kind === 'parallel' && root.race) {
    const branches = root.branches.map((branch) => evaluation.node(branch, input));
    const finished = branches.filter((_, index) => !isRefused(root.branches[index]));
    return {
      failures: [],
      outcomes: finished.map(({ text, session }) => ({
        text,
        session: { ...stateOf(tree), ...session },
      })),
    };
  }
  const { text, combinedText, session, calls } = evaluation.node(root, input);
  const isAlone = root.kind === 'agent' && agentsOf(root).length === 1;
  const asksForBudget = isAlone ? questionsOf(tree.budget, calls) : undefined;
  const outcome = {
    text,
    ...(combinedText !== undefined && { combinedText }),
    session: { ...stateOf(tree), ...session },
    ...(hasPlannedCalls(tree) && { tokens: calls * tokensOfCall.total }),
  };
  return {
    ...endOf(tree, asksForBudget ?? 0, outcome),
    ...(asksForBudget !== undefined && { asksForBudget }),
  };
}

function endOf(
  { root, budget }: TreePlan,
  asksForBudget: number,
  outcome: Outcome,
): Pick<TreeEnd, 'failures' | 'outcomes'> {
  if (budget?.answer === 'stop' && asksForBudget > 0)
    return { failures: ['BudgetExceeded'], outcomes: [] };
  return isRefused(root)
    ? { failures: ['ProviderError'], outcomes: [] }
    : { failures: [], outcomes: [outcome] };
}

const isRefused = (node: NodePlan | undefined): boolean => node?.kind === 'agent' && node.isRefused;

/** It is looked at before each call, and asks until there is some left. */
function questionsOf(budget: BudgetPlan | undefined, calls: number): number {
  if (budget === undefined) return 0;
  let limit = budget.tokens;
  let questions = 0;
  for (let spent = 0; spent < calls * tokensOfCall.total; spent += tokensOfCall.total) {
    for (; spent >= limit; limit += budget.answer) {
      questions += 1;
      if (budget.answer === 'stop') return questions;
    }
  }
  return questions;
}

type Result = {
  readonly text: string;
  readonly combinedText?: string;
  /** What the node adds to the session; no two nodes write the same key. */
  readonly session: Session;
  /** Of models. */
  readonly calls: number;
};

/** The spoken parts of an input: one is a plain text. */
type Input = readonly string[];

const sumOf = (results: readonly Result[]): number =>
  results.reduce((sum, { calls }) => sum + calls, 0);

class Evaluation {
  readonly #settings: RoundSettings;
  readonly #conversations: Map<string, Conversation>;

  constructor(settings: RoundSettings, conversations: Map<string, Conversation>) {
    this.#settings = settings;
    this.#conversations = conversations;
  }

  node(node: NodePlan, input: Input): Result {
    switch (node.kind) {
      case 'agent':
        return this.#agent(node, input);
      case 'sequential': {
        let last: Result = { text: '', session: {}, calls: 0 };
        let next = input;
        for (const step of node.steps) {
          const result = this.node(step, next);
          const session = { ...last.session, ...result.session };
          last = { ...result, session, calls: last.calls + result.calls };
          if (node.passOutput === true) next = [result.text];
          if (node.passOutput === 'combined') next = [result.combinedText ?? result.text];
        }
        return last;
      }
      case 'parallel': {
        const results = node.branches.map((branch) => this.node(branch, input));
        return {
          text: results.at(-1)?.text ?? '',
          combinedText: JSON.stringify(results.map(({ text }) => text)),
          session: merged(results),
          calls: sumOf(results),
        };
      }
      case 'graph':
        return this.#graph(node, input);
    }
  }

  #graph({ tasks }: GraphPlan, input: Input): Result {
    const done = new Map<string, Result>();
    for (const { id, runner, dependencies } of tasks) {
      const outputs = dependencies.map(
        (from) => `Output of task '${from}':\n${done.get(from)?.text}`,
      );
      done.set(id, this.node(runner, withOutputs(input, outputs)));
    }
    const sinks = tasks.filter(
      ({ id }) => !tasks.some(({ dependencies }) => dependencies.includes(id)),
    );
    const texts = sinks.map(({ id }) => [id, done.get(id)?.text ?? ''] as const);
    return {
      text: texts.at(-1)?.[1] ?? '',
      ...(texts.length > 1 && { combinedText: JSON.stringify(Object.fromEntries(texts)) }),
      session: merged([...done.values()]),
      calls: sumOf([...done.values()]),
    };
  }

  #agent(plan: AgentPlan, input: Input): Result {
    const below: Result[] = [];
    const said: Said = { role: 'user', text: input.join('\n') };
    const resultOfCall = (call: Call): string => {
      const result = this.node(call.callee, [inputOfCall(call)]);
      below.push(result);
      return result.text;
    };
    const conversation = conversationOf(plan, [said], { settings: this.#settings, resultOfCall });
    this.#conversations.set(plan.id, conversation);
    const notes = plan.turns.flat().filter(({ kind }) => kind === 'note');
    const own = Object.fromEntries(notes.map(({ place }) => [keyOf(plan.id), place]));
    return {
      text: conversation.answer ?? '',
      session: { ...merged(below), ...own },
      calls: conversation.ends.length + sumOf(below),
    };
  }
}

function withOutputs(input: Input, outputs: readonly string[]): Input {
  if (outputs.length === 0) return input;
  return input.length === 1
    ? [[...input, ...outputs].join('\n\n')]
    : [...input, outputs.join('\n\n')];
}

/** Each message is answered after those before it, of which the model is given all or the last ones. */
function expectThread(
  { window, operations }: ThreadPlan,
  settings: RoundSettings,
  conversations: Map<string, Conversation>,
): void {
  const answered = (message: MessagePlan, before: readonly Said[]): readonly Said[] => {
    const { name: id, turns, answer } = message;
    const said: Said = { role: 'user', text: spokenParts(messageOf(message)).join('\n') };
    const given =
      window === undefined ? before : before.slice(Math.max(0, before.length - 2 * window));
    const plan = { id, turns, answer, isRefused: false };
    conversations.set(
      id,
      conversationOf(plan, [...given, said], { settings, resultOfCall: () => '' }),
    );
    return [said, { role: 'assistant', text: answerOf(plan) }];
  };
  let before: readonly Said[] = [];
  for (const operation of operations) {
    if (operation.kind === 'clear') before = [];
    else if (operation.kind === 'send')
      for (const message of operation.burst) before = [...before, ...answered(message, before)];
    else {
      answered(operation.asking, before);
      const late = operation.kind === 'cancel' ? operation.late : undefined;
      if (late !== undefined) before = [...before, ...answered(late, before)];
    }
  }
}

type Results = {
  readonly settings: RoundSettings;
  readonly resultOfCall: (call: Call) => string;
};

function conversationOf(
  plan: Pick<AgentPlan, 'id' | 'turns' | 'answer' | 'isRefused' | 'window'>,
  before: readonly Said[],
  { settings, resultOfCall }: Results,
): Conversation {
  const messages = [...before];
  const ends = [messages.length];
  for (const turn of plan.turns) {
    messages.push({ role: 'assistant', text: turn.map(callText).join('\n') });
    for (const act of turn)
      messages.push(
        act.kind === 'call'
          ? { role: 'tool', text: resultOfCall(act) }
          : resultMessage(act, settings),
      );
    ends.push(messages.length);
  }
  const answer = plan.isRefused ? undefined : answerOf(plan);
  return { agent: plan.id, messages, ends, turns: plan.turns, answer, window: plan.window };
}

const callText = (act: TurnPlan[number]): string =>
  `${act.kind === 'call' ? toolNameOf(act) : act.kind}(${JSON.stringify(argumentsOf(act))})`;

function resultMessage(act: Act, { hasResults }: RoundSettings): Said {
  const { kind, place, size } = act;
  const refused = refusedArguments(act);
  if (refused !== undefined) return { role: 'tool', text: refused, match: 'part' };
  const whole = resultOf({ place, ...size });
  const head = hasResults ? headInStore(whole) : undefined;
  const done: Said =
    head === undefined
      ? { role: 'tool', text: shownResult(whole) }
      : { role: 'tool', text: head, match: 'part' };
  switch (kind) {
    case 'charge':
    case 'look':
      return done;
    case 'refund':
      return { ...done, once: place };
    case 'roll':
      return { role: 'tool', text: rolledAt(place, ''), match: 'part' };
    case 'note':
      return { role: 'tool', text: 'noted' };
    case 'stumble':
      return { role: 'tool', text: `it broke at ${place}`, match: 'part' };
    case 'ask_user':
      return { role: 'tool', text: answerTo(act) };
    case 'later':
      return { role: 'tool', text: laterResultOf(act) };
    case 'picture':
      return drawnMessage(act, hasResults);
    default:
      return decidedMessage(act, done);
  }
}

function decidedMessage({ kind, place }: Act, done: Said): Said {
  const decision = kind === 'vote' ? voteOn(place) : decisionOn(place);
  if (decision === 'reject') return { role: 'tool', text: rejection, match: 'part' };
  return {
    ...done,
    ...(kind !== 'guard' && { once: place }),
    ...(decision === 'edit' && { match: 'part' }),
  };
}

function drawnMessage({ place, size }: Act, hasResults: boolean): Said {
  const caption = captionOf(place);
  const data = drawnAt({ place, ...size });
  return data.length > roomOfPicture(place) && !hasResults
    ? { role: 'tool', text: '[left out: a result has room for 256 KiB', match: 'part' }
    : { role: 'tool', text: `${caption}\n${shownPicture(data)}` };
}

function merged(results: readonly Result[]): Session {
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

/** How the summaries of the double begin. */
export const summaryOf = 'The summary of';

const isCleared = ({ role, text }: Spoken): boolean =>
  role === 'tool' && text.includes('cleared to save room');

/**
 * As `differenceOf`, where the prompt was made smaller: it begins with the first message and ends with the last ones; between them some are
 * missing, some results are cleared, and a summary may stand.
 */
export function viewDifference(
  actual: readonly Spoken[],
  expected: readonly Said[],
): string | undefined {
  let place = 0;
  for (const [index, is] of actual.entries()) {
    if (is.role === 'user' && is.text.includes(summaryOf)) continue;
    const found = expected.findIndex(
      (should, at) =>
        at >= place && (agrees(is, should) || (isCleared(is) && should.role === 'tool')),
    );
    if (found < 0) return `message ${index} of a smaller prompt is ${shown(is)}, out of order`;
    if (index === 0 && found !== 0) return `the first message is missing: ${shown(expected[0])}`;
    place = found + 1;
  }
  const [is, should] = [actual.at(-1), expected.at(-1)];
  if (is === undefined || should === undefined || agrees(is, should)) return undefined;
  return `the last message of a smaller prompt is ${shown(is)}, expected ${shown(should)}`;
}

type Spoken = { readonly role: string; readonly text: string };

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
