// Pure: no server.
import { AgentRun, type AgentRunOptions } from '../../../../src/agent-run';
import type { AssistantPart } from '../../../../src/protocol/message';
import { answered, assistant, call, respond, stored, text, thrown, turn, user } from '../builders';

const sealed = { api: 'a', model: 'm', data: 's' };
const reasoning: AssistantPart = { type: 'reasoning', text: 'hmm', sealed };
const media: AssistantPart = {
  type: 'media',
  mediaType: 'image/png',
  source: { kind: 'url', url: 'u' },
};
const refusal: AssistantPart = { type: 'refusal', text: 'I cannot' };

describe('Rule 7: empty and cut turns', () => {
  it.each<{ name: string; content: AssistantPart[] }>([
    { name: 'no parts', content: [] },
    { name: 'an empty text', content: [text('')] },
  ])('is done with empty text and appends nothing for $name', ({ content }) => {
    expect(respond(new AgentRun('go'), content, { finishReason: 'stop' })).toMatchObject({
      kind: 'done',
      response: { text: '', content, messages: [user('go')], completionReason: 'text response' },
    });
  });

  it('appends an empty text that carries something sealed', () => {
    const content: AssistantPart[] = [{ ...text(''), sealed }];

    expect(respond(new AgentRun('go'), content)).toMatchObject({
      response: { text: '', content, messages: [user('go'), assistant(...content)] },
    });
  });

  it.each(['length', 'content_filter'] as const)(
    'fails a turn cut by %s before it answered, and leaves it out',
    (finishReason) => {
      const run = answered({}, [reasoning], { finishReason });

      const error = thrown(() => run.nextStep());

      expect(error).toMatchObject({ code: 'TurnCut', finishReason, history: [user('go')] });
      expect((error as Error).message).toContain(
        finishReason === 'length' ? 'raise it' : 'change the prompt',
      );
      expect(run.messages).toEqual([user('go')]);
      expect(thrown(() => stored(run).nextStep())).toEqual(error);
    },
  );

  it.each<{ name: string; content: AssistantPart[]; kind: string }>([
    { name: 'text', content: [text('half an ans')], kind: 'done' },
    { name: 'media', content: [media], kind: 'done' },
    { name: 'a call', content: [call('c1')], kind: 'call-tools' },
  ])('goes on with $name that was cut', ({ content, kind }) => {
    expect(respond(new AgentRun('go'), content, { finishReason: 'length' }).kind).toBe(kind);
  });
});

describe('Rule 19: answerless turns', () => {
  it.each(['stop', 'tool_calls', 'refusal', 'other', undefined] as const)(
    'is done with empty text for an empty turn that ends with %s, whatever is required',
    (finishReason) => {
      const options: AgentRunOptions = {
        maxTurns: 5,
        criteria: [{ kind: 'keyword', keyword: 'DONE' }],
        output: { tool: 'answer' },
      };

      expect(
        respond(new AgentRun('go', options), [], finishReason ? { finishReason } : {}),
      ).toMatchObject({
        kind: 'done',
        response: { text: '' },
      });
    },
  );

  it('is done with empty text for reasoning alone, which history keeps', () => {
    expect(respond(new AgentRun('go'), [reasoning], { finishReason: 'stop' })).toMatchObject({
      response: { text: '', content: [reasoning], messages: [user('go'), assistant(reasoning)] },
    });
  });

  it.each<{ name: string; content: AssistantPart[]; finishReason: 'refusal' | 'stop' }>([
    { name: 'a refusal', content: [refusal], finishReason: 'refusal' },
    {
      name: 'a refusal that the finish reason does not tell',
      content: [refusal],
      finishReason: 'stop',
    },
    {
      name: 'a text that was broken off',
      content: [text('First'), refusal],
      finishReason: 'refusal',
    },
    { name: 'a call', content: [call('c1'), refusal], finishReason: 'refusal' },
  ])('is done as refused after $name, whatever is required', ({ content, finishReason }) => {
    const options: AgentRunOptions = { criteria: [{ kind: 'keyword', keyword: 'DONE' }] };
    expect(respond(new AgentRun('go', options), content, { finishReason })).toMatchObject({
      kind: 'done',
      response: { content, completionReason: 'refused' },
    });
  });

  it('joins text parts with nothing between', () => {
    expect(respond(new AgentRun('go'), [text('a'), reasoning, text('b')])).toMatchObject({
      response: { text: 'ab' },
    });
  });
});

