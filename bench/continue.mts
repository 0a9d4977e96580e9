// How much time a run loses when it continues as new: from the model call before to the one after, beside the usual turn.
import { connect } from 'longhaul/client';
import { fetchHistories, type RunHistory } from 'longhaul/testing';
import { type ContestantName, withMeasured } from './measured.mts';
import { inRounds, median, type Section } from './section.mts';

/** Long enough to continue as new once. */
const turnsOf: Partial<Record<ContestantName, number>> = { longhaul: 140, 'longhaul-inline': 270 };

type Gaps = { readonly turn: number; readonly moves: readonly number[] };

export const continueAsNew: Section = {
  name: 'continue-as-new',
  title: 'Continue-as-new',
  run: async ({ address, rounds }) =>
    await withMeasured(['longhaul', 'longhaul-inline'], address, async (contestants) => {
      const longhaul = await connect({ address });
      const samples = await inRounds(
        contestants,
        { rounds: Math.min(3, rounds), warmUps: 0 },
        async (one) => {
          const turns = turnsOf[one.name] ?? 0;
          const [workflowId = ''] = (await one.ask({ kind: 'turns', turns })).workflowIds;
          return gapsOf(await fetchHistories(longhaul, workflowId));
        },
      );
      await longhaul.close();
      return {
        rows: [...samples].map(([{ name }, gaps]) => {
          const lost = gaps.flatMap(({ turn, moves }) => moves.map((move) => move - turn));
          return {
            '': name,
            moves: String(lost.length),
            'a usual turn, ms, median': median(gaps.map(({ turn }) => turn)),
            'lost by a move, ms, least': Math.min(...lost),
            'lost by a move, ms, median': median(lost),
          };
        }),
        notes: [
          'From one model call to the next, by the times of the events at the server, less the median of the same run. The log that moves has about 125 results of 4 KiB (inline: 250); they deflate well.',
        ],
      };
    }),
};

/** The time between model calls within an execution, and from each execution to the next. */
function gapsOf(histories: readonly RunHistory[]): Gaps {
  const calls = histories.map((history) =>
    (history.events ?? []).flatMap((event) =>
      event.activityTaskScheduledEventAttributes?.activityType?.name === 'callModel'
        ? [timeOf(event.eventTime)]
        : [],
    ),
  );
  const within = calls.flatMap((times) =>
    times.slice(1).map((time, at) => time - (times[at] ?? 0)),
  );
  const moves = calls.slice(1).map((times, at) => (times[0] ?? 0) - (calls[at]?.at(-1) ?? 0));
  return { turn: median(within), moves };
}

type EventTime = NonNullable<RunHistory['events']>[number]['eventTime'];

/** In ms. */
export function timeOf(time: EventTime): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
}
