import { devServerAddress } from '../servers';
import { recordOf, startRun, type RunRecord } from './kill-worker-record';
import type { KillSetup } from './kill-worker-setup';

/** Where an inline turn is when its worker dies, and how often the model is asked for that turn. */
export const inlineMoments = [
  { moment: 'before the model has answered', step: 'model 1', asked: 2 },
  { moment: 'in the first inline call', step: 'read 1', asked: 1 },
  { moment: 'between inline calls', step: 'read 2', asked: 1 },
  { moment: 'after the last inline call', step: 'before its completion', asked: 1 },
] as const;

export type InlineKill = {
  readonly record: RunRecord;
  /** How often the model was asked for the first turn. */
  readonly asked: number;
  /** How often the tool that follows by its own activity ran, in any worker. */
  readonly mails: number;
};

/** One worker serves a run at each moment of its inline turn; it is killed, and another one takes over. */
export async function killInInlineTurns(
  setup: KillSetup,
): Promise<{ readonly same: RunRecord; readonly kills: ReadonlyMap<string, InlineKill> }> {
  const { gate } = setup;
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const firstWorker = await startWorker();
  const nameOf = (moment: string): string => `inline ${moment}`;
  const same = await recordOf(await startRun(longhaul, nameOf('undisturbed'), { agent: 'reader' }));
  const started = await Promise.all(
    inlineMoments.map(async ({ moment, step }) => {
      const name = nameOf(moment);
      gate.hold(name, step);
      const run = await startRun(longhaul, name, { agent: 'reader' });
      await setup.held(name, step);
      return { moment, name, run };
    }),
  );
  await firstWorker.kill();
  await startWorker();
  const kills = started.map(async ({ moment, name, run }) => {
    const record = await recordOf(run);
    const [asked, mails] = [gate.arrivals(name, 'model 1'), gate.arrivals(name, 'send_mail')];
    return [moment, { record, asked: asked.length, mails: mails.length }] as const;
  });
  return { same, kills: new Map(await Promise.all(kills)) };
}

/** A tool that kills its own worker process each time it runs inline. */
export async function killFromInside(setup: KillSetup) {
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const run = await startRun(longhaul, 'inline killer', { agent: 'reader' });
  const firstWorker = await startWorker();
  await firstWorker.exited;
  await startWorker();
  const { transcript } = await recordOf(run);
  const arrivals = (step: string) => setup.gate.arrivals('inline killer', step);
  return {
    transcript,
    asked: arrivals('model 1').length,
    ranBy: arrivals('kill').map(({ pid }) => pid === firstWorker.pid),
  };
}
