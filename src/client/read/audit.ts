// Who decided what: the starts, verdicts, messages, migrations and cancellations of a run and of all runs below it, from their logs and histories.
//
// 1. It misses nothing in silence: what cannot be read is an entry, too.
// 2. A thread's audit is that of its turns. After a reset, verdicts that it undid are gone.

import type { Client } from '@temporalio/client';
import { defined, grpcStatus, isJsonObject } from '../../base';
import { type AuditedAct, auditLog } from '../../core/transcript/audit-log';
import {
  type Actor,
  hasCode,
  limits,
  queryNames,
  type RunInput,
  threadType,
  type TurnsQuery,
  type TurnView,
} from '../../protocol';
import { placeOf } from '../../server';
import { inTime, limited } from '../server/calls';
import { asLonghaulError, hasGrpcStatus, isNotFound } from '../server/failures';
import { decode } from '../timeline/payloads';
import { type Step, stepsOf } from '../timeline/steps';
import { type RunTree, TreeReader } from './run-tree';
import { memoOf, type ReadOptions, RunView } from './run-view';
import { hasWorker } from '../server/workers';

/** Somebody asked for the run. */
type AuditedStart = { readonly kind: 'start'; readonly by?: Actor };

/** Of the actor, the server keeps only the id. `note` is the reason. */
type AuditedCancel = {
  readonly kind: 'cancel';
  readonly by?: Actor;
  readonly note?: string;
  readonly at: string;
};

/** What the audit could not read. */
type AuditGap = { readonly kind: 'gap'; readonly note: string };

type Audited = AuditedStart | AuditedAct | AuditedCancel | AuditGap;

/** One thing that somebody did to a run. */
export type AuditEntry = Audited & {
  /** ISO 8601. A gap has the time of the start. */
  readonly at: string;
  readonly workflowId: string;
  readonly path: string;
  readonly agent: string;
  readonly by?: Actor;
  /** The beginning of the hash of the definition that the run pinned. */
  readonly definition?: string;
};

type Started = Pick<Step<'begin'>, 'at' | 'runId' | 'firstRunId'> & { readonly input: RunInput };

const noTime = new Date(0).toISOString();

/** Runs to read at once. */
const atATime = 4;

/** Oldest first. Throws `RunNotFound`. */
export async function readAudit(
  client: Client,
  workflowId: string,
  options: ReadOptions,
): Promise<readonly AuditEntry[]> {
  try {
    const place = placeOf(await new RunView(client, workflowId).describe());
    const isServed = options.withoutWorker !== true && (await hasWorker(client, place));
    return await new AuditReader(client, { withoutWorker: !isServed }).read(workflowId);
  } catch (error) {
    throw asLonghaulError(error);
  }
}

class AuditReader {
  readonly #client: Client;
  readonly #options: ReadOptions;
  readonly #limited = limited(atATime);

  constructor(client: Client, options: ReadOptions) {
    this.#client = client;
    this.#options = options;
  }

  async read(workflowId: string): Promise<readonly AuditEntry[]> {
    const { type, startTime } = await this.#view(workflowId).describe();
    const found =
      type === threadType
        ? await this.#thread(workflowId, startTime.toISOString())
        : await this.#runs(workflowId);
    return found.sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
  }

