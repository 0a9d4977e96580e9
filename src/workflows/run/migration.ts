// Moves a waiting run of an agent to another definition of this agent. The run continues as new under the new definition.
//
// 1. A refused migration changes nothing. The handler repeats the checks of the validator, because a reset applies updates again without
//    validators, and because people may answer while the definition loads.
// 2. The log has the migration before the run moves. An answer that comes in between still counts under the old definition.
// 3. A child run pins its new definition itself. The runs above keep theirs.
// 4. Open inputs keep their ids, and their votes where the rules of the tool are the same. All others are asked again.

import { defined } from '../../base';
import { RunBudget } from '../../core/budget/budget';
import { isRuledAlike, misfits, readMigration, type Waiting } from '../../core/migration';
import { storeOptions } from '../../core/machine/options';
import { runnerAddress, runnerIdOf } from '../../core/runner-refs';
import {
  type AgentConfig,
  type ChildView,
  limits,
  LonghaulError,
  type MigrateInput,
  type MigrateReply,
  type Migration,
  type PendingInput,
  type RunInput,
  updateNames,
} from '../../protocol';
import { inputSchema } from '../people/input-schema';
import type { Execution } from '../lifecycle/execution';
import { setUpdate } from '../lifecycle/define-handlers';
import type { CarriedProgress, CarriedRun } from './carried-run';
import { type LoadedDefinition, resolveDefinition } from './load';
import { machineOptions } from './machine-options';
import type { RunPosition } from './run-position';

/** An agent's loop moves before its next step, or returns the reasons why it cannot. No other loop moves. */
export type MovingLoop = {
  moveTo(to: LoadedDefinition, note: Migration): readonly string[];
};

/** What of a run with a known definition decides whether it moves. */
type MovingRun = {
  readonly input: RunInput;
  readonly definition: LoadedDefinition;
  readonly budget: RunBudget;
  readonly position: Pick<RunPosition, 'application'>;
  readonly children: { readonly views: readonly ChildView[] };
  /** The definition that the next execution will have. */
  readonly movesTo: LoadedDefinition | undefined;
};

type Moving = {
  /** Undefined until the definition is known. */
  readonly loaded: { readonly run: MovingRun; readonly loop: Partial<MovingLoop> } | undefined;
};

/** The migration that is under way. `loading`: the spec that a worker is about to load. */
export type Migrating = { loading: MigrateInput['runner'] | undefined };

export function setMigrate(moving: Moving, execution: Execution): Readonly<Migrating> {
  const migrating: Migrating = { loading: undefined };
  const check = (request: MigrateInput): Movable =>
    movable(moving, execution, { ...request, isMoving: migrating.loading !== undefined });
  setUpdate<MigrateReply>(execution, updateNames.migrate, {
    take: async (payload) => {
      const request = readMigration(payload);
      const { run } = check(request);
      const clientTools = run.input.clientTools && true;
      migrating.loading = request.runner;
      let to: LoadedDefinition;
      try {
        const address = runnerAddress({ ...run.position.application, runner: request.runner });
        to = await resolveDefinition({ ...address, ...defined({ clientTools }) });
      } finally {
        migrating.loading = undefined;
      }
      const { loop } = check(request);
      const hashes = { from: short(run.definition.hash), to: short(to.hash) };
      if (hashes.from === hashes.to) return hashes;
      const problems = loop.moveTo(to, noteOn(request, hashes));
      if (problems.length > 0) throw refused(problems);
      return hashes;
    },
    check: (payload) => check(readMigration(payload)),
    description: 'Moves the waiting run to another definition of its agent: {runner, note?}',
  });
  return migrating;
}

type Movable = { readonly run: MovingRun; readonly loop: MovingLoop };

/** Throws unless the run can move now. */
function movable(
  { loaded }: Moving,
  { phase, inputs }: Execution,
  { runner, isMoving }: { readonly runner: MigrateInput['runner']; readonly isMoving: boolean },
): Movable {
  if (phase.ended)
    throw new LonghaulError('RunClosed', `the run cannot move: it is ${phase.status}`);
  if (loaded === undefined) throw refused(['it is still loading']);
  const { run, loop } = loaded;
  const { config } = run.definition;
  if (runnerIdOf(runner) !== config.id)
    throw refused([`it is a run of '${config.id}', not of '${runnerIdOf(runner)}'`]);
  const below = run.children.views.filter(({ status }) => status === 'open');
  if (below.length > 0) throw refused([waitsBelow(below)]);
  if (loop.moveTo === undefined)
    throw refused(['only the run of an agent has a definition to move to']);
  if (isMoving || run.movesTo !== undefined) throw refused(['it is already moving']);
  if (inputs.ownPending.length === 0) throw refused(['it does not wait for an answer']);
  return { run, loop: loop as MovingLoop };
}

