// A backend as a process of its own, run from a folder in which the built package is installed. Usage: live-http.mts '<JSON of LiveSettings>'
import { connect } from 'longhaul/client';
import { PostgresDeltas } from 'longhaul/deltas';
import { agentHandler } from 'longhaul/http';
import type { LiveSettings } from './live-worker.mts';
import { serveHandler } from './serve-handler.mts';

const { address, taskQueue, postgres } = JSON.parse(process.argv[2] ?? '{}') as LiveSettings;
process.once('disconnect', () => process.exit());

const longhaul = await connect({ address, taskQueue });
const handle = agentHandler(longhaul, {
  agents: ['host'],
  authenticate: ({ headers }) => ({ user: headers.get('x-user') ?? 'nobody' }),
  deltas: new PostgresDeltas({ connectionString: postgres }),
  onError: (error) =>
    process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
});
const { url } = await serveHandler(handle);
process.send?.({ url });
