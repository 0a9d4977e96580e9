import type { Command } from 'commander';
import type { Longhaul, RunSummary } from '../../client';
import {
  type Definitions,
  diffDefinitions,
  type FieldChange,
  hashDefinition,
  isSameDefinition,
  type RunnerChange,
} from '../../define';
import { loadAgents, requireAgentsSource } from '../session/agents';
import { exitCodes, toCliError } from '../exit';
import { collect, type CommandContext } from '../session/parse-options';
import { addConnectionFlags, type ConnectionFlags, openLonghaul } from '../session/connection';
import {
  paintStatus,
  printable,
  printableJson,
  printableLine,
  renderTable,
  type Style,
} from '../render/text';
import type { Terminal } from '../render/terminal';
import { age, defined, type Json } from '../../base';
import { type Definition, queryNames, timeouts } from '../../protocol';

const openStatuses = ['loading', 'running', 'needs-input'];

const atOnce = 8;

const looks = { added: 'green', removed: 'red', changed: 'yellow', affected: 'dim' } as const;

const verbWidth = 'affected  '.length;

type DiffFlags = ConnectionFlags & {
  readonly tools?: string;
  readonly overlay?: readonly string[];
  /** False with `--no-runs`. */
  readonly runs: boolean;
};

type Side = { readonly definitions: Definitions; readonly missing: readonly string[] };

/** Connects to the server that the flags name. Tests give their own function. */
type Open = (flags: ConnectionFlags) => Promise<Pick<Longhaul, 'runs' | 'client' | 'close'>>;

export function addDiffCommand(spec: Command, { terminal, finish }: CommandContext): void {
  const command = spec
    .command('diff')
    .summary('compare two specs, and find runs that use the old one')
    .description(
      'Says what changes between two specs, runner by runner, and which open runs started with the old definition. Exits 1 if anything ' +
        'differs.',
    )
    .argument('<old>', 'a file or a folder')
    .argument('<new>', 'a file or a folder')
    .option('--tools <file>', 'module with the code that the specs name')
    .option('--overlay <name>', 'changes of both for an environment; may be repeated', collect)
    .option('--no-runs', 'compare only, without asking a server')
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (old: string, fresh: string, flags: DiffFlags) => {
    finish(await diff([old, fresh], flags, { terminal, open: openLonghaul }));
  });
}