const short = (hash: string): string => hash.slice(0, limits.hashLength);

function noteOn({ by, note }: MigrateInput, hashes: MigrateReply): Migration {
  return { kind: 'migration', ...hashes, at: new Date().toISOString(), ...defined({ by, note }) };
}

function waitsBelow(below: readonly { readonly workflowId: string }[]): string {
  const [first, ...others] = below.map(({ workflowId }) => `'${workflowId}'`);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `it waits for ${first}${more} below it: move that run`;
}

/** The run stays as it is. */
function refused(problems: readonly string[]): LonghaulError {
  return new LonghaulError('MigrationRefused', `the run stays as it is: ${problems.join('; ')}`, {
    details: { problems },
  });
}

/** Why an agent cannot go on under another definition. Empty if it can. */
export function migrationProblems(
  { definition: from, budget, input }: Pick<MovingRun, 'definition' | 'budget' | 'input'>,
  waiting: Waiting,
  { config, definition }: LoadedDefinition,
): readonly string[] {
  if (config.kind !== 'agent' || definition === undefined)
    return [`'${config.id}' is no agent there`];
  const before = agentOf(from);
  const { maxTurns = Infinity } = machineOptions(config);
  const moved = new RunBudget(config.budget, input.budget);
  moved.restore(budget.carryTo(before.budget, config.budget));
  const isUsedUp = moved.usedUp !== undefined && moved.onExceeded === 'fail';
  return [
    ...misfits(waiting, before, { config, definition, maxTurns }),
    ...(isUsedUp ? ['the run has used up its new budget'] : []),
  ];
}

/** What a run carries, for the definition that it moves to. */
export function movedState<Carried extends Pick<CarriedRun, 'requests' | 'budget'>>(
  carried: Carried,
  { definition: from, budget }: Pick<MovingRun, 'definition' | 'budget'>,
  to: LoadedDefinition,
): Carried & Pick<CarriedRun, 'definition'> {
  const [before, after] = [agentOf(from), agentOf(to)];
  const pending = carried.requests.pending.flatMap((input) =>
    staysOpen(input, before, after) ? [withSchema(input, to)] : [],
  );
  return {
    ...carried,
    definition: to,
    requests: { ...carried.requests, pending },
    budget: budget.carryTo(before.budget, after.budget),
  };
}

/** How far the agent is, for the definition that it moves to. */
export function movedProgress(
  progress: CarriedProgress,
  from: LoadedDefinition,
  to: LoadedDefinition,
): CarriedProgress {
  if (progress.machine === undefined) return progress;
  const [before, after] = [agentOf(from), agentOf(to)];
  const { remembered = [], machine, ...others } = progress;
  const kept = remembered.filter((name) => isRuledAlike(name, before, after));
  const options = storeOptions(machineOptions(after));
  return {
    ...others,
    machine: { ...machine, options },
    ...(kept.length > 0 && { remembered: kept }),
  };
}

/** The start of the next execution. A run below names itself as the one that has its definition. */
export function movedStart(input: RunInput, holder: string, to: LoadedDefinition): RunInput {
  const { definition } = input;
  if (definition === undefined) return input;
  return { ...input, definition: { ...definition, hash: short(to.hash), holder } };
}

function staysOpen({ kind, call }: PendingInput, before: AgentConfig, after: AgentConfig): boolean {
  if (kind === 'question' || kind === 'budget') return true;
  return call !== undefined && isRuledAlike(call.name, before, after);
}

function withSchema(input: PendingInput, { definition, config }: LoadedDefinition): PendingInput {
  if (input.kind !== 'approval' || config.kind !== 'agent') return input;
  const { schema: _old, ...others } = input;
  return { ...others, ...inputSchema(others, config, definition) };
}

function agentOf({ config }: LoadedDefinition): AgentConfig {
  if (config.kind === 'agent') return config;
  throw new LonghaulError('InternalError', `'${config.id}' is no agent`);
}
