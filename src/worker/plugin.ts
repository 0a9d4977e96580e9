import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import { DefinitionCache } from '../activities/definition-cache';
import { LogReplica } from '../activities/log-replica';
import { McpPool } from '../activities/mcp/mcp-pool';
import { timeouts } from '../protocol/limits';
import { priceTable } from '../providers/prices';
import { resolveProviders } from '../providers/registry';
import { createRegistry } from '../spec/registry';
import { checkStores } from '../stores/check-stores';
import { prebuiltWorkflows, workflowsModule } from './bundle';
import type { LonghaulOptions } from './options';
import { searchAttributeCheck } from './search-attributes';

/** What the bundler's compiler shows of itself, as far as it is looked at. */
type Compilation = {
  readonly modules: Iterable<{ readonly resource?: string }>;
  readonly errors: Error[];
};
type Compiler = {
  readonly hooks: {
    readonly afterCompile: { tap(name: string, check: (compilation: Compilation) => void): void };
  };
};

/**
 * Adds Longhaul's activities and workflows to a worker that already exists. A worker with workflows of its own exports ours from
 * its workflow file: `export * from 'longhaul/workflows'`.
 *
 * @example
 * const worker = await Worker.create({ taskQueue, workflowsPath, plugins: [new LonghaulPlugin({ runners: [agent] })] });
 */
export class LonghaulPlugin extends SimplePlugin {
  readonly #options: LonghaulOptions;
  readonly #pools: McpPool[] = [];
  #running = 0;

  constructor(options: LonghaulOptions = {}) {
    super({ name: 'longhaul' });
    this.#options = options;
  }

  override configureWorker(options: WorkerOptions): WorkerOptions {
    const configured = super.configureWorker(options);
    const hasWorkflows =
      configured.workflowsPath !== undefined || configured.workflowBundle !== undefined;
    return {
      stickyQueueScheduleToStartTimeout: timeouts.stickyScheduleToStart,
      shutdownGraceTime: timeouts.shutdownGrace,
      ...configured,
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
      webpackConfigHook: (config) => {
        const hooked = webpackConfigHook?.(config) ?? config;
        const plugin = { apply: requireWorkflows } as unknown as NonNullable<
          typeof hooked.plugins
        >[number];
        return { ...hooked, plugins: [...(hooked.plugins ?? []), plugin] };
      },
    };
  }

  #activities(options: WorkerOptions): object {
    const { runners, tools, criteria, callbacks, mcpServers, providers } = this.#options;
    const { stores, prices, logReplicaBytes, onDelta } = this.#options;
    if (stores !== undefined) checkStores(stores);
    const registry = createRegistry({
      ...(runners && { runners }),
      ...(tools && { tools }),
      ...(criteria && { criteria }),
      ...(callbacks && { callbacks }),
      ...(mcpServers && { mcpServers }),
    });
    const mcp = new McpPool();
    this.#pools.push(mcp);
    return createActivities({
      registry,
      providers: resolveProviders(providers),
      prices: priceTable(prices),
      replica: new LogReplica(logReplicaBytes),
      definitions: new DefinitionCache(),
      mcp,
      hasSearchAttributes: searchAttributeCheck(options.connection, options.namespace ?? 'default'),
      ...(stores && { stores }),
      ...(onDelta && { onDelta }),
    });
  }
}

function requireWorkflows(compiler: Compiler): void {
  compiler.hooks.afterCompile.tap('longhaul', ({ modules, errors }) => {
    const ours = workflowsModule();
    if ([...modules].some((module) => module.resource === ours)) return;
    const message =
      "the workflow bundle lacks Longhaul's workflows: add `export * from 'longhaul/workflows'` to your workflow file";
    // A plain error: the bundler reads fields of its own from what it is given.
    errors.push(new Error(message));
  });
}
