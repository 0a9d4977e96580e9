// Pure: no server. What users of an agent rely on, across rooms: the loop, requests to providers, specs, long results.

import { criteria, defineAgent, defineTool, subAgent } from '../../src';
import { toModelRequest } from '../../src/activities/model/model-request';
import { checkStructured } from '../../src/activities/model/turn-checks';
import { AgentRun, type AgentRunOptions } from '../../src/agent-run';
import { toToolOutput } from '../../src/core/transcript/tool-output';
import type { AgentRunResponse } from '../../src/core/machine/steps';
import type { AssistantPart, Message } from '../../src/protocol/message';
import type { RunnerSpec } from '../../src/protocol/spec';
import { toMessages } from '../../src/providers/anthropic/to-messages';
import { toContents } from '../../src/providers/google/to-contents';
import { toChatMessages } from '../../src/providers/openai/chat/to-chat-request';
import { parseRunnerSpec } from '../../src/define/parse-spec';
import { assistant, call, result, text, thrown, tokens, tool, turn, user } from './core/builders';
import { origin } from './providers/google/wire-builders';
import { anAgent, citySchema, refusalOf } from './define/builders';

/** What an agent has when it says nothing. */
const defaults = { maxIterations: 10, maxTurns: 25 } satisfies AgentRunOptions;
const done: AgentRunOptions['criteria'] = [{ kind: 'keyword', keyword: 'DONE' }];

type Driven = { readonly asked: readonly Message[]; readonly response: AgentRunResponse };

/** Drives a run by these turns of the model; `asked` is the last message of each request. */
function drive(turns: readonly (readonly AssistantPart[])[], options: AgentRunOptions): Driven {
  const run = new AgentRun('go', options);
  const asked: Message[] = [];
  for (;;) {
    const step = run.nextStep();
    if (step.kind === 'done') return { asked, response: step.response };
    if (step.kind === 'needs-input') throw new Error('the script asks nobody');
    if (step.kind === 'call-tools') {
      run.toolResults(step.calls.map((open) => result(open.call.callId)));
      continue;
    }
    asked.push(step.prompt);
    run.modelResponse(turn([...(turns[asked.length - 1] ?? [])]));
  }
}

const rounds = (count: number): AssistantPart[][] =>
  Array.from({ length: count }, (_, index) => [call(`c${index}`)]);

describe('the loop of an agent', () => {
  it('without criteria the first text ends the run', () => {
    const { asked, response } = drive([[text('Hi.')], [text('Never said.')]], defaults);
    expect(asked).toEqual([user('go')]);
    expect(response).toEqual({
      text: 'Hi.',
      content: [text('Hi.')],
      iterations: 0,
      completionReason: 'text response',
      messages: [user('go'), assistant(text('Hi.'))],
      usage: tokens(5, 7),
      completionCalls: [{ callIndex: 0, turn: 1, usage: tokens(5, 7) }],
    });
  });

  it('the counter grows on tool rounds only; model calls have a limit of their own', () => {
    const talk = [[text('Wait.')], ...rounds(1), [text('Soon.')], ...rounds(1), [text('DONE')]];
    const { asked, response } = drive(talk, { ...defaults, maxIterations: 2, criteria: done });
    expect([asked.length, response.iterations]).toEqual([5, 2]);
    const endless = Array.from({ length: 9 }, () => [text('Wait.')]);
    expect(thrown(() => drive(endless, { maxTurns: 4, criteria: done }))).toMatchObject({
      code: 'MaxTurnsExceeded',
      limit: 4,
    });
  });

  it.each([0, 1, 3])('up to %d tool rounds, and then the text', (maxIterations) => {
    const options = { ...defaults, maxIterations };
    const { asked, response } = drive([...rounds(maxIterations), [text('Done.')]], options);
    expect([asked.length, response.iterations]).toEqual([maxIterations + 1, maxIterations]);
    expect(thrown(() => drive(rounds(maxIterations + 1), options))).toMatchObject({
      code: 'MaxIterationsExceeded',
      limit: maxIterations,
      message: `The model asked for tools again after ${maxIterations} rounds of tool calls; raise maxIterations or narrow the task.`,
    });
  });

  it.each([
    { name: 'in code', define: () => anAgent({ model: undefined as never }) },
    { name: 'as data', define: () => parseRunnerSpec({ kind: 'agent', id: 'weather' }) },
  ])('an agent without a model cannot be defined, $name', ({ define }) => {
    expect(refusalOf(define)).toMatch(/^SpecError: Agent 'weather': model is required/);
  });
});

