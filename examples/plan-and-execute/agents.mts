// What `longhaul dev` and `longhaul run` serve with `--agents examples/plan-and-execute/agents.mts`, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { offlineProvider } from '../shared/worker-settings.mts';
import { nextTurn } from './offline-script.mts';
import { planAndExecute } from './pipeline.mts';

const { model, offline } = await chooseModel(nextTurn);

export default {
  runners: [planAndExecute(model)],
  ...offlineProvider(offline?.baseURL),
} satisfies CreateWorkerOptions;
