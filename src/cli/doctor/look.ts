// What the checks of runs share. A namespace may hold any number of runs, so each check has a limit, and reports when it reached the limit.

import { loadClient } from '../session/load-parts';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';

import { timeouts, whereType } from '../../protocol';
import { clipToWidth, printableLine } from '../render/text';

const atATime = 10;

const pageSize = 200;

export const mostMs = 20_000;

const mostShown = 5;

const longestCause = 300;

/** The part of a query to the server's list that selects Longhaul's workflows. */
export const ofOurs = whereType();

export type Listed = {
  readonly executions: readonly WorkflowExecutionInfo[];
  /** False if there are more. */
  readonly isAll: boolean;
};

/** Lists the newest first. */
export async function listNewest(client: Client, query: string, most: number): Promise<Listed> {
  const executions: WorkflowExecutionInfo[] = [];
  return await client.withDeadline(Date.now() + 2 * timeouts.serverCheck, async () => {
    for await (const execution of client.workflow.list({ query, pageSize })) {
      if (executions.length === most) return { executions, isAll: false };
      executions.push(execution);
    }
    return { executions, isAll: true };
  });
}

export type Looked<Found> = { readonly found: readonly Found[]; readonly looked: number };

/**
 * Looks at the items, ten at once, until the time `until`. An item that is gone counts as looked at. An item that fails does not; if all
 * fail, throws the first error.
 */
export async function lookAtEach<Item, Found>(
  items: readonly Item[],
  until: number,
  look: (item: Item) => Promise<Found | undefined>,
): Promise<Looked<Found>> {
  const found: Found[] = [];
  const refusals: Error[] = [];
  let looked = 0;
  const lookAt = async (item: Item): Promise<void> => {
    try {
      const seen = await look(item);
      if (seen !== undefined) found.push(seen);
      looked += 1;
    } catch (error) {
      if (loadClient().isNotFound(error)) looked += 1;
      else refusals.push(error as Error);
    }
  };
  for (let start = 0; start < items.length && Date.now() < until; start += atATime)
    await Promise.all(items.slice(start, start + atATime).map(lookAt));
  const [refusal] = refusals;
  if (looked === 0 && refusal !== undefined) throw refusal;
  return { found, looked };
}

/** At most `most` findings, and the number of further ones. `cutOff` names the part that the check looked at, if it did not look at all. */
export function summary(found: readonly string[], cutOff?: string, most = mostShown): string {
  const shown = found.slice(0, most);
  const more = found.length > most ? [`and ${found.length - most} more`] : [];
  const list = found.length === 0 ? 'none' : [...shown, ...more].join('; ');
  return cutOff === undefined ? list : `${list} (${cutOff})`;
}

/** Other people's text on one line, cut if it is long. */
export function causeLine(text: string): string {
  return clipToWidth(printableLine(text), longestCause);
}

type CheckStatus = 'ok' | 'warn' | 'fail';

/** The result of one check of `doctor`. `todo` is the advice to the user. */
export type Check = {
  readonly name: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly todo?: string;
};

type Bad = {
  readonly status?: 'warn' | 'fail';
  readonly todo: string;
  /** The part that the check looked at, if it did not look at all. */
  readonly cutOff?: string | undefined;
  /** Shows at most this many. */
  readonly most?: number;
};

/** Ok if nothing was found. */
export function judge(
  found: readonly string[],
  { status = 'warn', todo, cutOff, most }: Bad,
): Omit<Check, 'name'> {
  const message = summary(found, cutOff, most);
  return found.length === 0 ? { status: 'ok', message } : { status, message, todo };
}
