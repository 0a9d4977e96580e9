import { randomUUID } from 'node:crypto';
import { connect, type Longhaul } from '../../src/client';
import { devServerAddress } from '../servers';
import { builtCli, type BuiltCli, type Finished } from './built-cli';
import { cliAgents } from './cli-agents';

/** The command line in a folder with the agents of `cli-agents`, and a client of the same server. */
export type CliProject = {
  readonly cli: BuiltCli;
  readonly folder: string;
  readonly longhaul: Longhaul;
  /** Flags that name this test's own task queue. */
  readonly queue: readonly string[];
  run(...args: readonly string[]): Promise<Finished>;
  /** `longhaul run helper`, on the test's queue. */
  runAgent(input: string, ...args: readonly string[]): Promise<Finished>;
};

/** Is there from the first test of this `describe` on. */
export function useCliProject(): CliProject {
  const project = { queue: [] as readonly string[] } as {
    -readonly [Key in keyof CliProject]: CliProject[Key];
  };
  project.run = (...args) => project.cli.run(args, { cwd: project.folder });
  project.runAgent = (input, ...args) =>
    project.run('run', 'helper', input, ...project.queue, ...args);
  beforeAll(async () => {
    project.cli = await builtCli();
    project.folder = await project.cli.project({ 'longhaul.config.mjs': cliAgents });
    project.longhaul = await connect({ address: devServerAddress() });
  });
  beforeEach(() => {
    project.queue = ['--task-queue', `cli-${randomUUID()}`];
  });
  afterEach(() => project.cli.killAll());
  afterAll(() => project.longhaul.close());
  return project;
}
