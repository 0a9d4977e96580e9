// What `longhaul chat travel --agents examples/web-chat/agents.mts` serves, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { offlineProvider } from '../shared/worker-settings.mts';
import { travelAgent } from './agent.mts';
import { nextTurn } from './offline-script.mts';

const { model, offline } = await chooseModel(nextTurn);

export default {
  runners: [travelAgent(model)],
  ...offlineProvider(offline?.baseURL),
} satisfies CreateWorkerOptions;
