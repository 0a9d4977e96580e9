// Encryption in the built package, on the dev server: the bundle that comes with it leaves nothing in clear either. What continue-as-new
// carries is a matter of test/workflow/encryption.test.ts.

import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { connect } from '../../src/client';
import { encodesFailuresMark } from '../../src/protocol';
import type * as WorkerModule from '../../src/worker';
import { aesCodec } from '../encryption/aes-codec';
import { everything, runEverything, shortOutcomes } from '../encryption/everything';
import { findLeaks } from '../encryption/leaks';
import { devServerAddress } from '../servers';
import { quietRuntime } from '../workflow/quiet';
import { builtPackage } from './built-package';

it('leaves nothing in clear', async () => {
  quietRuntime();
  // By its file: Jest takes the package's name for the sources.
  const file = join(await builtPackage(), 'node_modules/longhaul/dist/worker.js');
  const { createWorker } = createRequire(__filename)(file) as typeof WorkerModule;
  const address = devServerAddress();
  const taskQueue = `encryption-${randomUUID()}`;
  const text = `planted${randomBytes(6).toString('hex')}`;
  const encryption = aesCodec();
  const all = everything(text);
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({ ...all.options, encryption, connection, taskQueue });
  const ended = worker.run();
  const hashIds = randomBytes(16).toString('hex');
  const longhaul = await connect({ address, taskQueue, encryption, hashIds });
  const checked = async (): Promise<void> => {
    const { workflowBundle = { code: '' } } = worker.options;
    // Not compared by Jest, which would print all of it.
    expect('code' in workflowBundle && workflowBundle.code.includes(encodesFailuresMark)).toBe(
      true,
    );
    expect(await runEverything(longhaul, text, { skipsLong: true })).toEqual(shortOutcomes);
    const { leaks } = await findLeaks(longhaul.client, { taskQueue, text });
    expect(leaks).toEqual([]);
  };
  try {
    // Should the worker end by itself, the test fails with the reason at once.
    await Promise.race([checked(), ended]);
  } finally {
    await longhaul.close();
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
    await connection.close();
    await all.close();
  }
});
