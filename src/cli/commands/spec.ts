import type { Command } from 'commander';
import { defined } from '../../base';
import {
  checkSpec,
  type CodeOptions,
  criteria,
  formatSpecProblem,
  type Registry,
  specFileSchema,
} from '../../define';
import { findAgentsSource, loadAgents } from '../session/agents';
import { collect, type CommandContext } from '../session/parse-options';
import { exitCodes } from '../exit';
import { printableJson, printableLine } from '../render/text';
import { addDiffCommand } from './spec-diff';

type CheckFlags = {
  readonly overlay: readonly string[];
  readonly agents?: string;
  readonly tools?: string;
  readonly json?: boolean;
};

export function addSpecCommand(program: Command, context: CommandContext): void {
  const spec = program
    .command('spec')
    .summary('check or compare specs, or print their schema')
    .description('Checks and compares agents and workflows in YAML or JSON.');
  addCheckCommand(spec, context);
  addDiffCommand(spec, context);
  spec
    .command('schema')
    .summary('print the JSON Schema of specs')
    .description('Prints the JSON Schema of files of specs, for editors.')
    .action(() => {
      context.terminal.print(JSON.stringify(specFileSchema(), null, 2));
      context.finish(exitCodes.done);
    });
}

function addCheckCommand(spec: Command, { terminal, finish }: CommandContext): void {
  spec
    .command('check')
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
    .action(async (path: string, { overlay, json = false, agents, tools }: CheckFlags) => {
      const file = tools === undefined ? undefined : [];
      const source = findAgentsSource(process.cwd(), defined({ file, tools, agents }));
      const registry = source && (await loadAgents(source)).registry;
      const code = registry && codeOf(registry);
      const { ids, problems } = checkSpec(path, { overlays: overlay, ...defined({ code }) });
      const ok = problems.length === 0;
      if (json) terminal.print(printableJson({ ok, runners: ids, problems }));
      else {
        for (const problem of problems) terminal.print(printableLine(formatSpecProblem(problem)));
        if (ok) terminal.print(`ok: ${ids.join(', ')}`);
        if (registry === undefined)
          terminal.note('tools and other code were not checked: pass their file with --tools');
      }
      finish(ok ? exitCodes.done : exitCodes.failed);
    });
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
