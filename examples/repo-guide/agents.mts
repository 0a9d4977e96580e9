// What `longhaul dev` and `longhaul run` serve with `--agents examples/repo-guide/agents.mts`, with a real model or the script.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { repoGuide } from './agent.mts';
import { chooseModel } from './demo/choose-model.mts';

const { model, offline } = await chooseModel();

export default {
  runners: [repoGuide({ folder: process.cwd(), model })],
  ...(offline && {
    providers: { openai: { api: 'openai-responses', baseURL: offline.baseURL, apiKey: 'offline' } },
  }),
} satisfies CreateWorkerOptions;
