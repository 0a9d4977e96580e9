// Reads from the log of a run what people did: verdicts with their calls, messages, and moves to other definitions. Pure.
//
// 1. A verdict is in the log before its effect, so the open call still has the arguments that the person saw.
// 2. Texts are cut, because the log has all of them.

import { clipText, defined, type JsonObject, textOfParts } from '../../base';
import { limits } from '../../protocol/limits';
import type { LogEntry, Migration, ToolResultEvent } from '../../protocol/log';
import type { ToolResult } from '../../protocol/message';
import type { Actor, Verdict } from '../../protocol/people';
import { Transcript } from './transcript';

/** The kind of input, by the first letter of its id. */
const inputKinds = { a: 'approval', q: 'question', t: 'tool', b: 'budget' } as const;

type InputKind = (typeof inputKinds)[keyof typeof inputKinds];

/** An id has the turn and the index of the call. Further approvals of an edited call have a number behind. */
const callIdPattern = /^[aqt](\d+)\.(\d+)(?:-\d+)?$/;

export type AuditedVerdict = Omit<Verdict, 'args'> & {
  readonly input?: InputKind;
  readonly tool?: string;
  /** The arguments of the call when the person decided. */
  readonly args?: JsonObject;
  /** The arguments that the person put in their place. */
  readonly edited?: JsonObject;
  /** What the model got: the answer, the result or the reason. At most 2 KiB. */
  readonly told?: string;
  /** The approved call had arguments of an earlier version. The tool ran with these, as JSON text of at most 2 KiB. */
  readonly upgraded?: string;
};

/** A message to the run while it worked. */
export type AuditedMessage = {
  readonly kind: 'message';
  readonly text: string;
  readonly by?: Actor;
  readonly at: string;
};

/** What people did. `migration`: the run moved to another definition. */
export type AuditedAct = AuditedVerdict | AuditedMessage | Migration;

export function auditLog(entries: readonly LogEntry[]): readonly AuditedAct[] {
  const transcript = new Transcript();
  const found: AuditedAct[] = [];
  const results = resultsByCall(entries);
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'decision' && entry.decision.kind === 'verdict') {
      const place = placeOf(entry.decision.inputId);
      const result = place && results.get(keyOf(place));
      const told = place ? result && clipped(result.result.content) : nextUser(entries, index);
      found.push(audited(entry.decision, transcript, { told, upgraded: result?.upgraded }));
    } else if (entry.kind === 'decision' && entry.decision.kind === 'migration') {
      found.push(entry.decision);
    } else if (entry.kind === 'user' && entry.at !== undefined) {
      const { by, at } = entry;
      found.push({ kind: 'message', text: clipped(entry.message.parts), ...defined({ by }), at });
    }
    transcript.apply(entry);
  }
  return found;
}

function audited(
  { args: edited, ...verdict }: Verdict,
  transcript: Transcript,
  { told, upgraded }: { readonly told: string | undefined; readonly upgraded: string | undefined },
): AuditedVerdict {
  const { inputId, verdict: kind } = verdict;
  const place = placeOf(inputId);
  const call =
    place?.turn === transcript.turns ? transcript.openCalls[place.index]?.call : undefined;
  const isTold = kind !== 'approve' && kind !== 'edit';
  return {
    ...verdict,
    ...defined({
      input: inputKinds[inputId.charAt(0) as keyof typeof inputKinds],
      tool: call?.name,
      args: call?.args ?? undefined,
      edited,
      told: isTold ? told : undefined,
      upgraded: isTold || upgraded === undefined ? undefined : clipText(upgraded, limits.note),
    }),
  };
}

/** The turn and index of the call that an input is about. Undefined for other inputs. */
function placeOf(inputId: string): { turn: number; index: number } | undefined {
  const [, turn, index] = callIdPattern.exec(inputId) ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), index: Number(index) };
}

const keyOf = ({ turn, index }: Pick<ToolResult, 'turn' | 'index'>): string => `${turn}.${index}`;

function resultsByCall(entries: readonly LogEntry[]): ReadonlyMap<string, ToolResultEvent> {
  const results = entries.flatMap((entry) => (entry.kind === 'tool-result' ? [entry] : []));
  return new Map(results.map((entry) => [keyOf(entry.result), entry]));
}

/** The answer to a question that was no call. */
function nextUser(entries: readonly LogEntry[], after: number): string | undefined {
  const next = entries[after + 1];
  return next?.kind === 'user' ? clipped(next.message.parts) : undefined;
}

const clipped = (parts: Parameters<typeof textOfParts>[0]): string =>
  clipText(textOfParts(parts, '\n'), limits.note);
