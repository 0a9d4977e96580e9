// Activity contexts of the SDK's own mock; no server.
import { defineTool, type Tool } from '../../../../src';
import type { ToolContext } from '../../../../src/define/tool';
import { scriptedModel, type ScriptedStep } from '../../../../src/testing/scripted-model';
import { inlineWorker } from './inline-worker';

type Code = (args: object, context: ToolContext) => unknown;

const inlineTool = (name: string, execute: Code, options: object = {}): Tool =>
  defineTool({
    name,
    description: name,
    inputSchema: { type: 'object' },
    inline: true,
    ...options,
    execute,
  });

const worker = (tools: readonly Tool[], step: ScriptedStep, options: object = {}) =>
  inlineWorker({ tools: [...tools], ...options }, (request, own) =>
    scriptedModel([step], { name: 'mine' }).call(request, own),
  );

const look = (execute: Code = () => 'seen', options: object = {}): Tool =>
  inlineTool('look', execute, options);

describe('inline calls', () => {
  it('come back with the turn, as an activity of their own makes them', async () => {
    const seen: unknown[] = [];
    const tool = look(
      (args, { callId, idempotencyKey, session }) => {
        seen.push({ args, callId, idempotencyKey, session });
        session['last'] = 'Paris';
        return { sunny: true };
      },
      { session: ['last'] },
    );
    const args = { city: 'Paris' };
    const session = { last: 'Rome', other: 1 };
    const { callModel, callTool, read } = worker([tool], { toolCalls: [{ name: 'look', args }] });
    const { entry, results = [], unfinished } = await callModel({ session });
    const own = await callTool({
      callId: 'call_1_0',
      tool: 'look',
      args,
      session: { last: 'Rome' },
    });
    expect(unfinished).toBeUndefined();
    expect(results).toEqual([{ ...own, entry: { ...own.entry, id: results[0]?.entry.id } }]);
    expect(results[0]?.session).toEqual({ set: { last: 'Paris' }, removed: [] });
    expect(seen[0]).toEqual(seen[1]);
    const entries = [entry, ...results.map((result) => result.entry)];
    expect(await read(entries)).toEqual(entries);
  });

  it('begin when the server has the response', async () => {
    const { trace, callModel } = worker([look(() => trace.push('look'))], {
      toolCalls: [{ name: 'look' }],
    });
    const { entry } = await callModel();
    const { content, usage, finishReason, origin } = entry;
    expect(trace).toEqual([
      { told: { response: { content, usage, finishReason, origin } } },
      'look',
    ]);
  });

  it('do not begin if the server does not take the response', async () => {
    const { trace, attempt, callModel } = worker([look(() => trace.push('look'))], {
      toolCalls: [{ name: 'look' }],
    });
    const refused = attempt({}, () => Promise.reject(new Error('unavailable')));
    const { results, unfinished } = await callModel({}, refused);
    expect({ results, unfinished }).toEqual({});
    expect(trace).toHaveLength(1);
  });
});
