// What `longhaul dev` and `longhaul run` serve with `--agents examples/payments/agents.mts`, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { offlineProvider } from '../shared/worker-settings.mts';
import { paymentAgent } from './agent.mts';
import { Ledger } from './books.mts';
import { nextTurn } from './offline-script.mts';

const { model, offline } = await chooseModel(nextTurn);

const agent = paymentAgent({
  model,
  ledger: new Ledger('.longhaul/payments.jsonl'),
  askBank: async ({ iban }) =>
    await Promise.resolve(
      console.log(`bank: who owns ${iban}? Answer with longhaul answer --complete.`),
    ),
});

export default {
  runners: [agent],
  ...offlineProvider(offline?.baseURL),
  onPause: ({ reason, input }) => console.log(`mail: ${reason}: ${input.question}`),
} satisfies CreateWorkerOptions;
