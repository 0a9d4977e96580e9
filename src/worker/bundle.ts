import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';
import { toolSchemaProblems } from '../core/schema/schema-problem';
import type { Tool } from '../define';
import { allWorkflowTypes, type DeployedTools, encodesFailuresMark } from '../protocol';
import { fitsPrebuiltBundle } from '../server';

export type WorkflowSource =
  Pick<WorkerOptions, 'workflowBundle'> | Pick<WorkerOptions, 'workflowsPath'>;

/**
 * The workflows for a worker without its own workflows: the prebuilt bundle of the package, which starts faster. A checkout that is not
 * built, and a worker on another minor version of Temporal's SDK, bundle the modules when they start. A second prebuilt bundle has the
 * failure converter of `encryption`.
 */
export function prebuiltWorkflows({ encodesFailures = false } = {}): WorkflowSource {
  const name = encodesFailures ? 'workflow-bundle-encrypted.js' : 'workflow-bundle.js';
  const codePath = path.join(__dirname, '..', name);
  if (fitsPrebuiltBundle() && existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: workflowsModule() };
}

/** The module that a user's workflow file must export. */
export function workflowsModule(): string {
  return require.resolve('../workflows');
}

/**
 * Modules that a worker evaluates once for all its runs, with all that they import. Otherwise they would be half of the memory of a waiting
 * run. None of them may keep data of a run at module level. The module of the workflow types is not here: a user may set options of a
 * workflow function, and `startRunner` counts the runs of its workflow.
 */
export function sharedModules(): string[] {
  return [
    require.resolve('../workflows/run'),
    require.resolve('../workflows/thread/thread-loop'),
    ...interceptorModules(),
  ];
}

/**
 * Interceptors of all workflows: they refuse data that only the client or only the worker encrypts, keep the answers of queries apart, hand
 * traces on, and follow the calls of runs.
 */
export function interceptorModules(): string[] {
  return [
    require.resolve('../workflows/encryption'),
    require.resolve('../workflows/query-answers'),
    require.resolve('../workflows/trace-context'),
    require.resolve('../workflows/call-watch'),
  ];
}

/** Whether a user's bundle was built with the failure converter of `encryption`. */
export function hasFailureConverter(bundle: WorkflowBundle): boolean {
  return codeOf(bundle).includes(encodesFailuresMark);
}

type WorkflowBundle = NonNullable<WorkerOptions['workflowBundle']>;

function codeOf(bundle: WorkflowBundle): string {
  return 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
}

/**
 * Tells the workflows of a worker which arguments its tools take now (docs/adr/0055). Code without a line break, so that the lines behind it
 * keep their numbers. The first one counts.
 */
export function deployedToolsCode(tools: readonly Tool[]): string {
  const isUsable = (schema: DeployedTools[string][number]): boolean =>
    toolSchemaProblems(schema).length === 0;
  const known = tools.flatMap(({ name, spec, accepts = [] }) => {
    const { inputSchema } = spec;
    if (spec.result === 'client' || !isUsable(inputSchema)) return [];
    // What cannot be checked in a workflow takes everything there.
    const earlier = accepts.map(({ schema }) => (isUsable(schema) ? schema : {}));
    return [[name, [inputSchema, ...earlier]]];
  });
  const text = JSON.stringify(Object.fromEntries(known));
  return `globalThis.__longhaulTools__ ??= ${JSON.stringify(text)};`;
}

export function withCode(bundle: WorkflowBundle, code: string): { readonly code: string } {
  return { code: code + codeOf(bundle) };
}

/** The part of the bundler's compiler that we use. */
type Module = { readonly resource?: string };

type Connection = {
  readonly module: Module | null;
  readonly dependency: { readonly request?: string } | null;
};

type Compilation = {
  readonly modules: Iterable<Module>;
  readonly errors: readonly Error[];
  readonly moduleGraph: {
    getOutgoingConnections(module: Module): Iterable<Connection>;
    /** `null` and `undefined` mean unknown. */
    getExportsInfo(module: Module): { isExportProvided(name: string): boolean | null | undefined };
  };
};

type Compiler = {
  readonly webpack: {
    readonly BannerPlugin: new (options: { readonly banner: string; readonly raw: true }) => {
      apply(compiler: Compiler): void;
    };
  };
  readonly hooks: {
    readonly afterCompile: { tap(name: string, check: (compilation: Compilation) => void): void };
  };
};

/**
 * A plugin of the bundler that refuses a workflow file without Longhaul's workflows. A worker with such a bundle would leave every run
 * waiting for ever. An import is not enough: only an export of a file is a workflow.
 */
export class RequiredWorkflows {
  readonly #workflowsPath: string;

  constructor(workflowsPath: string) {
    this.#workflowsPath = workflowsPath;
  }

  apply(compiler: Compiler): void {
    compiler.hooks.afterCompile.tap('longhaul', (compilation) => {
      // Other errors are clearer: if a file was not found, it exports nothing.
      if (compilation.errors.length > 0) return;
      const missing = this.#missingIn(compilation);
      if (missing.length === 0) return;
      throw new Error(
        `${this.#workflowsPath} does not export Longhaul's workflows ${missing.join(', ')}: add \`export * from 'longhaul/workflows'\` to it`,
      );
    });
  }

  #missingIn({ modules, moduleGraph }: Compilation): readonly string[] {
    const all = [...modules];
    const ours = all.find(({ resource }) => resource === workflowsModule());
    if (ours === undefined) return allWorkflowTypes;
    const given = all
      .flatMap((module) => [...moduleGraph.getOutgoingConnections(module)])
      .find(({ dependency }) => dependency?.request === this.#workflowsPath)?.module;
    if (!given) return [];
    const provides = (module: Module, name: string): boolean =>
      moduleGraph.getExportsInfo(module).isExportProvided(name) !== false;
    return allWorkflowTypes.filter((type) => provides(ours, type) && !provides(given, type));
  }
}

/** A plugin of the bundler that puts a line of code in front. */
export const codeInFront = (banner: string): { apply(compiler: Compiler): void } => ({
  apply: (compiler) => new compiler.webpack.BannerPlugin({ banner, raw: true }).apply(compiler),
});
