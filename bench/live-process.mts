// A process of bench/live.mts: a worker, a backend, or both in one. Usage: live-process.mts '<JSON of LiveProcessSettings>'
import { defineAgent } from 'longhaul';
import { connect } from 'longhaul/client';
import { PostgresDeltas, ProcessDeltas } from 'longhaul/stores';
import { agentHandler } from 'longhaul/http';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHandler } from '../test/e2e/serve-handler.mts';
import './quiet-runtime.mts';

export type LiveProcessSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly roles: readonly ('worker' | 'backend')[];
  /** The database of the deltas. Without it they stay in the process. */
  readonly postgres?: string;
};

/** What a run is asked to do: its model says a token every so often, after a while. */
export type Talk = {
  readonly afterMs: number;
  readonly tokens: number;
  readonly everyMs: number;
};

/** Since the process began. Bytes after a collection. */
export type Held = { readonly heap: number; readonly rss: number; readonly cpuMs: number };

const settings = JSON.parse(process.argv[2] ?? '{}') as LiveProcessSettings;
const { address, taskQueue, roles, postgres } = settings;
process.once('disconnect', () => process.exit());

const deltas =
  postgres === undefined ? new ProcessDeltas() : new PostgresDeltas({ connectionString: postgres });

/** Each token is the time at which it was said, of the clock that all processes of the machine share. */
const talker: ModelProvider = {
  name: 'talker',
  call: async ({ messages }, { onDelta }) => {
    const [part] = messages[0]?.parts ?? [];
    const { afterMs, tokens, everyMs } = JSON.parse(part?.type === 'text' ? part.text : '') as Talk;
    const begun = performance.now() + afterMs;
    let said = '';
    for (let token = 0; token < tokens; token += 1) {
      await sleep(Math.max(0, begun + token * everyMs - performance.now()));
      const text = `${process.hrtime.bigint()} `;
      said += text;
      onDelta({ kind: 'text', text });
    }
    return { content: [{ type: 'text', text: said }], usage, finishReason: 'stop', origin };
  },
};
const origin = { provider: 'talker', api: 'talker', model: 'one' };
const usage = {
  inputTokens: 1,
  outputTokens: 1,
  totalTokens: 2,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

function held(): Held {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { heap: heapUsed + external, rss, cpuMs: (user + system) / 1_000 };
}
process.on('message', () => process.send?.(held()));

if (roles.includes('worker')) {
  const worker = await createWorker({
    address,
    taskQueue,
    runners: [defineAgent({ id: 'talker', model: 'talker/one' })],
    providers: { talker },
    deltas,
  });
  void worker.run();
}
if (roles.includes('backend')) {
  const longhaul = await connect({ address, taskQueue });
  const authenticate = () => ({ user: 'ann' });
  const handle = agentHandler(longhaul, { agents: ['talker'], authenticate, deltas });
  process.send?.({ url: (await serveHandler(handle)).url });
} else process.send?.({});
