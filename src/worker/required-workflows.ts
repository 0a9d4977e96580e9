import { allWorkflowTypes } from '../protocol/names';
import { workflowsModule } from './bundle';

/** What the bundler's compiler shows of itself, as far as it is looked at. */
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
    /** `null` and `undefined`: not known. */
    getExportsInfo(module: Module): { isExportProvided(name: string): boolean | null | undefined };
  };
};
export type Compiler = {
  readonly hooks: {
    readonly afterCompile: { tap(name: string, check: (compilation: Compilation) => void): void };
  };
};

/**
 * A plugin of the bundler: a worker whose workflow file does not export our workflows would leave every run waiting for ever, so
 * its bundle is refused. Importing something of ours is not enough: what a file does not export is no workflow.
 */
export class RequiredWorkflows {
  readonly #workflowsPath: string;

  constructor(workflowsPath: string) {
    this.#workflowsPath = workflowsPath;
  }

  apply(compiler: Compiler): void {
    compiler.hooks.afterCompile.tap('longhaul', (compilation) => {
      // What else is wrong says more: a file that was not found exports nothing.
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
