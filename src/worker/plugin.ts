import { Context } from '@temporalio/activity';
import type { WorkflowService } from '@temporalio/client';
import { defined } from '../base';
import {
  type BundleOptions,
  type BundlerPlugin,
  type NativeConnection,
  type NativeConnectionOptions,
  type NativeConnectionPlugin,
  Runtime,
  type Worker,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { checkStores, type Deltas, StoredContent } from '../stores/index';
import {
  createActivities,
  DefinitionCache,
  InputCache,
  LogCache,
  McpPool,
  requireMcpSdk,
} from '../activities';
import { LonghaulError, timeouts } from '../protocol';
import {
  priceTable,
  requireProviderPackages,
  resolveProviders,
  unknownProviders,
} from '../providers';
import {
  checkSdk,
  contentCodecs,
  failureConverterPath,
  isRegistered,
  queryInterceptor,
  readAttributes,
  sdkCopies,
  tryEncryption,
  untestedSdk,
  workerConverter,
} from '../server';
import { addSpecs, pinnedAgents, type Registry, specError } from '../define';
import {
  codeInFront,
  deployedToolsCode,
  hasFailureConverter,
  interceptorModules,
  prebuiltWorkflows,
  RequiredWorkflows,
  sharedModules,
  workflowsModule,
  withCode,
  type WorkflowSource,
} from './bundle';
import { checkLonghaulOptions, type LonghaulOptions, workerRegistry } from './options';
import { type BeatServer, BlockedLoop } from './blocked-loop';
import { hearHints } from './cancel-hints';
import { checkGivenOnce, deploymentOptions } from './deployment';
import { ownIdentity, pollersOf } from './pollers';
import { longhaulSinks } from './sinks';
import { taskSlots, workflowTime } from './task-slots';

/**
 * Adds Longhaul's activities and workflows to a worker of yours. If the worker has its own workflows, their file must also export
 * Longhaul's: `export * from 'longhaul/workflows'`.
 *
 * @example
 * const worker = await Worker.create({ taskQueue, workflowsPath, plugins: [new LonghaulPlugin({ runners: [agent] })] });
 */
type OfWorker = WorkerOptions & { readonly identity: string };

export class LonghaulPlugin implements NativeConnectionPlugin, WorkerPlugin, BundlerPlugin {
  readonly name = 'longhaul';
  readonly #options: Omit<LonghaulOptions, 'specs' | 'overlays'>;
  readonly #registry: Registry;
  readonly #pools: McpPool[] = [];
  readonly #loops: BlockedLoop[] = [];
  #server: BeatServer | undefined;
  #running = 0;

  /**
   * Needs no server. Throws `SpecError` for wrong options, `PackageMissing` for an optional package that they need, and `SdkMismatch` for
   * two copies or an unfit version of Temporal's SDK.
   */
  constructor(options: LonghaulOptions = {}) {
    checkSdk();
    checkLonghaulOptions(options);
    this.#options = addSpecs(options).options;
    const { stores, providers } = this.#options;
    this.#registry = workerRegistry(this.#options);
    if (stores !== undefined) checkStores(stores);
    const known = resolveProviders(providers).keys();
    const agents = pinnedAgents(this.#registry);
    const problems = unknownProviders(agents, known);
    if (problems.length > 0) throw specError('The worker', problems);
    const named = agents.map(({ model }) => model.provider);
    requireProviderPackages([...new Set(named)], providers);
    if (this.#registry.mcpServers.names().length > 0) requireMcpSdk();
  }

  readonly #warn = (message: string, fields?: Record<string, unknown>): void =>
    void (this.#options.logger ?? Runtime.instance().logger).warn(message, fields);

  /**
   * Keeps the address and the credentials of the server, for beats beside the worker's own connection. A proxy is only for the worker's
   * connection.
   */
  configureNativeConnection(options: NativeConnectionOptions): NativeConnectionOptions {
    const { address, tls, metadata, apiKey, proxy } = options;
    this.#server = proxy ? undefined : defined({ address, tls, metadata, apiKey });
    return options;
  }

  configureWorker(options: WorkerOptions): WorkerOptions {
    const copies = sdkCopies(options.workflowsPath);
    checkSdk(copies);
    const untested = untestedSdk(copies);
    if (untested !== undefined) this.#warn(untested);
    const workflows = this.#workflows(options);
    const identity = options.identity ?? ownIdentity();
    const { workerDeployment } = this.#options;
    checkGivenOnce(workerDeployment, options);
    const version = workerDeployment && deploymentOptions(workerDeployment, this.#registry);
    return {
      identity,
      ...version,
      stickyQueueScheduleToStartTimeout: timeouts.stickyScheduleToStart,
      shutdownGraceTime: timeouts.shutdownGrace,
      ...workflowTime(options),
      ...taskSlots(options),
      ...workflows,
      interceptors: withQueries(options),
      sinks: { ...options.sinks, ...longhaulSinks({ ...this.#options, warn: this.#warn }) },
      activities: {
        ...options.activities,
        ...this.#activities({ ...options, ...version, identity }, workflows),
      },
    };
  }

  /** Closes the MCP connections and the threads when the last worker ends. */
  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    await tryEncryption(this.#options);
    this.#running += 1;
    const stopHearing = hearHints(this.#options.deltas);
    try {
      await next(worker);
    } finally {
      stopHearing();
      this.#running -= 1;
      const all = [...this.#pools, ...this.#loops];
      if (this.#running === 0) await Promise.all(all.map((one) => one.close()));
    }
  }

  /** Refuses a bundle without Longhaul's workflows. */
  configureBundler(options: BundleOptions): BundleOptions {
    checkSdk(sdkCopies(options.workflowsPath));
    const { webpackConfigHook } = options;
    return {
      ...options,
      ...(this.#encrypts() && { failureConverterPath: failureConverterPath() }),
      workflowInterceptorModules: [
        ...(options.workflowInterceptorModules ?? []),
        ...interceptorModules(),
      ],
      preloadModules: [...(options.preloadModules ?? []), ...sharedModules()],
      webpackConfigHook: (config) => {
        const hooked = webpackConfigHook?.(config) ?? config;
        const own = [
          new RequiredWorkflows(options.workflowsPath),
          codeInFront(this.#toolsCode),
        ] as unknown as NonNullable<typeof hooked.plugins>;
        return { ...hooked, plugins: [...(hooked.plugins ?? []), ...own] };
      },
    };
  }

  #encrypts(): boolean {
    return this.#options.encryption !== undefined;
  }

  /** The workflows and the data converter. They must fit, because converters are part of a bundle. */
  #workflows(configured: WorkerOptions): Partial<WorkerOptions> {
    const { workflowBundle, workflowsPath, dataConverter = {} } = configured;
    const { encryption, clearFailures = false } = this.#options;
    const options = { ...defined({ encryption }), dataConverter, clearFailures };
    if (workflowBundle !== undefined) {
      if (this.#encrypts() && !hasFailureConverter(workflowBundle)) throw bundledInClear();
      if (dataConverter.failureConverterPath && !clearFailures) throw bundledUnseen();
      const dataConverterOfBundle = workerConverter(options, { refuses: false });
      return { dataConverter: dataConverterOfBundle, ...this.#withTools({ workflowBundle }) };
    }
    const converted = { dataConverter: workerConverter(options, { refuses: true }) };
    if (workflowsPath !== undefined) return converted;
    return dataConverter.failureConverterPath || dataConverter.payloadConverterPath
      ? { ...converted, workflowsPath: workflowsModule() }
      : {
          ...converted,
          ...this.#withTools(prebuiltWorkflows({ encodesFailures: this.#encrypts() })),
        };
  }

  /** The workflows get to know the tools of this worker. The bundler does the same for those that are not bundled yet. */
  #withTools(source: WorkflowSource): WorkflowSource {
    if (!('workflowBundle' in source) || source.workflowBundle === undefined) return source;
    return { workflowBundle: withCode(source.workflowBundle, this.#toolsCode) };
  }

  get #toolsCode(): string {
    return deployedToolsCode(this.#registry.tools.values());
  }

  #deltas({ dataConverter }: WorkerOptions): Deltas | undefined {
    const { deltas, encryption } = this.#options;
    if (deltas?.inClear && contentCodecs(defined({ encryption, dataConverter })).length > 0)
      throw deltasInClear();
    deltas?.logTo?.(this.#warn);
    return deltas;
  }

  #results({ dataConverter }: WorkerOptions): StoredContent | undefined {
    const { results, encryption } = this.#options;
    const codecs = contentCodecs(defined({ encryption, dataConverter }));
    return results && new StoredContent(results, { codecs });
  }

  #activities(options: OfWorker, workflows: Partial<WorkerOptions>): object {
    const { stores, prices, logCacheBytes, onDelta, providers, inlineSpecs, application } =
      this.#options;
    const { onPause, checkSignature, telemetry, logger } = this.#options;
    const results = this.#results(options);
    const deltas = this.#deltas(options);
    const mcp = new McpPool();
    this.#pools.push(mcp);
    const loopWatch = new BlockedLoop({ ...options, ...workflows, server: this.#server });
    this.#loops.push(loopWatch);
    return createActivities({
      application: application ?? options.taskQueue,
      registry: this.#registry,
      providers: resolveProviders(providers),
      prices: priceTable(prices),
      logCache: new LogCache(logCacheBytes, (from) => telemetry?.logRead(from)),
      definitions: new DefinitionCache(),
      inputs: new InputCache(),
      mcp,
      loopWatch,
      pollers: pollersOf(options),
      hasSearchAttributes: searchAttributeCheck(options.connection, options.namespace ?? 'default'),
      ...defined({
        inlineSpecs,
        onPause,
        checkSignature,
        telemetry,
        logger,
        stores,
        results,
        onDelta,
        deltas,
      }),
    });
  }
}

function deltasInClear(): Error {
  return new LonghaulError(
    'SpecError',
    'this worker encrypts, but its deltas would leave the text of models in clear: new PostgresDeltas({ encryption }), with the same codecs',
  );
}

function bundledInClear(): Error {
  return new LonghaulError(
    'SpecError',
    'workflowBundle leaves failure messages in clear: build it with `plugins: [new LonghaulPlugin({ encryption })]`, or pass workflowsPath instead',
  );
}

function bundledUnseen(): Error {
  return new LonghaulError(
    'SpecError',
    'a bundle ignores dataConverter.failureConverterPath: pass `encryption` and workflowsPath instead of workflowBundle, or clearFailures: true if you built the bundle with it',
  );
}

/** The client of activities asks again, as ours does: a log may be that of an execution that a reset has closed. */
function withQueries({
  interceptors = {},
  namespace = 'default',
}: WorkerOptions): NonNullable<WorkerOptions['interceptors']> {
  const { workflow = [] } = interceptors.client ?? {};
  if (!Array.isArray(workflow)) return interceptors;
  const service = (): WorkflowService => Context.current().client.workflowService;
  const all = [...workflow, queryInterceptor(service, namespace)];
  return { ...interceptors, client: { ...interceptors.client, workflow: all } };
}

/** Whether the namespace has Longhaul's search attributes. It asks once per worker. False if the server does not answer that. */
function searchAttributeCheck(
  connection: NativeConnection | undefined,
  namespace: string,
): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () =>
    (answer ??= connection === undefined ? Promise.resolve(false) : ask(connection, namespace));
}

async function ask(connection: NativeConnection, namespace: string): Promise<boolean> {
  try {
    const { operatorService } = connection;
    const states = await connection.withDeadline(Date.now() + timeouts.serverCheck / 2, () =>
      readAttributes({ operatorService, namespace }),
    );
    return states.every(isRegistered);
  } catch {
    return false;
  }
}