describe('A turn that its provider paused', () => {
  const search: AssistantPart = { type: 'opaque', label: 'server_tool_use', sealed };
  const criteria = [{ kind: 'keyword', keyword: 'DONE' }] as const;

  it.each<{ name: string; content: AssistantPart[] }>([
    { name: 'a text', content: [text('Searching')] },
    { name: 'nothing but the work of a server tool', content: [search] },
  ])('stands as it is, with $name, and the model goes on from it', ({ content }) => {
    const run = answered({ maxTurns: 3, criteria }, content, { finishReason: 'pause' });

    expect(run.nextStep()).toMatchObject({
      kind: 'call-model',
      prompt: assistant(...content),
      history: [user('go')],
      turn: 2,
    });
    expect(run.fullHistory()).toEqual([user('go'), assistant(...content)]);

    const again = stored(run);
    again.modelResponse(turn([text('DONE')], { finishReason: 'stop' }));
    expect(again.nextStep()).toMatchObject({ kind: 'done', response: { text: 'DONE' } });
  });

  it('counts as a turn: a provider that pauses for ever is not asked for ever', () => {
    const run = answered({ maxTurns: 2 }, [text('1')], { finishReason: 'pause' });
    run.nextStep();
    run.modelResponse(turn([text('2')], { finishReason: 'pause' }));
    expect(thrown(() => run.nextStep())).toMatchObject({ code: 'MaxTurnsExceeded' });
  });

  it('runs the calls it holds', () => {
    const step = respond(new AgentRun('go'), [call('c1')], { finishReason: 'tool_calls' });
    expect(step.kind).toBe('call-tools');
  });
});

describe('Retries of a model turn', () => {
  it('repeats: the rejected text leaves no trace but its bill', () => {
    const run = answered({ maxTurns: 2 }, [text('bad')]);

    run.retryModelTurn({ kind: 'repeat' });

    expect(run.nextStep()).toEqual({
      kind: 'call-model',
      prompt: user('go'),
      history: [],
      turn: 2,
    });
    expect(run.completionCalls).toHaveLength(1);
  });

  it('gives feedback after the rejected text', () => {
    const run = answered({ maxTurns: 2 }, [text('bad')]);

    run.retryModelTurn({ kind: 'feedback', text: 'shorter' });

    expect(run.nextStep()).toMatchObject({
      prompt: user('shorter'),
      history: [user('go'), assistant(text('bad'))],
    });
  });

  it('gives feedback on an empty turn without keeping it', () => {
    const run = answered({ maxTurns: 2 }, []);

    run.retryModelTurn({ kind: 'feedback', text: 'say something' });

    expect(run.messages).toEqual([user('go'), user('say something')]);
  });
});

describe('TurnChecks of callbacks', () => {
  it('abort the run with their reason', () => {
    const run = answered({}, [text('hi')], { checks: { abort: 'not allowed' } });

    const error = thrown(() => run.nextStep());

    expect(error).toMatchObject({
      code: 'CallbackAbort',
      reason: 'not allowed',
      history: [user('go'), assistant(text('hi'))],
    });
    expect(thrown(() => stored(run).nextStep())).toEqual(error);
  });

  it('override the response with a text, dropping its calls', () => {
    const run = answered(
      { maxTurns: 2, criteria: [{ kind: 'keyword', keyword: 'DONE' }] },
      [text('x'), call('c1')],
      {
        checks: { override: 'my words' },
      },
    );

    expect(run.nextStep()).toMatchObject({
      kind: 'done',
      response: {
        text: 'my words',
        content: [text('my words')],
        messages: [user('go'), assistant(text('my words'))],
        completionReason: 'callback override',
      },
    });
  });

  it('may override with nothing', () => {
    expect(respond(new AgentRun('go'), [text('x')], { checks: { override: '' } })).toMatchObject({
      response: { text: '', content: [text('')], messages: [user('go')] },
    });
  });

  it('answer in place of a model that was not asked', () => {
    expect(respond(new AgentRun('go'), [], { checks: { override: 'my words' } })).toMatchObject({
      response: { text: 'my words', messages: [user('go'), assistant(text('my words'))] },
    });
  });
});

describe('A finished run', () => {
  it('repeats its result, as an equal value', () => {
    const run = answered({}, [text('hi')]);
    const step = run.nextStep();

    expect(run.nextStep()).toEqual(step);
    expect(run.isDone).toBe(true);
    expect(step).toEqual({ kind: 'done', response: run.response });
    expect(stored(run).response).toEqual(run.response);
  });

  it('has no response before', () => {
    const run = answered({}, [text('hi')]);

    expect(run.isDone).toBe(false);
    expect(run.response).toBeUndefined();
  });

  it('differs from its clone once one of them goes on', () => {
    const run = new AgentRun('go');
    run.nextStep();
    const copy = run.clone();
    run.modelResponse(turn([text('hi')]));
    run.nextStep();

    expect(copy.isDone).toBe(false);
    expect(copy.completionCalls).toEqual([]);
    copy.modelResponse(turn([text('ho')]));
    expect(copy.nextStep()).toMatchObject({ response: { text: 'ho' } });
    expect(run.response?.text).toBe('hi');
  });

  it('can be cancelled as a value at any time', () => {
    const run = answered({}, [call('c1')]);
    run.nextStep();
    const before = JSON.stringify(run);

    expect(run.cancelError('user left')).toMatchObject({
      code: 'RunCancelled',
      reason: 'user left',
      history: [user('go'), assistant(call('c1')), { role: 'tool' }],
    });
    expect(JSON.stringify(run)).toBe(before);
  });
});
