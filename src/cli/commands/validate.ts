import type { Command } from 'commander';
import {
  checkSpec,
  type CodeOptions,
  criteria,
  formatSpecProblem,
  type Registry,
  type SpecCheck,
  specFileSchema,
} from '../../define';
import { findAgentsSource, loadAgents, type LoadedAgents } from '../session/agents';
import { collect, type CommandContext } from '../session/parse-options';
import { exitCodes } from '../exit';
import { printableJson, printableLine } from '../render/text';
import type { Terminal } from '../render/terminal';

type ValidateFlags = {
  readonly overlay: readonly string[];
  readonly agents?: string;
  readonly tools?: string;
  readonly json?: true;
};

export function addValidateCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('validate')
    .summary('check specs')
    .description('Checks a file or a folder of specs, and lists every problem with its place.')
    .argument('<path>', 'a file or a folder')
    .option('--overlay <name>', 'an environment, or a file; may be repeated', collect, [])
    .option(
      '--agents <file>',
      'the file with the tools and other code (default: longhaul.config.*)',
    )
    .option('--tools <file>', 'the same, as `run` and `worker` take it with -f')
    .option('--json', 'print JSON')
    .action(async (path: string, { overlay, json, ...flags }: ValidateFlags) => {
      const registry = (await loadCode(flags))?.registry;
      const check = checkSpec(path, {
        overlays: overlay,
        ...(registry !== undefined && { code: codeOf(registry) }),
      });
      if (json === true) printJson(check, terminal);
      else printLines(check, terminal);
      if (registry === undefined && json !== true) {
        terminal.note('tools and other code were not checked: pass their file with --tools');
      }
      finish(check.problems.length === 0 ? exitCodes.done : exitCodes.failed);
    });
}

async function loadCode({
  agents,
  tools,
}: Pick<ValidateFlags, 'agents' | 'tools'>): Promise<LoadedAgents | undefined> {
  const flags = tools === undefined ? {} : { file: [], tools };
  const source = findAgentsSource(process.cwd(), { ...flags, ...(agents && { agents }) });
  return source && (await loadAgents(source));
}

function printJson({ ids, problems }: SpecCheck, terminal: Terminal): void {
  terminal.print(printableJson({ ok: problems.length === 0, runners: ids, problems }));
}

function printLines({ ids, problems }: SpecCheck, terminal: Terminal): void {
  for (const problem of problems) terminal.print(printableLine(formatSpecProblem(problem)));
  if (problems.length === 0) terminal.print(`ok: ${ids.join(', ')}`);
}

/** All code that a worker for these agents would have. What its specs define is read again. */
function codeOf({ tools, callbacks, criteria: known, mcpServers }: Registry): CodeOptions {
  return {
    tools: tools.values().filter(({ inSpec }) => inSpec !== true),
    callbacks: callbacks.values(),
    criteria: known.names().map((name) => criteria.custom(name, known.get(name) ?? (() => false))),
    mcpServers: mcpServers.values(),
  };
}

export function addSchemaCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('schema')
    .summary('print the JSON Schema of specs')
    .description('Prints the JSON Schema of files of specs, for editors.')
    .action(() => {
      terminal.print(JSON.stringify(specFileSchema(), null, 2));
      finish(exitCodes.done);
    });
}
