import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devServerAddress } from '../servers';
import { eventually } from '../workflow/eventually';
import { startRun } from './kill-worker-record';
import type { KillSetup } from './kill-worker-setup';

/**
 * One worker serves two runs whose results come by token. It is killed when the code of one call has passed its token on, and when the
 * token of the other one is drawn and the server has not heard of it. Another worker begins both calls again.
 */
export async function killWithTokens(setup: KillSetup) {
  const { gate } = setup;
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-killed-tokens-'));
  setup.onClose(async () => rmSync(folder, { recursive: true }));
  const secret = join(folder, 'secret');
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const firstWorker = await startWorker();
  gate.hold('token passed on', 'export');
  const passedOn = await startRun(longhaul, 'token passed on');
  await setup.held('token passed on', 'export');
  const lost = await startRun(longhaul, 'token lost', { context: { secret } });
  await firstWorker.exited;
  await startWorker();
  const begun = () =>
    ['token passed on', 'token lost'].flatMap((run) => gate.arrivals(run, 'export'));
  await eventually('all have begun again', () => begun().length === 3);
  await Promise.all([passedOn.outcome(), lost.outcome()]);
  const [first = '', second = '', third = ''] = begun().map(({ key }) => key);
  const drawn = third.replace(/[^.]*$/, readFileSync(secret, 'utf8'));
  const codeOf = async (token: string, rows: number): Promise<unknown> =>
    await longhaul.completeByToken(token, { rows }).catch(({ code }: { code: unknown }) => code);
  const refused = await codeOf(drawn, 0);
  const waiting = [...(await passedOn.pending()), ...(await lost.pending())];
  gate.hold('token passed on', 'model 2');
  await longhaul.completeByToken(first, { rows: 1 });
  await setup.held('token passed on', 'model 2');
  const again = await codeOf(second, 9);
  gate.letGo('token passed on', 'model 2');
  await longhaul.completeByToken(third, { rows: 2 });
  const results = await Promise.all([passedOn.result(), lost.result()]);
  return {
    begunBy: begun().map(({ pid }) => (pid === firstWorker.pid ? 'killed' : 'other')),
    areTokensNew: new Set([drawn, first, second, third]).size === 4,
    refused,
    waiting: waiting.map(({ inputId }) => inputId),
    again,
    texts: results.map(({ finalResponse }) => finalResponse.text),
  };
}
