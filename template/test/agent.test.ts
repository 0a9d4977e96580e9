import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestEnvironment } from 'longhaul/testing';
import { support } from '../src/agent.ts';
import { script } from '../src/script.ts';

test('a refund waits six days for a person, and is paid once', async () => {
  process.chdir(await mkdtemp(join(tmpdir(), 'ledger-')));
  const environment = await createTestEnvironment({
    runners: [support],
    providers: { openai: script },
  });
  try {
    const run = await environment.client.start('support', 'Order 1042 came broken: 80 euros.');
    const asked = await environment.outcome(run);
    assert.equal(asked.kind, 'needs-input');
    await environment.skip('6 days');
    await run.approve('a1.0');
    const end = await environment.outcome(run);
    assert.equal(end.kind, 'complete');
    assert.match(await readFile('ledger.txt', 'utf8'), /^1042 80 \w+\n$/);
  } finally {
    await environment.close();
  }
});
