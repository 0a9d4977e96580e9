// Contract: however a prompt is compacted, the request of each dialect keeps the rules of its API. The turns come from a strict double.
import fc from 'fast-check';
import { type Dialect, dialects, models, refusalOf, type Wire } from '../../bench/strict-rules.mts';
import { StrictProvider } from '../../bench/strict-provider.mts';
import { type AgentMachine, startMachine } from '../../src/core/machine/agent-machine';
import { foldLog } from '../../src/core/transcript/fold-log';
import type { LogEvent, NewEntry } from '../../src/protocol/log';
import type { Message, ToolContent } from '../../src/protocol/message';
import { toMessagesRequest } from '../../src/providers/anthropic/to-messages-request';
import { toGenerateRequest } from '../../src/providers/google/to-generate-request';
import { toChatRequest } from '../../src/providers/openai/chat/to-chat-request';
import { toResponsesRequest } from '../../src/providers/openai/responses/to-responses-request';
import type { ModelProvider, ModelRequest, ModelResponse } from '../../src/providers/provider';
import { resolveProviders } from '../../src/providers/registry';

const builders: Record<Dialect, (request: ModelRequest) => object> = {
  'openai-responses': (request) => toResponsesRequest(request),
  'openai-chat': (request) =>
    toChatRequest(request, { ownHost: true, maxTokensField: 'max_completion_tokens' }),
  'anthropic-messages': (request) => toMessagesRequest(request),
  'google-generate-content': (request) => toGenerateRequest(request),
};

const tool = {
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: { type: 'object', properties: { page: { type: 'integer' } } },
};

function requestOf(dialect: Dialect, messages: readonly Message[], tools = [tool]): ModelRequest {
  return {
    model: models[dialect],
    instructions: 'Read every page.',
    messages,
    tools,
    toolChoice: 'auto',
    settings: { reasoning: { effort: 'low' } },
    cacheKey: 'run-1',
  };
}

const user = (text: string): LogEvent => ({
  kind: 'user',
  message: { role: 'user', parts: [{ type: 'text', text }] },
});

/** A turn with what follows it. `through` of a compaction is a share of the turns so far. */
type Step = {
  readonly isText: boolean;
  readonly results: readonly ToolContent[];
  readonly follow: 'nothing' | 'user' | 'feedback';
  readonly compactions: readonly { readonly kind: 'clear' | 'summary'; readonly share: number }[];
};

