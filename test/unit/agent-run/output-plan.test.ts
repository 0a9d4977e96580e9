// Pure: no server.
import { AgentRun, type AgentRunOptions } from '../../../src/agent-run';
import {
  answered,
  assistant,
  call,
  errorResult,
  malformed,
  respond,
  result,
  text,
  thrown,
  tool,
  user,
} from '../core/builders';

const constant = 'not executed because another tool call of this turn was invalid';
const schema = { type: 'object', required: ['city', 'population'] };
const good = { city: 'Paris', population: 2 };
const answer = call('c1', 'answer', good);
const options = (
  rest: Partial<NonNullable<AgentRunOptions['output']>> = {},
  maxTurns = 9,
): AgentRunOptions => ({
  maxTurns,
  output: { tool: 'answer', schema, ...rest },
});

describe('Rule 8: structured output through an output tool', () => {
  it('ends the run: siblings do not run, history keeps a text', () => {
    const run = new AgentRun('go', options());

    const json = '{"city":"Paris","population":2}';
    expect(respond(run, [text('here:'), call('c0'), answer])).toMatchObject({
      kind: 'done',
      response: {
        text: json,
        content: [text(json)],
        structured: good,
        messages: [user('go'), assistant(text(json))],
        iterations: 0,
        completionReason: 'structured output received',
      },
    });
  });

  it('takes the first of several output calls', () => {
    const content = [answer, call('c2', 'answer', { city: 'Rome', population: 3 })];

    expect(respond(new AgentRun('go', options()), content)).toMatchObject({
      response: { structured: good },
    });
  });

  it('asks again for missing required fields', () => {
    const run = new AgentRun('go', options());
    const partial = call('c1', 'answer', { city: 'Paris' });

    const answers = tool(
      errorResult('c0', constant),
      errorResult(
        'c1',
        'The output was not accepted: missing required field: population. Call answer again with corrected arguments.',
        'answer',
      ),
    );
    expect(respond(run, [call('c0'), partial])).toMatchObject({
      kind: 'call-model',
      prompt: answers,
      turn: 2,
    });
    expect(run.messages).toEqual([user('go'), assistant(call('c0'), partial), answers]);
  });

  it('asks again for what the worker found wrong with the whole schema', () => {
    const rest = { checks: { outputViolation: 'population: must be a number' } };

    expect(respond(new AgentRun('go', options()), [answer], rest)).toMatchObject({
      kind: 'call-model',
      prompt: {
        parts: [
          { content: [text(expect.stringContaining('population: must be a number') as string)] },
        ],
      },
    });
  });

  it.each([
    { name: 'no retries left', settings: options({ retries: 0 }) },
    { name: 'no model call left', settings: options({}, 1) },
  ])('takes what it got with $name', ({ settings }) => {
    expect(respond(new AgentRun('go', settings), [call('c1', 'answer', {})])).toMatchObject({
      kind: 'done',
      response: { structured: {}, text: '{}', completionReason: 'structured output received' },
    });
    expect(respond(new AgentRun('go', settings), [text('Paris')])).toMatchObject({
      kind: 'done',
      response: { text: 'Paris', completionReason: 'text response' },
    });
  });

  it('allows one retry unless told otherwise', () => {
    const run = new AgentRun('go', options());

    expect(respond(run, [call('c1', 'answer', {})]).kind).toBe('call-model');
    expect(respond(run, [call('c1', 'answer', {})]).kind).toBe('done');
  });

  it('starts counting anew after a turn that ran real tools', () => {
    const run = new AgentRun('go', options());
    respond(run, [call('c1', 'answer', {})]);
    respond(run, [call('c2')]);
    run.toolResults([result('c2')]);

    expect(respond(run, [call('c3', 'answer', {})]).kind).toBe('call-model');
    expect(respond(run, [call('c4', 'answer', {})]).kind).toBe('done');
  });

  it('does not start anew after malformed calls alone', () => {
    const run = new AgentRun('go', options());
    respond(run, [call('c1', 'answer', {})]);
    respond(run, [malformed('c2')]);
    run.toolResults([errorResult('c2', 'no')]);

    expect(respond(run, [call('c3', 'answer', {})]).kind).toBe('done');
  });

  it('accepts any object without a schema', () => {
    expect(
      respond(new AgentRun('go', { output: { tool: 'answer' } }), [call('c1', 'answer', {})]),
    ).toMatchObject({
      response: { structured: {} },
    });
  });

  it('does not take inherited properties for required fields', () => {
    const run = new AgentRun('go', options({ schema: { required: ['toString', 7] } }));

    expect(respond(run, [call('c1', 'answer', {})]).kind).toBe('call-model');
  });
});

describe('Rule 18: text while an output tool is set', () => {
  it.each([
    { name: 'plain', value: '{"city":"Paris","population":2}' },
    { name: 'fenced', value: '```json\n{"city":"Paris","population":2}\n```' },
  ])('takes $name JSON with the required fields for the output', ({ value }) => {
    expect(respond(new AgentRun('go', options()), [text(value)])).toMatchObject({
      kind: 'done',
      response: { text: value, structured: good, completionReason: 'structured output received' },
    });
  });

  it.each(['Paris', '[1]', '{"city":"Paris"}', '{"city":'])('takes %s for a violation', (value) => {
    const run = new AgentRun('go', options());

    expect(respond(run, [text(value)])).toMatchObject({ kind: 'call-model', turn: 2 });
    expect(run.messages.slice(1)).toEqual([
      assistant(text(value)),
      user(
        expect.stringMatching(
          /^The answer was not accepted as the output: .*Call answer/,
        ) as string,
      ),
    ]);
  });

  it('asks again for malformed arguments, which do not count as malformed calls', () => {
    const run = new AgentRun('go', { ...options(), maxConsecutiveMalformedToolCalls: 0 });

    expect(respond(run, [malformed('c1', 'answer')])).toMatchObject({
      kind: 'call-model',
      turn: 2,
    });
    expect(run.messages.slice(1)).toEqual([
      assistant(malformed('c1', 'answer')),
      tool(
        errorResult(
          'c1',
          'The output was not accepted: unexpected end of JSON. Call answer again with corrected arguments.',
          'answer',
        ),
      ),
    ]);
  });

  it('fails on malformed arguments when no retry is left', () => {
    const { argsError: _argsError, ...bare } = malformed('c1', 'answer');
    const run = answered(options({ retries: 0 }), [bare]);

    expect(thrown(() => run.nextStep())).toMatchObject({
      code: 'InvalidToolCall',
      toolName: 'answer',
      history: [user('go')],
    });
  });

  it('still judges the criteria once no retry is left', () => {
    const run = new AgentRun('go', {
      ...options({ retries: 0 }),
      criteria: [{ kind: 'keyword', keyword: 'DONE' }],
    });

    expect(respond(run, [text('Paris')]).kind).toBe('call-model');
    expect(respond(run, [text('Paris DONE')])).toMatchObject({
      response: { completionReason: "keyword 'DONE' found" },
    });
  });
});
