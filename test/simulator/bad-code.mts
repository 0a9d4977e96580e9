// For guards.test.ts, in a process of its own: code that does what none may do. Prints what each seed fails with, a line for each.
// Usage: node --import ./test/run-sources.mts test/simulator/bad-code.mts <the name of a workflow, or of other work>...

import { ReusableVMWorkflowCreator } from './internals.ts';
import { Simulation } from './simulation.ts';
import { startWatchdog } from './watchdog.mts';
import { addWorkflows } from './worker/sandbox.ts';

type Activator = {
  readonly queryHandlers: Map<string, { readonly handler: () => unknown }>;
};

declare const __TEMPORAL_ACTIVATOR__: Activator;

const workflows = {
  async endless() {
    for (;;);
  },
  async endlessPromises() {
    for (;;) await Promise.resolve();
  },
  async realDate() {
    try {
      const Real = new Date(0).constructor as DateConstructor;
      return new Real();
    } catch {
      return undefined;
    }
  },
  async formatted() {
    return new Intl.DateTimeFormat('en').format();
  },
  async performanceNow() {
    return performance.now();
  },
  async cryptoUuid() {
    return crypto.randomUUID();
  },
  async hrtime() {
    return process.hrtime();
  },
  async rejection() {
    void Promise.reject(new Error('nobody waits for this'));
  },
  /** The object of the workflows is one for all instances of a run, as a variable of a module is. */
  async otherCommands(this: object) {
    const starts = this as { count?: number };
    starts.count = (starts.count ?? 0) + 1;
    const pause = 1_000 * starts.count;
    for (;;) await new Promise((resolve) => setTimeout(resolve, pause));
  },
  async otherState(this: object) {
    const starts = this as { number?: number };
    starts.number = (starts.number ?? 0) + 1;
    const { number } = starts;
    __TEMPORAL_ACTIVATOR__.queryHandlers.set('state', { handler: () => ({ number }) });
    for (;;) await new Promise((resolve) => setTimeout(resolve, 1_000));
  },
  async largeResult() {
    return 'x'.repeat(3_000_000);
  },
  async fine() {
    for (;;) await new Promise((resolve) => setTimeout(resolve, 1_000));
  },
  async unsettled() {
    // Its sandbox never answers.
  },
};

const bound = Object.entries(workflows)
  .map(([name, workflow]) => `${name}: ({ ${workflow.toString()} }).${name}.bind(shared),`)
  .join('\n');
addWorkflows(`((shared) => ({ ${bound} }))({})`);

const creator = ReusableVMWorkflowCreator.prototype;
const { createWorkflow } = creator;
creator.createWorkflow = async function (options) {
  const workflow = await createWorkflow.call(this, options);
  if (options.info.workflowType === 'unsettled')
    workflow.activate = async () => await new Promise(() => undefined);
  return workflow;
};

const watchdog = startWatchdog(1_500);

const others: Readonly<Record<string, () => void>> = {
  hostRejection: () => void Promise.reject(new Error('nobody waits for this either')),
};

/** What the seed fails with. */
async function wrongOf(seed: number, name: string): Promise<string> {
  const simulation = new Simulation(seed);
  watchdog.watch(seed);
  simulation.worker({ longhaul: {} });
  const { server, world } = simulation;
  const start = (): void => {
    const attributes = { workflowType: { name }, taskQueue: { name: 'longhaul' } };
    server.start({ workflowId: `run-of-${name}`, reuse: 'always', attributes });
  };
  try {
    await simulation.run(async () => {
      (others[name] ?? start)();
      await world.pause(200_000);
    }, watchdog.step);
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}

for (const name of process.argv.slice(2))
  process.stdout.write(`${JSON.stringify([name, await wrongOf(7, name)])}\n`);
process.exit(0);