const content: fc.Arbitrary<ToolContent> = fc.oneof(
  fc.nat(3_000).map((length) => ({ type: 'text' as const, text: 'x'.repeat(length) })),
  fc.nat(2_000).map((length) => ({ type: 'json' as const, value: { found: 'y'.repeat(length) } })),
);

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    isText: fc.boolean(),
    results: fc.array(content, { minLength: 2, maxLength: 2 }),
    follow: fc.constantFrom('nothing', 'nothing', 'user', 'feedback'),
    compactions: fc.array(
      fc.record({
        kind: fc.constantFrom('clear', 'summary'),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 2 },
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

type Turns = {
  readonly calling: readonly ModelResponse[];
  readonly saying: readonly ModelResponse[];
};

function logOf(given: readonly Step[], { calling, saying }: Turns): LogEvent[] {
  const log: LogEvent[] = [user('Read every page, please.')];
  for (const [index, { isText, results, follow, compactions }] of given.entries()) {
    const response = (isText ? saying : calling)[index] as ModelResponse;
    log.push({ kind: 'model-turn', ...response });
    const calls = response.content.flatMap((part) => (part.type === 'tool_call' ? [part] : []));
    for (const [place, { callId, name }] of calls.entries()) {
      const said = [results[place] as ToolContent];
      const result = {
        type: 'tool_result' as const,
        callId,
        name,
        turn: 1,
        index: place,
        content: said,
        isError: false,
      };
      log.push({ kind: 'tool-result', result });
    }
    if (follow === 'user') log.push(user(`And then? (${index})`));
    if (follow === 'feedback' || (follow === 'nothing' && isText))
      log.push({ kind: 'decision', decision: { kind: 'feedback', text: 'Go on.' } });
    for (const { kind, share } of compactions) {
      const through = Math.round(share * (index + 1));
      if (kind === 'summary') log.push({ kind, text: `Up to ${through}.`, through });
      else log.push({ kind: 'decision', decision: { kind: 'clear-results', through, over: 512 } });
    }
  }
  return log;
}

/** A turn of the model, and how many messages come before it. `reversed`: its results come in the other order. */
type Round = { readonly isText: boolean; readonly before: number; readonly reversed: boolean };

const steered: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({ isText: fc.boolean(), before: fc.nat(3), reversed: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

function sayings(count: number, round: number) {
  return Array.from({ length: count }, (_, index) => ({
    message: {
      role: 'user' as const,
      parts: [{ type: 'text' as const, text: `Message ${index}.` }],
    },
    messageId: `m-${round}-${index}`,
  }));
}

/** Answers the calls of a turn. A message is refused until the last one has its result. */
function answerAll(machine: AgentMachine, { reversed }: Round): void {
  const step = machine.nextStep();
  if (step.kind !== 'call-tools') return;
  for (const { call, turn, index } of reversed ? step.calls.toReversed() : step.calls) {
    const before = machine.log.length;
    expect(() => machine.steer(sayings(1, index))).toThrow('steer does not fit');
    expect(machine.log).toHaveLength(before);
    const content = [{ type: 'text' as const, text: 'found' }];
    const { callId, name } = call;
    const result = { type: 'tool_result' as const, callId, name, turn, index, content };
    machine.toolResult({ kind: 'tool-result', result: { ...result, isError: false } });
  }
}

/** Calls without a result in the next message. */
function unpaired(messages: readonly Message[]): string[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'assistant') return [];
    const next = messages[at + 1];
    const answered = next?.role === 'tool' ? next.parts.map(({ callId }) => callId) : [];
    const called = message.parts.flatMap((part) =>
      part.type === 'tool_call' ? [part.callId] : [],
    );
    return called.filter((callId) => !answered.includes(callId));
  });
}

describe.each(dialects)('a prompt of %s', (dialect) => {
  let double: StrictProvider;
  let turns: Turns;

  beforeAll(async () => {
    double = await StrictProvider.start({ window: 1_000_000, rounds: 100 });
    const provider = resolveProviders({ double: double.config(dialect) }).get(
      'double',
    ) as ModelProvider;
    const first = foldLog([user('Read.')]);
    const options = {
      signal: new AbortController().signal,
      onDelta: () => undefined,
      onActivity: () => undefined,
    };
    const ask = async (tools: (typeof tool)[]): Promise<ModelResponse[]> => {
      const answers: ModelResponse[] = [];
      while (answers.length < 12)
        answers.push(await provider.call(requestOf(dialect, first, tools), options));
      return answers;
    };
    turns = { calling: await ask([tool]), saying: await ask([]) };
  });

  afterAll(async () => {
    await double.stop();
  });

  function refusal(messages: readonly Message[], tools = [tool]): string | undefined {
    return refusalOf(dialect, builders[dialect](requestOf(dialect, messages, tools)) as Wire);
  }

  it('keeps the rules of the API, whatever was compacted between its rounds', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const messages = foldLog(logOf(given, turns));
        expect(refusal(messages)).toBeUndefined();
        expect(messages[0]).toMatchObject({ parts: [{ text: 'Read every page, please.' }] });
      }),
    );
  });

  it('keeps them under random messages, which come to no call that waits for its result', () => {
    fc.assert(
      fc.property(steered, (given) => {
        const entries: NewEntry[] = [];
        const log = { entries, add: (entry: NewEntry) => void entries.push(entry) };
        const machine = startMachine('Read every page, please.', { maxTurns: 30 }, log);
        for (const [index, round] of given.entries()) {
          if (machine.nextStep().kind === 'done' && !machine.steer(sayings(1, index))) break;
          machine.nextStep();
          if (round.before > 0) expect(machine.steer(sayings(round.before, index))).toBe(true);
          expect(refusal(machine.fullHistory())).toBeUndefined();
          const from = round.isText ? turns.saying : turns.calling;
          const response = from[index] as ModelResponse;
          machine.modelResponse({ ...response, tools: [tool.name] });
          answerAll(machine, round);
          expect(foldLog(entries)).toEqual(machine.fullHistory());
        }
        expect(unpaired(machine.fullHistory())).toEqual([]);
      }),
    );
  });

  it('would be refused if it broke them', () => {
    const results: readonly ToolContent[] = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    const step: Step = { isText: false, results, follow: 'nothing', compactions: [] };
    const [question, call, answer] = foldLog(logOf([step], turns)) as [Message, Message, Message];
    expect(refusal([question, call, answer])).toBeUndefined();
    expect(refusal([question, call])).toBeDefined();
    expect(refusal([question, call, question])).toBeDefined();
    expect(refusal([question, answer])).toBeDefined();
    expect(refusal([question, call, answer], [])).toBeDefined();
    const body = builders[dialect](requestOf(dialect, [question, call, answer]));
    const forged = JSON.parse(JSON.stringify(body).replaceAll('sealed-', 'forged-')) as Wire;
    const isSealed = dialect !== 'openai-chat';
    expect(refusalOf(dialect, forged) !== undefined).toBe(isSealed);
  });
});
