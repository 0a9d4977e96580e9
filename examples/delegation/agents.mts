// What `longhaul dev` and `longhaul run` serve with `--agents examples/delegation/agents.mts`, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { offlineProvider } from '../shared/worker-settings.mts';
import { manager } from './agent.mts';
import { nextTurn } from './offline-script.mts';

const { model, offline } = await chooseModel(nextTurn);

export default {
  runners: [manager(model)],
  ...offlineProvider(offline?.baseURL),
} satisfies CreateWorkerOptions;
