// Activity contexts of the SDK's own mock; no server. What calls tell those who watch their run.
import { defineTool } from '../../../src';
import type { Deltas } from '../../../src/stores';
import type { LiveEvent } from '../../../src/protocol/live';
import type { ModelProvider } from '../../../src/providers/provider';
import { noUsage } from '../core/builders';
import { inlineWorker } from './model/inline-worker';

const place = { root: 'test', workflowId: 'test', path: 'agent', agent: 'agent' };
const calledAt = 1_767_225_600_000;

const answer: ModelProvider['call'] = (_request, { onDelta }) => {
  onDelta?.({ kind: 'text', text: 'Hi' });
  return Promise.resolve({
    content: [{ type: 'text', text: 'Hi' }],
    usage: noUsage,
    finishReason: 'stop',
    origin: { provider: 'mine', model: 'one', api: 'mine' },
  });
};
const fail = (): Promise<never> => Promise.reject(new Error('it fails'));

function watched(call: ModelProvider['call'] = answer, execute: () => unknown = () => 'seen') {
  const told: LiveEvent[] = [];
  const deltas: Deltas = {
    publish: (event) => void told.push(event),
    subscribe: () => () => undefined,
    close: () => Promise.resolve(),
  };
  const inputSchema = { type: 'object', properties: {} };
  const look = defineTool({ name: 'look', description: 'Looks', inputSchema, execute });
  return { told, worker: inlineWorker({ tools: [look] }, call, { deltas }) };
}

describe('a call tells that its run has moved', () => {
  const second = { attempt: 2, scheduledTimestampMs: calledAt };
  const moved = { ...place, kind: 'moved', ended: { turn: 1, attempt: 2, calledAt } };

  it('when a model call has ended, after all that it said', async () => {
    const { told, worker } = watched();
    await worker.callModel({}, worker.attempt(second));
    expect(told.map(({ kind }) => kind)).toEqual(['begin', 'delta', 'moved']);
    expect(told.at(-1)).toEqual(moved);
  });

  it('when a model call has failed', async () => {
    const { told, worker } = watched(fail);
    await expect(worker.callModel({}, worker.attempt(second))).rejects.toThrow('it fails');
    expect(told.at(-1)).toEqual(moved);
  });

  it('when a tool call has ended, or failed', async () => {
    for (const execute of [() => 'seen', fail]) {
      const { told, worker } = watched(answer, execute);
      await worker.callTool({ tool: 'look', callId: 'call_1' }).catch(() => undefined);
      expect(told).toEqual([{ ...place, kind: 'moved' }]);
    }
  });

  it('and never fails because nobody can be told', async () => {
    const { told, worker } = watched();
    told.push = () => {
      throw new Error('it is closed');
    };
    await expect(worker.callModel()).resolves.toMatchObject({ entry: { kind: 'model-turn' } });
    const result = await worker.callTool({ tool: 'look', callId: 'call_1' });
    expect(result).toMatchObject({ entry: { kind: 'tool-result' } });
  });
});
