import fc from 'fast-check';
import type { AgentRun } from '../../../../src/agent-run';
import type { AgentRunOptions } from '../../../../src/agent-run';
import type { RunStateKind } from '../../../../src/core/machine/run-state';
import type {
  InvalidToolCallAction,
  ModelTurn,
  ToolChoice,
} from '../../../../src/core/machine/steps';
import type { AssistantPart, ToolResult, Usage } from '../../../../src/protocol/message';
import { textMessage } from '../../../../src/core/transcript/transcript';
import { result } from '../builders';

/** One event of a random script: what it does depends on the state it meets. */
export type ScriptEvent = {
  /** Now and then an event that may not fit. */
  readonly wild: boolean;
  readonly pick: number;
  readonly which: number;
  readonly turn: ModelTurn;
  readonly action: InvalidToolCallAction;
  readonly usage: Usage;
};

type Act = (run: AgentRun, event: ScriptEvent) => unknown;

const partial = { content: [], tools: ['add', 'look'] };
const invalid = { key: 'k', callId: '', name: 'nope', argsText: '{' };
const inputId = (run: AgentRun, at: number): string =>
  run.pendingInputs[at % Math.max(1, run.pendingInputs.length)]?.inputId ?? 'q9.9';

/** Results for some of the open calls, the last one first: the bits of `which` choose. */
function openResults(run: AgentRun, which: number): ToolResult[] {
  if (run.toJSON().state.kind !== 'executing-tools') return [];
  const step = run.clone().nextStep();
  if (step.kind !== 'call-tools') return [];
  return step.calls
    .filter((_call, index) => ((which >> index) & 1) === 0)
    .reverse()
    .map(({ turn, index, call, kind }) =>
      result(call.callId, 'r', { turn, index, name: call.name, isError: kind === 'malformed' }),
    );
}

const nextStep: Act = (run) => run.nextStep();
const modelResponse: Act = (run, { turn }) => run.modelResponse(turn);
const toolResults: Act = (run, { which }) => run.toolResults(openResults(run, which));
const answer: Act = (run, { which }) =>
  run.answer({ inputId: inputId(run, which), text: 'because' });
const approve: Act = (run, { which }) => run.approve(inputId(run, which));
const edit: Act = (run, { which }) => run.approve(inputId(run, which), { args: { x: which } });
const reject: Act = (run, { which }) => run.reject(inputId(run, which), 'no');
const resolve: Act = (run, { action }) => run.resolveInvalidToolCall(action);
const ignore: Act = (run) => run.ignoreInvalidToolCall();
const repeat: Act = (run) => run.retryModelTurn({ kind: 'repeat' });
const feedback: Act = (run) => run.retryModelTurn({ kind: 'feedback', text: 'no' });
const record: Act = (run, { usage }) => run.recordStreamedCompletionCall({ usage });
const streamed: Act = (run, { turn }) => run.streamedTurn(turn);
const resolveStreamed: Act = (run, { action }) =>
  run.resolveStreamedInvalidToolCall(partial, invalid, action);
const clear: Act = (run, { which, pick }) =>
  run.compact({ kind: 'clear-results', through: which, over: pick });
const summarise: Act = (run, { which }) => {
  const turns = run.log.filter(({ kind }) => kind === 'model-turn').length;
  run.compact({ kind: 'summary', text: 'so far', through: Math.max(0, turns - 1 - which) });
};
const steer: Act = (run, { which }) =>
  run.steer([{ message: textMessage('wait'), messageId: `m-${which}` }]);
const foreignResult: Act = (run) => run.toolResults([result('zzz')]);

/** What fits a state; the first ones more often. */
const fitting: { readonly [kind in RunStateKind]: readonly Act[] } = {
  preparing: [nextStep, nextStep, nextStep, record],
  'awaiting-model': [
    modelResponse,
    modelResponse,
    modelResponse,
    nextStep,
    record,
    streamed,
    resolveStreamed,
    clear,
    summarise,
    steer,
  ],
  'resolving-tool-calls': [resolve, resolve, ignore],
  'awaiting-advance': [nextStep, nextStep, nextStep, repeat, feedback],
  'executing-tools': [toolResults, toolResults, answer, approve, edit, reject, nextStep],
  'awaiting-input': [answer, nextStep],
  done: [nextStep, steer],
  failed: [nextStep],
};

const anything: readonly Act[] = [...new Set(Object.values(fitting).flat()), foreignResult];

export function act(run: AgentRun, event: ScriptEvent): unknown {
  const choices = event.wild ? anything : fitting[run.toJSON().state.kind];
  return choices[event.pick % choices.length]?.(run, event);
}

