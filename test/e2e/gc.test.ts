// `longhaul gc` in this process, on the dev server, with files as the store.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/run-cli';
import { FileResults } from '../../src/stores/results/file-results';
import { scopeName, scopeOf } from '../../src/stores/results/result-store';
import { keyOf } from '../contract/result-store-contract';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { openHarness, type Harness } from '../workflow/harness';

const bytes = Buffer.from('bytes');

describe('longhaul gc', () => {
  let harness: Harness;
  let folder: string;
  let store: FileResults;
  let namespace: string;

  beforeEach(async () => {
    harness = await openHarness();
    namespace = harness.longhaul.client.options.namespace;
    folder = mkdtempSync(join(tmpdir(), 'longhaul-gc-'));
    store = new FileResults({ folder });
    Object.assign(globalThis, { longhaulGcResults: store });
    writeFileSync(
      join(folder, 'config.ts'),
      'export default { runners: [], results: globalThis.longhaulGcResults };',
    );
  });
  afterEach(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  /** Keeps a content for the workflow, as it was written two days ago unless it is `fresh`. */
  async function keep(workflowId: string, { fresh = false, of = namespace } = {}): Promise<string> {
    const scope = scopeOf(of, workflowId);
    await store.put(keyOf(scope, bytes), bytes);
    const name = scopeName(scope);
    const old = new Date(Date.now() - 2 * 24 * 60 * 60_000);
    if (!fresh) utimesSync(join(folder, name.slice(0, 2), name, 'scope'), old, old);
    return workflowId;
  }

  async function gc(...args: readonly string[]) {
    const terminal = fakeTerminal();
    const flags = ['--agents', join(folder, 'config.ts'), '--address', devServerAddress()];
    const code = await runCli(['gc', '--namespace', namespace, ...flags, ...args], terminal);
    return { code, said: terminal.noted.join(' ') };
  }

  async function keptOf(workflowId: string, of = namespace): Promise<boolean> {
    return (await store.get(keyOf(scopeOf(of, workflowId), bytes))) !== undefined;
  }

  it('deletes what the server no longer knows, and nothing of open runs or of today', async () => {
    const open = await harness.longhaul.start('nobody', 'Hello');
    await keep(open.workflowId);
    const gone = await keep(`gone-${randomUUID()}`);
    const fresh = await keep(`fresh-${randomUUID()}`, { fresh: true });
    const elsewhere = await keep(`elsewhere-${randomUUID()}`, { of: 'another' });

    expect(await gc('--dry-run')).toMatchObject({ code: 0, said: '' });
    expect(await keptOf(gone)).toBe(true);

    expect((await gc()).code).toBe(0);
    expect(await keptOf(gone)).toBe(false);
    expect(await keptOf(open.workflowId)).toBe(true);
    expect(await keptOf(fresh)).toBe(true);
    expect(await keptOf(elsewhere, 'another')).toBe(true);

    await harness.longhaul.client.workflow.getHandle(open.workflowId).terminate('the test ends');
    expect((await gc()).code).toBe(0);
    expect(await keptOf(open.workflowId)).toBe(true);
    expect((await gc('--closed-for', '1 day')).code).toBe(0);
    expect(await keptOf(open.workflowId)).toBe(true);
    expect((await gc('--closed-for', '1ms')).code).toBe(0);
    expect(await keptOf(open.workflowId)).toBe(false);
  });

  it('deletes nothing when the server knows no run of the store, as at a wrong address', async () => {
    const gone = await keep(`gone-${randomUUID()}`);
    expect(await gc()).toMatchObject({
      code: 1,
      said: expect.stringContaining('the server knows none of the 1 workflows') as string,
    });
    expect(await keptOf(gone)).toBe(true);
  });
});
