// Pure: no server.
import type { CallbackChain } from '../../../../src/activities/callbacks';
import type { DeltaEvent } from '../../../../src/protocol/live';
import { EarlyStop, earlyStopOf } from '../../../../src/activities/model/early-stop';
import { attempt } from '../../../../src/activities/model/model-attempt';
import type { AgentSpec } from '../../../../src/protocol/spec';
import type {
  CallOptions,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResponse,
} from '../../../../src/providers/provider';
import { StreamCut } from '../../../../src/providers/attempt';
import { QuietActivity } from '../quiet-activity';

const spec: AgentSpec = {
  kind: 'agent',
  id: 'own',
  model: { provider: 'fake', model: 'one' },
  tools: ['look_up'],
};
const request: ModelRequest = {
  model: 'one',
  messages: [],
  tools: [],
  toolChoice: 'auto',
  settings: {},
  cacheKey: 'run-1',
};
const unreported = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};
const text: ModelDelta = { kind: 'text', text: 'Let me see.' };
const reasoning: ModelDelta = { kind: 'reasoning', text: 'Hm.' };
const good: ModelDelta = {
  kind: 'tool-call',
  index: 0,
  callId: 'call_1',
  name: 'look_up',
  args: '{"word":"tea"}',
};
const invalid: ModelDelta = { kind: 'tool-call', index: 1, callId: 'call_2', name: 'search' };
const more: ModelDelta = { kind: 'tool-call', index: 1, args: '{"query":' };

const whole: ModelResponse = {
  content: [{ type: 'text', text: 'whole' }],
  usage: unreported,
  finishReason: 'stop',
  origin: { provider: 'fake', api: 'fake', model: 'one' },
};

/** Streams the deltas until its signal aborts, as a user's own provider would. */
function fake(
  deltas: readonly ModelDelta[],
  end: (options: CallOptions) => ModelResponse = () => whole,
): ModelProvider & { readonly sent: ModelDelta[] } {
  const sent: ModelDelta[] = [];
  return {
    name: 'fake',
    sent,
    call: async (_request, options) => {
      for (const delta of deltas) {
        await Promise.resolve();
        if (options.signal.aborted) return end(options);
        sent.push(delta);
        options.onDelta(delta);
      }
      return end(options);
    },
  };
}

/** The SDKs report an abort as an error of their own. */
const rejecting = ({ signal }: CallOptions): ModelResponse => {
  if (signal.aborted) throw new Error('Request was aborted.');
  return whole;
};

async function attemptWith(
  provider: ModelProvider,
  earlyStop: EarlyStop | undefined,
): Promise<{ readonly response: ModelResponse; readonly shown: readonly DeltaEvent[] }> {
  const shown: DeltaEvent[] = [];
  const response = await new QuietActivity().run(() =>
    attempt(provider, request, {
      dependencies: { onDelta: (event) => void shown.push(event) },
      step: { root: 'run-1', workflowId: 'run-1', path: 'a', agent: 'a', turn: 1 },
      signal: new AbortController().signal,
      earlyStop,
    }),
  );
  return { response: response as ModelResponse, shown };
}

describe('an attempt at a model call', () => {
  const streamed = [reasoning, text, good, invalid, more, text];

  it('ends at the first name that is not allowed', async () => {
    const provider = fake(streamed, rejecting);
    await attemptWith(provider, new EarlyStop(['look_up']));

    expect(provider.sent).toEqual([reasoning, text, good, invalid]);
  });

  it('makes a turn of what had arrived when the provider does not make one', async () => {
    const { response } = await attemptWith(fake(streamed, rejecting), new EarlyStop(['look_up']));

    expect(response).toEqual({
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_call', callId: 'call_1', name: 'look_up', args: { word: 'tea' } },
        { type: 'tool_call', callId: 'call_2', name: 'search', args: {} },
      ],
      usage: unreported,
      finishReason: 'tool_calls',
      origin: { provider: 'fake', api: 'fake', model: 'one' },
    });
  });

  it('keeps arguments that came in part as the text they are', async () => {
    const begun = { ...invalid, args: '{"query":' };
    const { response } = await attemptWith(fake([begun, text], rejecting), new EarlyStop([]));

    expect(response.content).toMatchObject([{ name: 'search', args: null, rawArgs: '{"query":' }]);
  });

  it('takes what a provider tells of a cut turn', async () => {
    const told = { ...whole, content: [{ type: 'text', text: 'told' } as const] };
    const end = ({ signal }: CallOptions): ModelResponse =>
      signal.reason instanceof StreamCut ? told : whole;
    const { response } = await attemptWith(fake(streamed, end), new EarlyStop(['look_up']));

    expect(response).toEqual(told);
  });

  it('shows deltas up to the one that ended the turn', async () => {
    const { shown } = await attemptWith(fake(streamed, rejecting), new EarlyStop(['look_up']));

    expect(shown.map(({ delta }) => delta)).toEqual([reasoning, text, good, invalid]);
  });

  it.each<{ title: string; earlyStop: EarlyStop | undefined }>([
    { title: 'all names are allowed', earlyStop: new EarlyStop(['look_up', 'search']) },
    { title: 'nobody watches', earlyStop: undefined },
  ])('reads the whole turn where $title', async ({ earlyStop }) => {
    const { response, shown } = await attemptWith(fake(streamed, rejecting), earlyStop);

    expect(response).toEqual(whole);
    expect(shown.map(({ delta }) => delta)).toEqual(streamed);
  });

  it('fails as its provider does where nothing was cut', async () => {
    const failing = fake([text], () => {
      throw new Error('the connection is gone');
    });

    const attempted = attempt(failing, request, {
      dependencies: {},
      step: undefined,
      signal: new AbortController().signal,
      earlyStop: new EarlyStop(['look_up']),
    });
    await expect(attempted).rejects.toThrow('gone');
  });
});

describe('earlyStopOf', () => {
  const hooked = (hook: string): CallbackChain =>
    ({ has: (asked: string) => asked === hook }) as CallbackChain;

  const cutsAt = (own: Partial<AgentSpec>, name: string): boolean => {
    const earlyStop = earlyStopOf({ ...spec, ...own }, undefined);
    earlyStop?.see({ kind: 'tool-call', index: 0, name });
    return earlyStop?.isCut === true;
  };

  it.each<{ own: Partial<AgentSpec>; name: string; cut: boolean }>([
    { own: {}, name: 'search', cut: true },
    { own: {}, name: 'look_up', cut: false },
    { own: { onInvalidToolCall: 'fail' }, name: 'search', cut: true },
    { own: { onInvalidToolCall: 'ignore' }, name: 'search', cut: false },
    { own: { toolChoice: 'none' }, name: 'look_up', cut: true },
    { own: { toolChoice: { only: ['find'] } }, name: 'look_up', cut: true },
    { own: { askUser: 'tool' }, name: 'ask_user', cut: false },
    { own: { askUser: 'tool', toolChoice: 'none' }, name: 'ask_user', cut: true },
  ])('says of a call of $name with $own that it cuts: $cut', ({ own, name, cut }) => {
    expect(cutsAt(own, name)).toBe(cut);
  });

  it.each<{ hook: string; watches: boolean }>([
    { hook: 'beforeModelCall', watches: true },
    { hook: 'afterModelCall', watches: false },
    { hook: 'onInvalidToolCall', watches: false },
  ])('leaves a turn whole for a hook that may save it: $hook', ({ hook, watches }) => {
    expect(earlyStopOf(spec, hooked(hook)) !== undefined).toBe(watches);
  });
});