export async function diff(
  [old, fresh]: readonly [string, string],
  flags: DiffFlags,
  { terminal, open }: { readonly terminal: Terminal; readonly open: Open },
): Promise<number> {
  const [before, after] = [await load(old, flags), await load(fresh, flags)];
  const changes = diffDefinitions(before.definitions, after.definitions);
  const missing = [...new Set([...before.missing, ...after.missing])];
  const found: FoundRuns =
    flags.runs && changes.length > 0
      ? await findRuns(changes, { before, after }, () => open(flags))
      : { runs: undefined };
  if (flags.json === true)
    terminal.print(printableJson({ ...toJson(changes, before, after), ...found, missing }));
  else print(changes, { ...found, missing }, terminal);
  return changes.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function load(path: string, { tools, overlay }: DiffFlags): Promise<Side> {
  const flags = { file: [path], ...defined({ tools, overlay }) };
  const source = requireAgentsSource(process.cwd(), flags);
  const { registry, missing } = await loadAgents(source, { stubs: true });
  const ids = registry.runners.names();
  return { definitions: new Map(ids.map((id) => [id, registry.definition(id)])), missing };
}

type FoundRuns = { readonly runs: readonly PinnedRun[] | undefined; readonly noRuns?: string };

/** The command shows the differences even without a server. */
async function findRuns(
  changes: readonly RunnerChange[],
  { before, after }: { readonly before: Side; readonly after: Side },
  open: () => ReturnType<Open>,
): Promise<FoundRuns> {
  const ids = changes.flatMap(({ runner, change }) => (change === 'added' ? [] : [runner]));
  if (ids.length === 0) return { runs: [] };
  try {
    const longhaul = await open();
    const sides = { before: before.definitions, after: after.definitions };
    const runs = await runsByDefinition(longhaul, ids, sides);
    await longhaul.close();
    return { runs };
  } catch (error) {
    return { runs: undefined, noRuns: toCliError(error).message };
  }
}

function toJson(changes: readonly RunnerChange[], before: Side, after: Side): object {
  const hashIn = ({ definitions }: Side, id: string) => {
    const definition = definitions.get(id);
    return definition && hashDefinition(definition);
  };
  return {
    same: changes.length === 0,
    changes: changes.map((change) => ({
      ...change,
      oldHash: hashIn(before, change.runner),
      newHash: hashIn(after, change.runner),
    })),
  };
}

function print(
  changes: readonly RunnerChange[],
  { runs, noRuns, missing }: FoundRuns & { readonly missing: readonly string[] },
  terminal: Terminal,
): void {
  const { style, width } = terminal;
  if (changes.length === 0) terminal.print('no difference');
  for (const { runner, kind, change, fields, through } of changes) {
    const by = through.length === 0 ? '' : `, through ${through.join(', ')}`;
    terminal.print(`${style[looks[change]](change.padEnd(verbWidth))}${kind} ${runner}${by}`);
    for (const field of fields) for (const line of renderField(field, style)) terminal.print(line);
  }
  if (missing.length > 0)
    terminal.note(`note: did not compare the code of ${missing.join(', ')}: name it with --tools`);
  if (noRuns !== undefined) terminal.note(`note: did not look for open runs: ${noRuns}`);
  if (runs === undefined) return;
  const old = runs.filter(({ definition }) => definition === 'old').length;
  const others = runs.length - old;
  const another = others > 0 ? `, with another: ${others}` : '';
  terminal.print('');
  terminal.print(`open runs with the old definition: ${old}${another}`);
  const now = new Date();
  const rows = runs.map(({ workflowId, agent, definition, status, startTime }) => [
    workflowId,
    printableLine(agent),
    definition,
    { text: status, paint: () => paintStatus(status, style) },
    age(new Date(startTime), now),
  ]);
  const header = ['RUN', 'AGENT', 'DEFINITION', 'STATUS', 'AGE'];
  for (const line of renderTable(header, rows, { style, width })) terminal.print(line);
}

/** A changed field with its old and its new value. */
function renderField({ path, old, new: fresh }: FieldChange, style: Style): readonly string[] {
  const lines = (sign: string, value: Json | undefined): readonly string[] => {
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return printable(text)
      .split('\n')
      .map((line) => `    ${sign} ${line}`);
  };
  return [
    `  ${printableLine(path)}`,
    ...lines('-', old).map(style.red),
    ...lines('+', fresh).map(style.green),
  ];
}

/** An open run and the definition it started with; `unknown` if no worker answers. */
export type PinnedRun = RunSummary & {
  readonly definition: 'old' | 'new' | 'other' | 'unknown';
  readonly hash?: string;
};

/** The answer to the `definition` query. Child runs have only the hash of their root run's definition. */
type Pinned = { readonly hash: string; readonly definition?: Definition };

/** The open root runs of these runners, the newest first. */
export async function runsByDefinition(
  longhaul: Pick<Longhaul, 'runs' | 'client'>,
  ids: readonly string[],
  sides: { readonly before: Definitions; readonly after: Definitions },
): Promise<readonly PinnedRun[]> {
  const found: RunSummary[] = [];
  for await (const run of longhaul.runs({ children: true })) {
    if (ids.includes(run.agent) && openStatuses.includes(run.status)) found.push(run);
  }
  const pinned: PinnedRun[] = [];
  for (let next = 0; next < found.length; next += atOnce) {
    const asked = found.slice(next, next + atOnce).map(async (run) => {
      const answer = await askDefinition(longhaul, run.workflowId);
      return answer === 'below' ? [] : [{ ...run, ...classify(run.agent, answer, sides) }];
    });
    pinned.push(...(await Promise.all(asked)).flat());
  }
  return pinned;
}

async function askDefinition(
  { client }: Pick<Longhaul, 'client'>,
  workflowId: string,
): Promise<Required<Pinned> | 'below' | undefined> {
  try {
    const answer = await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.workflow.getHandle(workflowId).query<Pinned | undefined>(queryNames.definition),
    );
    if (answer === undefined || answer === null) return undefined;
    const { hash, definition } = answer;
    return definition === undefined ? 'below' : { hash, definition };
  } catch {
    return undefined;
  }
}

/** Compares the hash. If code is missing here, or MCP servers listed their tools, it compares the specs. */
function classify(
  id: string,
  pinned: Required<Pinned> | undefined,
  { before, after }: { readonly before: Definitions; readonly after: Definitions },
): Pick<PinnedRun, 'definition' | 'hash'> {
  if (pinned === undefined) return { definition: 'unknown' };
  const { hash } = pinned;
  const isSame = (definition: Definition | undefined): boolean =>
    definition !== undefined &&
    (hashDefinition(definition) === hash || isSameDefinition(definition, pinned.definition));
  if (isSame(after.get(id))) return { definition: 'new', hash };
  return { definition: isSame(before.get(id)) ? 'old' : 'other', hash };
}
