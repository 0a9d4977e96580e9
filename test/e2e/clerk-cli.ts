import { randomUUID } from 'node:crypto';
import { connect, type Longhaul } from '../../src/client';
import { devServerAddress } from '../servers';
import { builtCli, type BuiltCli, type Finished } from './built-cli';
import { cliAgents } from './cli-agents';

/** The command line in a folder with the clerk and his colleagues, and a client of the same server. */
export type ClerkCli = {
  readonly cli: BuiltCli;
  readonly project: string;
  readonly longhaul: Longhaul;
  /** Flags that name this test's own task queue. */
  readonly queue: readonly string[];
  run(...args: readonly string[]): Promise<Finished>;
  /** `longhaul run clerk`, on the test's queue. */
  runAgent(input: string, ...args: readonly string[]): Promise<Finished>;
};

/** Is there from the first test of this `describe` on. */
export function useClerkCli(): ClerkCli {
  const clerk = { queue: [] as readonly string[] } as {
    -readonly [Key in keyof ClerkCli]: ClerkCli[Key];
  };
  clerk.run = (...args) => clerk.cli.run(args, { cwd: clerk.project });
  clerk.runAgent = (input, ...args) => clerk.run('run', 'clerk', input, ...clerk.queue, ...args);
  beforeAll(async () => {
    clerk.cli = await builtCli();
    clerk.project = await clerk.cli.project({ 'longhaul.config.mjs': cliAgents });
    clerk.longhaul = await connect({ address: devServerAddress() });
  });
  beforeEach(() => {
    clerk.queue = ['--task-queue', `cli-${randomUUID()}`];
  });
  afterEach(() => clerk.cli.killAll());
  afterAll(() => clerk.longhaul.close());
  return clerk;
}