const args = fc.oneof(
  fc.constantFrom(null, {}, { question: 'why?' }, { question: '' }, { city: 1 }),
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<never>, { maxKeys: 2 }),
);
const words = fc.constantFrom('hi', '', 'DONE', '__ask_user__: why?', '{"city":1}', '{}');
const names = fc.constantFrom(
  ...Array<string>(20).fill('add'),
  ...Array<string>(20).fill('look'),
  'ask_user',
  'ask_user',
  ...Array<string>(4).fill('nope'),
  'answer',
);

const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('reasoning' as const), text: words }),
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('tool_call' as const),
      callId: fc.constantFrom('', 'c', 'd', 'e'),
      name: names,
      args,
    }),
  },
);

const content: fc.Arbitrary<AssistantPart[]> = fc.oneof(
  { weight: 10, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: words.map((text) => [{ type: 'text' as const, text }]) },
  fc.constant<AssistantPart[]>([{ type: 'text', text: '__ask_user__: why?' }]),
  fc.constant<AssistantPart[]>([]),
);

const count = fc.option(fc.nat(9));
const usage: fc.Arbitrary<Usage> = fc.record({
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
});

const turn: fc.Arbitrary<ModelTurn> = fc
  .tuple(
    content,
    usage,
    fc.constantFrom(
      {},
      {},
      {},
      { finishReason: 'stop' as const },
      { finishReason: 'length' as const },
    ),
    fc.oneof(
      { weight: 20, arbitrary: fc.constant({}) },
      { weight: 5, arbitrary: fc.nat(2).map((at) => ({ checks: { approvals: [at] } })) },
      fc.constantFrom(
        { checks: { criteria: [{ met: true, value: 1 }] } },
        { checks: { abort: 'no' } },
      ),
      fc.constantFrom({ checks: { override: 'mine' } }, { checks: { outputViolation: 'no city' } }),
    ),
  )
  .map(([parts, used, finish, checked]) => ({
    content: parts,
    usage: used,
    tools: ['add', 'look'],
    ...finish,
    ...checked,
  }));

const action = fc.constantFrom<InvalidToolCallAction>(
  { kind: 'retry', feedback: 'again' },
  { kind: 'repair', name: 'add' },
  { kind: 'skip', reason: 'skipped' },
  { kind: 'retry', feedback: 'again' },
  { kind: 'repair', name: 'look' },
  { kind: 'skip', reason: 'skipped' },
  { kind: 'repair', name: 'add' },
  { kind: 'skip', reason: 'skipped' },
  { kind: 'repair', name: 'add' },
  { kind: 'skip', reason: 'skipped' },
  { kind: 'repair', name: 'worse' },
  { kind: 'fail' },
  { kind: 'stop', reason: 'enough' },
);

const scriptEvent: fc.Arbitrary<ScriptEvent> = fc.record({
  wild: fc.nat(9).map((roll) => roll === 0),
  pick: fc.nat(104),
  which: fc.nat(7),
  turn,
  action,
  usage,
});

export const script = fc.array(scriptEvent, { minLength: 20, maxLength: 60, size: 'max' });

/** Mostly options a run can live long with. */
export const runOptions = fc.record(
  {
    maxTurns: fc.constantFrom(0, 1, 3, 20, 20, 20, 20, 20, 20),
    maxIterations: fc.constantFrom(0, 2, 20, 20, 20, 20, 20),
    maxInvalidToolCallRetries: fc.constantFrom(0, 2, 9),
    maxConsecutiveMalformedToolCalls: fc.constantFrom(0, 9, 9, 9),
    onInvalidToolCall: fc.constantFrom<('fail' | 'ignore')[]>('fail', 'ignore', 'ignore', 'ignore'),
    toolChoice: fc.constantFrom<ToolChoice[]>(
      'auto',
      'required',
      { only: ['add', 'look'] },
      { only: ['add', 'look', 'sub'] },
      { only: ['look'] },
      'none',
    ),
    output: fc.record({
      tool: fc.constant('answer'),
      schema: fc.constant({ required: ['city'] }),
      retries: fc.nat(2),
    }),
    criteria: fc.constant([
      { kind: 'keyword', keyword: 'DONE' } as const,
      { kind: 'custom', name: 'x' } as const,
    ]),
    askUser: fc.constantFrom('tool' as const, 'marker' as const, false as const),
    approvals: fc.constantFrom<string[]>([], ['add']),
    history: fc.constant([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] } as const]),
  },
  { requiredKeys: ['maxTurns'] },
) as fc.Arbitrary<AgentRunOptions>;
