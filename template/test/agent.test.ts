// The agent on a real worker, with a Temporal server that skips time and a model that follows a script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestEnvironment, scriptedModel } from 'longhaul/testing';
import { support } from '../src/agent.ts';

test('asks for the order, and says where it is', async () => {
  const model = scriptedModel([
    { toolCalls: [{ name: 'ask_user', args: { question: 'Which order?' } }] },
    { toolCalls: [{ name: 'find_order', args: { orderId: '1042' } }] },
    'It was shipped on Monday.',
  ]);
  const environment = await createTestEnvironment({
    runners: [support],
    providers: { offline: model },
  });
  try {
    const run = await environment.client.start('support', 'Where is my order?');
    const question = await environment.outcome(run);
    assert.equal(question.kind === 'needs-input' && question.question, 'Which order?');
    await run.resume('1042');
    const end = await environment.outcome(run);
    assert.equal(
      end.kind === 'complete' && end.result.finalResponse.text,
      'It was shipped on Monday.',
    );
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /Order 1042 was shipped/);
  } finally {
    await environment.close();
  }
});
