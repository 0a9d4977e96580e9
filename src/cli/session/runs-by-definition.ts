import type { Longhaul, RunSummary } from '../../client';
import { timeouts } from '../../protocol/limits';
import { queryNames } from '../../protocol/names';
import type { Definition } from '../../protocol/spec';
import { hashDefinition } from '../../define/definition';
import { isSameDefinition, type Definitions } from '../../define/diff';

/** An open run, and which definition it started with; `unknown` where no worker answers for it. */
export type PinnedRun = RunSummary & {
  readonly definition: 'old' | 'new' | 'other' | 'unknown';
  readonly hash?: string;
};

/** What the `definition` query answers; runs below others have only the hash of their root run's. */
type Pinned = { readonly hash: string; readonly definition?: Definition };

const open = ['loading', 'running', 'needs-input'];
const atOnce = 8;

/** The open runs that started with one of these runners, those below others left out, the newest first. */
export async function runsByDefinition(
  longhaul: Pick<Longhaul, 'runs' | 'client'>,
  ids: readonly string[],
  sides: { readonly before: Definitions; readonly after: Definitions },
): Promise<readonly PinnedRun[]> {
  const found: RunSummary[] = [];
  for await (const run of longhaul.runs({ children: true })) {
    if (ids.includes(run.agent) && open.includes(run.status)) found.push(run);
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

/** By the hash; where code is missing here, or MCP servers listed their tools, by what specs say. */
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
