import type { AuditEntry, RunHandle } from 'longhaul/client';
import type { Screen } from './screen.mts';

/** Who did what to a run: what `longhaul show --audit` prints as JSON Lines. */
export async function tellAudit(run: RunHandle, screen: Screen): Promise<void> {
  for (const entry of await run.audit()) {
    const who = `${entry.at} ${entry.by?.id ?? 'nobody'}`;
    screen.line('audit', `${who}: ${entry.kind === 'verdict' ? decided(entry) : entry.kind}`);
  }
}

type Decided = Extract<AuditEntry, { kind: 'verdict' }>;

function decided({ verdict, tool, args, edited, note, isVote }: Decided): string {
  const change = edited && `changed to ${JSON.stringify(edited)}`;
  const remark = note && `(${note})`;
  const vote = isVote && 'as one of several';
  return [verdict, tool, JSON.stringify(args), change, vote, remark].filter(Boolean).join(' ');
}
