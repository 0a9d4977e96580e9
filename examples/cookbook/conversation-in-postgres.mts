// A conversation in PostgreSQL: it outlives the server's retention, and ends by itself when nothing is said for a day.
import { defineAgent } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { PostgresStores } from 'longhaul/stores';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';

const connectionString = process.env['DATABASE_URL'] ?? 'postgresql://127.0.0.1/longhaul';
const stores = new PostgresStores({ connectionString, schema: 'agents' }); // it makes its tables

const assistant = defineAgent({
  id: 'assistant',
  model: 'openai/gpt-6.1-terra',
  memory: { kind: 'windowed', turns: 20, store: 'default' },
});

const model = scriptedModel(['Hello, Ada.', 'You are Ada.']);

export default {
  runners: [assistant],
  providers: { openai: model },
  stores,
} satisfies CreateWorkerOptions;

export async function main(longhaul: Longhaul) {
  // The same user and session are the same conversation, from any process.
  const thread = longhaul.thread({
    agent: 'assistant',
    userId: 'ada',
    sessionId: 'chat-1',
    idleTimeout: '1 day', // then its workflow ends; the next message reads the store
  });
  const answers: string[] = [];
  for (const text of ['I am Ada.', 'Who am I?']) {
    const turn = await thread.send(text);
    answers.push((await turn.result()).finalResponse.text);
  }
  return { answers, turns: await thread.turns() }; // each is a row: the answer does not wait for it
}