describe('an agent', () => {
  it('a turn and all its results go back as each provider wants them, ids included', () => {
    const messages = [
      user('go'),
      assistant(call('c1'), call('c2')),
      tool(result('c1', 'one'), result('c2', 'two')),
    ];
    const functions = { type: 'function', function: { name: 'add', arguments: '{"x":1}' } };
    expect(toChatMessages(messages, true).slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', ...functions },
          { id: 'c2', ...functions },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'tool', tool_call_id: 'c2', content: 'two' },
    ]);
    expect(toMessages(messages).slice(2)).toEqual([
      {
        role: 'user',
        content: ['one', 'two'].map((value, index) => ({
          type: 'tool_result',
          tool_use_id: `c${index + 1}`,
          content: [{ type: 'text', text: value }],
        })),
      },
    ]);
    const ofGemini = messages.map((message) =>
      message.role === 'assistant' ? { ...message, origin } : message,
    );
    expect(toContents(ofGemini, origin.model).slice(2)).toEqual([
      {
        role: 'user',
        parts: ['one', 'two'].map((output, index) => ({
          functionResponse: { id: `c${index + 1}`, name: 'add', response: { output } },
        })),
      },
    ]);
  });

  it('a text that misses a criterion is answered by what it misses, never by nothing', () => {
    const { asked, response } = drive([[text('Almost.')], [text('DONE')]], {
      ...defaults,
      criteria: done,
    });
    expect(asked).toEqual([
      user('go'),
      user("The task is not complete yet: the text does not contain the keyword 'DONE'. Continue."),
    ]);
    expect(response).toMatchObject({ text: 'DONE', completionReason: "keyword 'DONE' found" });
  });

  describe('a structured output', () => {
    const structured = (schema: object) => criteria.structuredOutput(schema as never);

    it('has a schema that is compiled when the agent is defined', () => {
      const wrong = { type: 'object', required: 1 };
      expect(refusalOf(() => anAgent({ criteria: [structured(wrong)] }))).toBe(
        "SpecError: Agent 'weather': criteria[0].schema.required must be a list of texts, not 1",
      );
    });

    it('has a schema that goes to the provider', () => {
      const agent = anAgent({ criteria: [structured(citySchema)] });
      const runners = { weather: agent.spec };
      const definition = { format: 1, runner: 'weather', runners, tools: {} } as const;
      const messages = [user('go')];
      const given = {
        definition,
        agentId: 'weather',
        messages,
        hasResults: false,
        cacheKey: 'key',
      };
      expect(toModelRequest(given)).toEqual({
        model: 'gpt-5-mini',
        messages,
        tools: [],
        toolChoice: 'auto',
        output: { name: 'output', schema: citySchema },
        settings: {},
        cacheKey: 'key',
      });
    });

    it.each([
      { reply: '```json\n{"city":"Oslo"}\n```', verdict: { met: true, value: { city: 'Oslo' } } },
      { reply: '5', verdict: { met: false, missing: 'it is neither a JSON object nor a list' } },
      { reply: '{}', verdict: { met: false, missing: 'city is required' } },
    ])('meets the criterion as $reply: $verdict.met', ({ reply, verdict }) => {
      expect(checkStructured(reply, citySchema as never)).toEqual(verdict);
    });
  });

  describe('a spec', () => {
    it.each([
      {
        typo: { maxIteration: 3 },
        problem: "maxIteration is not known; did you mean 'maxIterations'?",
      },
      {
        typo: { settings: { temprature: 0 } },
        problem: "settings.temprature is not known; did you mean 'temperature'?",
      },
      {
        typo: { subAgents: [{ name: 'pay', description: 'Pays' }] },
        problem: 'subAgents[0].runner is required: the id of a runner, or its spec',
      },
    ])('is refused with a path: $problem', ({ typo, problem }) => {
      const spec = { kind: 'agent', id: 'desk', model: 'openai/gpt-5', ...typo };
      expect(refusalOf(() => parseRunnerSpec(spec))).toBe(`SpecError: Agent 'desk': ${problem}`);
    });

    it('holds sub-agents with their policies, settings, approvals and limits: all but the code', () => {
      const pay = defineTool({
        name: 'pay',
        description: 'Pays',
        inputSchema: citySchema,
        needsApproval: true,
        execute: () => null,
      });
      const payer = defineAgent({ id: 'payer', model: 'openai/gpt-5-mini', tools: [pay] });
      const desk = defineAgent({
        id: 'desk',
        model: 'openai/gpt-5',
        tools: [
          subAgent(payer, {
            name: 'settle',
            description: 'Settles',
            policy: { disallowSubAgentCalls: true },
          }),
        ],
        settings: { temperature: 0 },
        sessionPrecedence: 'store',
        inputTimeout: '7 days',
      });
      const spec = JSON.parse(JSON.stringify(desk.spec)) as RunnerSpec;
      expect(parseRunnerSpec(spec)).toEqual(desk.spec);
    });
  });

  it('a long result is cut for the model, with a note that says how much is missing', () => {
    const output = toToolOutput('read', 'x'.repeat(100_000));
    expect(output).toEqual({
      isError: false,
      content: [
        {
          type: 'text',
          text: expect.stringMatching(
            /^x+\n\[cut: the first \d+ of 100000 bytes are shown\]$/,
          ) as string,
        },
      ],
    });
    expect(JSON.stringify(output).length).toBeLessThanOrEqual(65_536 + 200);
  });
});
