import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import { DefinitionCache } from '../activities/definition-cache';
import { InputCache } from '../activities/input-cache';
import { LogReplica } from '../activities/log-replica';
import { McpPool } from '../activities/mcp/mcp-pool';
import { timeouts } from '../protocol/limits';
import { priceTable } from '../providers/prices';
import { resolveProviders } from '../providers/registry';
import { createRegistry, type Registry } from '../spec/registry';
import { addSpecs } from '../spec/yaml/add-specs';
import { checkStores } from '../stores/check-stores';
import { prebuiltWorkflows, sharedModule } from './bundle';
import { checkLonghaulOptions } from './check-options';
import type { LonghaulOptions } from './options';
import { replayPace } from './replay-pace';
import { RequiredWorkflows } from './required-workflows';
import { searchAttributeCheck } from './search-attributes';

/**
 * Adds Longhaul's activities and workflows to a worker that already exists. A worker with workflows of its own exports ours from
 * its workflow file: `export * from 'longhaul/workflows'`.
 *
 * @example
 * const worker = await Worker.create({ taskQueue, workflowsPath, plugins: [new LonghaulPlugin({ runners: [agent] })] });
 */
export class LonghaulPlugin extends SimplePlugin {
  readonly #options: Omit<LonghaulOptions, 'specs' | 'overlays'>;
  readonly #registry: Registry;
  readonly #pools: McpPool[] = [];
  #running = 0;

  /** Throws a `SpecError` for whatever is wrong with the options, before any server is needed. */
  constructor(options: LonghaulOptions = {}) {
    super({ name: 'longhaul' });
    checkLonghaulOptions(options);
    this.#options = addSpecs(options).options;
    const { stores, prices, providers, ...registered } = this.#options;
    this.#registry = createRegistry(registered);
    if (stores !== undefined) checkStores(stores);
    resolveProviders(providers);
    priceTable(prices);
  }

  override configureWorker(options: WorkerOptions): WorkerOptions {
    const configured = super.configureWorker(options);
    const hasWorkflows =
      configured.workflowsPath !== undefined || configured.workflowBundle !== undefined;
    return {
      stickyQueueScheduleToStartTimeout: timeouts.stickyScheduleToStart,
      shutdownGraceTime: timeouts.shutdownGrace,
      ...replayPace(configured),
      ...(hasWorkflows ? {} : prebuiltWorkflows()),
      activities: { ...configured.activities, ...this.#activities(configured) },
    };
  }

  /** Programs that serve tools end with the worker that started them. */
  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    this.#running += 1;
    try {
      await super.runWorker(worker, next);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) await Promise.all(this.#pools.map((pool) => pool.close()));
    }
  }

  /** A worker whose bundle lacks our workflows would leave every run waiting for ever: said when it is bundled. */
  override configureBundler(options: BundleOptions): BundleOptions {
    const configured = super.configureBundler(options);
    const { webpackConfigHook } = configured;
    return {
      ...configured,
      preloadModules: [...(configured.preloadModules ?? []), sharedModule()],
      webpackConfigHook: (config) => {
        const hooked = webpackConfigHook?.(config) ?? config;
        const required = new RequiredWorkflows(configured.workflowsPath);
        const plugin = required as unknown as NonNullable<typeof hooked.plugins>[number];
        return { ...hooked, plugins: [...(hooked.plugins ?? []), plugin] };
      },
    };
  }

  #activities(options: WorkerOptions): object {
    const { stores, prices, logReplicaBytes, onDelta, providers, inlineSpecs, application } =
      this.#options;
    const mcp = new McpPool();
    this.#pools.push(mcp);
    return createActivities({
      application: application ?? options.taskQueue,
      registry: this.#registry,
      providers: resolveProviders(providers),
      prices: priceTable(prices),
      replica: new LogReplica(logReplicaBytes),
      definitions: new DefinitionCache(),
      inputs: new InputCache(),
      mcp,
      hasSearchAttributes: searchAttributeCheck(options.connection, options.namespace ?? 'default'),
      ...(inlineSpecs !== undefined && { inlineSpecs }),
      ...(stores && { stores }),
      ...(onDelta && { onDelta }),
    });
  }
}