  async #thread(threadId: string, since: string): Promise<AuditEntry[]> {
    const { ids, isWhole } = await this.#turns(threadId);
    const place = { at: since, workflowId: threadId, path: '', agent: '' };
    const note = 'the server cannot list the turns: only the newest are here';
    const gaps: AuditEntry[] = isWhole ? [] : [{ ...place, kind: 'gap', note }];
    const turns = await Promise.all(ids.map((id) => this.#runs(id).catch(noRun)));
    return [...gaps, ...turns.flat()];
  }

  /** The thread knows its newest turns at once. The server lists all of them, about a second later. */
  async #turns(threadId: string): Promise<{ ids: readonly string[]; isWhole: boolean }> {
    const newest = await this.#newestTurns(threadId);
    const ids = new Set(newest);
    const query = `RootWorkflowId = '${threadId.replaceAll("'", "''")}'`;
    try {
      for await (const { workflowId, parentExecution } of this.#client.workflow.list({ query }))
        if (parentExecution?.workflowId === threadId) ids.add(workflowId);
      return { ids: [...ids], isWhole: true };
    } catch (error) {
      if (!hasGrpcStatus(error, grpcStatus.invalidArgument)) throw error;
      return { ids: newest, isWhole: newest.length > 0 && newest.length < limits.turnsPage };
    }
  }

  async #newestTurns(threadId: string): Promise<readonly string[]> {
    if (this.#options.withoutWorker === true) return [];
    const thread = this.#client.workflow.getHandle(threadId);
    const ask = () => thread.query<readonly TurnView[], [TurnsQuery]>(queryNames.turns, {});
    try {
      return (await inTime(this.#client, ask)).map(({ workflowId }) => workflowId);
    } catch {
      return [];
    }
  }

  /** A run and the runs below it. They share the definition that the root run pinned. */
  async #runs(workflowId: string): Promise<AuditEntry[]> {
    const tree = await new TreeReader(this.#client, this.#options).read(workflowId);
    const start = await this.#start(workflowId);
    const pinned = start?.input.definition?.hash ?? (await this.#view(workflowId).definitionHash());
    const shared = { hash: pinned?.slice(0, limits.hashLength), since: start?.at ?? noTime };
    const runs = await Promise.all(
      flat(tree).map((run) => this.#limited(() => this.#run(run, shared))),
    );
    return runs.flat();
  }

  async #run(
    run: RunTree,
    { hash, since }: { readonly hash: string | undefined; readonly since: string },
  ): Promise<readonly AuditEntry[]> {
    const { workflowId, path, runner } = run;
    const place = {
      workflowId,
      path,
      agent: runner,
      ...defined({ definition: hash }),
    };
    const start = await this.#start(workflowId);
    if (start === undefined) {
      if (run.status === 'loading') return [];
      const note = 'the server has deleted this run';
      return [{ ...place, at: since, kind: 'gap', note }];
    }
    const { at, input } = start;
    const began: Audited = { kind: 'start', ...defined({ by: input.by }) };
    const isRoot = input.lineage === undefined;
    const view = this.#view(workflowId);
    const { entries, isWhole } = await view.read();
    const note = 'no worker answered: what people decided is missing';
    const gaps: Audited[] = isWhole ? [] : [{ kind: 'gap', note }];
    const found: Audited[] = [
      ...(isRoot ? [began] : []),
      ...gaps,
      ...auditLog(entries),
      ...(run.status === 'cancelled' ? await cancellation(view) : []),
    ];
    return found.map((entry) => ({ ...place, at, ...entry }));
  }

  /** When the first execution started, and with what. Undefined if the server has deleted the run. */
  async #start(workflowId: string): Promise<Started | undefined> {
    const newest = await this.#started(workflowId);
    const first = newest?.firstRunId;
    if (first === undefined || first === newest?.runId) return newest;
    return (await this.#started(workflowId, first)) ?? newest;
  }

  async #started(workflowId: string, runId?: string): Promise<Started | undefined> {
    const execution = { workflowId, ...defined({ runId }) };
    try {
      for await (const step of stepsOf(this.#client, execution, 1)) {
        if (step.kind !== 'begin') break;
        const given = await decode(this.#client, step.input);
        const input = (isJsonObject(given) ? given : {}) as unknown as RunInput;
        return { ...step, input };
      }
      return undefined;
    } catch (error) {
      if (isNotFound(error) || hasGrpcStatus(error, grpcStatus.notFound)) return undefined;
      throw error;
    }
  }

  #view(workflowId: string): RunView {
    return new RunView(this.#client, workflowId, this.#options);
  }
}

async function cancellation(view: RunView): Promise<AuditedCancel[]> {
  const execution = await view.describe();
  const { reason, by } = memoOf(execution);
  if (reason === undefined && by === undefined) return [];
  const at = (execution.closeTime ?? new Date()).toISOString();
  return [
    {
      kind: 'cancel',
      at,
      ...(by !== undefined && { by: { id: by } }),
      ...(reason && { note: reason }),
    },
  ];
}

const flat = (tree: RunTree): readonly RunTree[] => [tree, ...tree.children.flatMap(flat)];

/** A turn that waits has no run yet. */
function noRun(error: unknown): AuditEntry[] {
  if (hasCode(error, 'RunNotFound')) return [];
  throw error;
}
