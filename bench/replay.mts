// What a worker with nothing in memory spends to replay a run, by its length.
import { connect } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';
import { withMeasured } from './measured.mts';
import { type Row, type Section } from './section.mts';

const names = ['bare', 'longhaul', 'longhaul-inline', 'ai-sdk'] as const;

export const replay: Section = {
  name: 'replay',
  title: 'CPU to replay an execution',
  anyServer: true,
  run: async ({ address, isQuick }) =>
    await withMeasured(names, address, async (contestants) => {
      const longhaul = await connect({ address });
      const rows: Row[] = [];
      for (const turns of isQuick ? [10] : [10, 50, 120]) {
        for (const one of contestants) {
          // Its history of 120 turns has over 30 MB.
          if (one.name === 'ai-sdk' && turns > 50) continue;
          const [workflowId = ''] = (await one.ask({ kind: 'turns', turns })).workflowIds;
          const history = await fetchHistory(longhaul, workflowId);
          const { cpuMs } = await one.ask({ kind: 'replay', history });
          const events = history.events?.length ?? 0;
          rows.push({
            turns,
            '': one.name,
            events,
            'CPU ms': cpuMs,
            'CPU ms a turn': cpuMs / turns,
          });
        }
      }
      await longhaul.close();
      return {
        rows,
        notes: [
          'The cheapest of five replays in a warm process. A run of Longhaul continues as new at about 1,500 events, so no execution is much longer than 120 turns (inline: twice that).',
        ],
      };
    }),
};
