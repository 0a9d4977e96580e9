import { dirname, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { defaults } from '../../protocol';
import { loadAgents, type LoadedAgents } from '../session/agents';
import { exitCodes, toCliError } from '../exit';
import type { CommandContext } from '../session/parse-options';
import { targetOf } from '../session/connection';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-keeper';
import { installWorkerLog, serveAgents, type ServedAgents } from '../session/serve-agents';
import type { Terminal } from '../render/terminal';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const ownFolder = dirname(dirname(__dirname));

/** The process in which `dev` runs a worker. Each change of the agents gets a new process, so that all modules load again. */
export function addDevWorkerCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('dev-worker', { hidden: true })
    .argument('<start>')
    .action(async (start: string) => {
      // Ctrl-C reaches every process of the terminal. `dev` decides what happens.
      process.on('SIGINT', () => undefined);
      process.once('disconnect', () => process.exit(exitCodes.done));
      finish(await serve(JSON.parse(start) as WorkerStart, terminal));
    });
}

async function serve(start: WorkerStart, terminal: Terminal): Promise<number> {
  const { source, namespace } = start;
  const server = start.server ?? targetOf(start.connection ?? {}).server;
  const loaded = noteLoadedFiles();
  const stop = stopCommand();
  let served: ServedAgents;
  try {
    installWorkerLog((line) => {
      if (!stop.isQuiet()) terminal.note(line);
    }, 'whole');
    const agents = await loadAgents(source);
    const taskQueue = start.taskQueue ?? agents.options.taskQueue ?? defaults.taskQueue;
    const workerOptions = { shutdownGraceTime: '60s' };
    served = await serveAgents({
      agents,
      server,
      namespace,
      taskQueue,
      inlineSpecs: true,
      workerOptions,
    });
    const ids = agents.registry.runners.names();
    const files = [...loaded.files(), ...specFiles(agents)];
    await tell({ kind: 'ready', agents: ids, taskQueue, files });
  } catch (error) {
    await tell({ kind: 'failed', problem: toCliError(error).message, files: loaded.files() });
    return exitCodes.failed;
  } finally {
    loaded.stop();
  }
  await Promise.race([stop.requested, served.ended]);
  await served.stop();
  return exitCodes.done;
}

/** The files of the specs, and their folders: a new file in a folder may belong to the specs. */
function specFiles({ files }: LoadedAgents): readonly string[] {
  const paths = files.map((file) => resolve(file));
  return [...paths, ...paths.map((path) => dirname(path))];
}

function stopCommand(): { readonly requested: Promise<void>; isQuiet(): boolean } {
  let isQuiet = false;
  const requested = new Promise<void>((resolve) => {
    process.on('message', ({ quiet }: WorkerCommand) => {
      isQuiet ||= quiet;
      resolve();
    });
  });
  return { requested, isQuiet: () => isQuiet };
}

async function tell(message: WorkerMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });
}

type LoadedFiles = {
  /** The user's own modules that have loaded since. */
  files(): readonly string[];
  stop(): void;
};

/** Notes which modules load, but not those of packages. Node before 22.15 does not report them: then the list is empty. */
function noteLoadedFiles(): LoadedFiles {
  const { registerHooks } = nodeModule as { registerHooks?: typeof nodeModule.registerHooks };
  const urls = new Set<string>();
  const hooks = registerHooks?.({
    load: (url, context, nextLoad) => {
      urls.add(url);
      return nextLoad(url, context);
    },
  });
  return {
    files: () =>
      [...urls]
        .filter((url) => url.startsWith('file:'))
        .map((url) => fileURLToPath(url))
        .filter(isOwn),
    stop: () => hooks?.deregister(),
  };
}

function isOwn(file: string): boolean {
  return !file.includes(`${sep}node_modules${sep}`) && !file.startsWith(ownFolder + sep);
}
