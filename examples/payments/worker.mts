// The worker: the process that calls the model and runs the tools. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { paymentAgent } from './agent.mts';
import { Ledger } from './books.mts';
import { post } from './office-server.mts';

type Own = {
  readonly ledger: string;
  /** The URL of the office. */
  readonly office: string;
  readonly remindAfter: string;
  readonly escalateAfter: string;
};

const settings = readSettings<Own>();
const { ledger, office, model, remindAfter, escalateAfter } = settings;

const agent = paymentAgent({
  model,
  ledger: new Ledger(ledger),
  askBank: async (check) => await post(`${office}/bank`, check),
  remindAfter,
  escalateAfter,
});

await serve(
  await createWorker({
    ...demoOptions(settings),
    runners: [agent],
    // Where a mail or a message to a chat would be sent. It is told again if it throws; the key says that it is the same one.
    onPause: async (notice, { idempotencyKey }) =>
      await post(`${office}/mails`, notice, { 'idempotency-key': idempotencyKey }),
  }),
);
