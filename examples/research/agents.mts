// What `longhaul dev` and `longhaul run` serve with `--agents examples/research/agents.mts`, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { offlineProvider } from '../shared/worker-settings.mts';
import { nextTurn } from './offline-script.mts';
import { research } from './research.mts';

const { model, offline } = await chooseModel(nextTurn);

export default {
  runners: [research(model)],
  ...offlineProvider(offline?.baseURL),
} satisfies CreateWorkerOptions;
