// A backend as a process of its own, run from a folder in which the built package is installed. Usage:
// live-http.mts '<JSON of LiveSettings>'. It answers every message with the number of runs that it reads.
import { connect } from 'longhaul/client';
import { type Deltas, PostgresDeltas } from 'longhaul/stores';
import { agentHandler } from 'longhaul/http';
import type { LiveSettings } from './live-worker.mts';
import { serveHandler } from './serve-handler.mts';

const { address, taskQueue, postgres } = JSON.parse(process.argv[2] ?? '{}') as LiveSettings;
process.once('disconnect', () => process.exit());

let readers = 0;
const carrier = new PostgresDeltas({ connectionString: postgres });
const deltas: Deltas = {
  publish: (event) => carrier.publish(event),
  subscribe: (root, listener) => {
    const leave = carrier.subscribe(root, listener);
    readers += 1;
    return () => {
      readers -= 1;
      leave();
    };
  },
  close: () => carrier.close(),
};
process.on('message', () => process.send?.({ readers }));

const longhaul = await connect({ address, taskQueue });
const handle = agentHandler(longhaul, {
  agents: ['host'],
  authenticate: ({ headers }) => ({ user: headers.get('x-user') ?? 'nobody' }),
  deltas,
  onError: (error) =>
    process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
});
const { url } = await serveHandler(handle);
process.send?.({ url });
