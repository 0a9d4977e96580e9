// What `longhaul dev` and `longhaul run` serve with `--agents examples/sentiment-and-summary/agents.mts`, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { offlineProvider } from '../shared/worker-settings.mts';
import { nextTurn } from './offline-script.mts';
import { review } from './review.mts';

const { model, offline } = await chooseModel(nextTurn);

export default {
  runners: [review(model)],
  ...offlineProvider(offline?.baseURL),
} satisfies CreateWorkerOptions;
