import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolResult } from '../../src/protocol/message';
import { devServerAddress } from '../servers';
import type { KillSetup } from './kill-worker-setup';
import { resultsOf, startRun, recordOf } from './kill-worker-record';

/** Where a call of `book` is when its worker dies, and whether its line is in the ledger by then. */
export const boundaries = [
  { boundary: 'before its code', isBooked: false },
  { boundary: 'in the middle', isBooked: false },
  { boundary: 'after the effect', isBooked: true },
  { boundary: 'before its completion', isBooked: true },
] as const;

export type Boundary = (typeof boundaries)[number]['boundary'];

export type Booking = {
  readonly name: string;
  /** Lines of the ledger: how often the tool had its effect. */
  readonly ledger: readonly string[];
  /** Processes in which the call began. */
  readonly callers: readonly number[];
  readonly killedPid: number;
  /** What the model was told of the call. */
  readonly told: readonly ToolResult[];
  /** What the run came to. */
  readonly result: object;
};

/** One worker serves a run at each boundary of its call of a tool with effect `once`; it is killed, and another one takes over. */
export async function killAtEveryBoundary(
  setup: KillSetup,
): Promise<ReadonlyMap<Boundary, Booking>> {
  const { gate } = setup;
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-ledgers-'));
  setup.onClose(async () => rmSync(folder, { recursive: true }));
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const firstWorker = await startWorker();
  const started = await Promise.all(
    boundaries.map(async ({ boundary }) => {
      const name = `booking killed ${boundary}`;
      const ledger = join(folder, boundary);
      writeFileSync(ledger, '');
      gate.hold(name, `book: ${boundary}`);
      const run = await startRun(longhaul, name, { context: { ledger } });
      await setup.held(name, `book: ${boundary}`);
      return { boundary, name, ledger, run };
    }),
  );
  await firstWorker.kill();
  await startWorker();
  const bookings = started.map(async ({ boundary, name, ledger, run }) => {
    const record = await recordOf(run);
    const booking: Booking = {
      name,
      ledger: readFileSync(ledger, 'utf8').split('\n').slice(0, -1),
      callers: gate.arrivals(name, 'book: before its code').map(({ pid }) => pid),
      killedPid: firstWorker.pid,
      told: resultsOf(record),
      result: record.result,
    };
    return [boundary, booking] as const;
  });
  return new Map(await Promise.all(bookings));
}
