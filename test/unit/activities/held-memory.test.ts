// Pure: no server. What a worker keeps is measured by the memory of this process.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DefinitionCache } from '../../../src/activities/definition/pinned-definition';
import { InputCache } from '../../../src/activities/log/json-cache';
import { LogCache } from '../../../src/activities/log/log-cache';
import { limits } from '../../../src/protocol/limits';
import type { LogEntry } from '../../../src/protocol/log';
import type { Definition } from '../../../src/protocol/spec';
import { ReferenceRun } from './log/reference-run';

const MiB = 1024 * 1024;
/** Pages of 1 MB. Half of them are more than a cache may hold. */
const count = 40;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Strings outside of the heap are let go a moment after the collection that found them. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A page of 1 MB that nobody else has. */
const page = (index: number): string => Buffer.alloc(MiB, `${index} `).toString('latin1');

/** What tools make of a page, each of them holding all of it where it is kept as it came. */
const cuts: readonly [string, (index: number) => string][] = [
  ['a slice of a page', (index) => page(index).slice(10, 4_106)],
  ['a match in a page', (index) => /^.{4000}/.exec(page(index))?.[0] ?? ''],
  ['a trimmed slice', (index) => page(index).slice(0, 4_096).trim()],
  ['a text with a slice in it', (index) => `${page(index).slice(0, 4_096)} (cut)`],
];

function resultEntry(id: string, text: string) {
  const part = { type: 'text' as const, text };
  const call = { type: 'tool_result' as const, callId: 'c', name: 'search', turn: 0, index: 0 };
  return {
    id,
    kind: 'tool-result' as const,
    result: { ...call, isError: false, content: [part] },
  } satisfies LogEntry;
}

describe('what a worker keeps', () => {
  it.each(cuts)('of a log is no more than it counts, of %s', async (_name, cut) => {
    const logCache = new LogCache(16 * MiB);
    const before = await heldBytes();
    for (let index = 0; index < count; index += 1) {
      const entry = resultEntry(`entry-${index}`, cut(index));
      logCache.offer(`run-${index}`, entry);
      // Half of them are placed, the others wait.
      if (index % 2 === 0) continue;
      const run = new ReferenceRun(`run-${index}`);
      run.add({ kind: 'tool-result', result: entry.result }, entry.id);
      await logCache.read(run.nextRef(), () => Promise.reject(new Error('nothing to ask')));
    }
    expect((await heldBytes()) - before).toBeLessThan(16 * MiB);
    expect(logCache.statistics.hits).toBe(count / 2);
  });

  it.each(cuts)('of inputs and definitions is no more than they are, of %s', async (_name, cut) => {
    const inputs = new InputCache();
    const definitions = new DefinitionCache();
    const hashes: string[] = [];
    const before = await heldBytes();
    for (let index = 0; index < count; index += 1) {
      const ref = { workflowId: 'w', runId: 'x', number: index };
      await inputs.get(ref, () => Promise.resolve(cut(index)));
      hashes.push(definitions.add({ index, runner: cut(index) } as unknown as Definition));
    }
    expect((await heldBytes()) - before).toBeLessThan(16 * MiB);
    const [first = ''] = hashes;
    expect(definitions.peek({ hash: first.slice(0, limits.hashLength) })).toBeDefined();
  });

  it('of many small values is within the bound, whatever surrounds them', async () => {
    const logCache = new LogCache(16 * MiB);
    const before = await heldBytes();
    for (let index = 0; index < 20_000; index += 1) {
      const entry = resultEntry(`entry-${index}`, 'ok');
      // A subarray of a large buffer, as a tool might leave on what it returns.
      Object.defineProperty(entry, 'raw', { value: Buffer.alloc(MiB / 16).subarray(0, 8) });
      logCache.offer('run', entry);
    }
    expect((await heldBytes()) - before).toBeLessThan(8 * MiB);
    expect(logCache.statistics.hits).toBe(0);
  });
});
