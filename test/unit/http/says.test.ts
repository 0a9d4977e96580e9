// Pure: reads files, and a route with a thread of its own. What a person says goes to the thread with what the backend adds.

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { agUiRoutes } from '../../../src/http/ag-ui/routes';
import type { Call } from '../../../src/http/route';

const http = resolve(__dirname, '../../../src/http');

describe('a message to a thread over HTTP', () => {
  it('goes through one door, which adds what the backend says', () => {
    const sending = globSync('**/*.ts', { cwd: http }).flatMap((file) => {
      const text = readFileSync(resolve(http, file), 'utf8');
      return [...text.matchAll(/(\w+)\s*\.send\(/g)].map(([, receiver]) => `${file}: ${receiver}`);
    });
    // The other one is a message to a run, which never becomes a turn.
    expect(sending.sort()).toEqual(['run-routes.ts: run', 'segment.ts: thread']);
  });

  it('has budget and context of the backend when it steers over AG-UI', async () => {
    const sent: unknown[] = [];
    const turn = { turn: 1, messageId: 'm-1', workflowId: 'chat.turn-1', status: 'running' };
    const thread = {
      turns: () => Promise.resolve([turn]),
      pending: () => Promise.resolve([]),
      send: (...given: unknown[]) => {
        sent.push(given);
        return Promise.reject(new Error('seen'));
      },
    };
    const added = { budget: { maxTokens: 2_000 }, context: { customer: 'acme' } };
    const messages = [
      { id: 'm-1', role: 'user', content: 'Begin.' },
      { id: 't-1', role: 'tool', content: 'x', toolCallId: 'none' },
      { id: 'm-2', role: 'user', content: 'Spend it all.' },
    ];
    const asked = { threadId: 'chat', runId: 'run', state: {}, tools: [], context: [] };
    const call = {
      actor: { id: 'carl' },
      params: { agent: 'desk' },
      body: () => Promise.resolve({ ...asked, messages, forwardedProps: {} }),
      thread: () => Promise.resolve(thread),
      backend: () => Promise.resolve(added),
    };
    const [route] = agUiRoutes;
    await expect(route?.handle(call as unknown as Call)).rejects.toThrow('seen');
    const steers = { messageId: 'm-2', whenBusy: 'steer', by: { id: 'carl' } };
    expect(sent).toEqual([['Spend it all.', { ...steers, ...added }]]);
  });
});
