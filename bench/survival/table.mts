// Facts as tables for RESULTS.md: a line per system, and all of them.
import type { System } from './installs.mts';
import type { Facts } from './trial.mts';

export const cases = {
  restart: 'restarted',
  changed: 'new prompt and schema',
  upgraded: 'new prompt and schema, package upgraded',
} as const;
export type Case = keyof typeof cases;
export type Result = {
  readonly system: System;
  /** Why there are no facts. */
  readonly problem?: string;
  readonly facts: Partial<Record<Case, Facts>>;
};

export function fullTable(results: readonly Result[]): string {
  const head = ['system', 'what changed', 'requests after the approval', 'refund', 'end', 's'];
  const body = results.flatMap(({ system, facts, problem }) => {
    if (problem !== undefined) return [[system.title, 'not run', '', '', cell(problem), '']];
    return Object.entries(facts).map(([name, fact]) => [
      system.title,
      cases[name as Case],
      requestsOf(fact),
      toolOf(fact),
      endOf(fact),
      `${fact.seconds ?? ''}`,
    ]);
  });
  return tableOf(head, body);
}

export function shortTable(results: readonly Result[]): string {
  const head = ['system', 'version', ...Object.values(cases)];
  const body = results.map(({ system, facts, problem }) => [
    system.title,
    versionsOf(system),
    ...Object.keys(cases).map((name) => {
      const fact = facts[name as Case];
      return fact === undefined ? cell(`not run: ${problem}`) : summaryOf(fact);
    }),
  ]);
  return tableOf(head, body);
}

export function versionTable(results: readonly Result[]): string {
  const list = (packages: object): string =>
    Object.entries(packages)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ');
  const body = results.map(({ system }) => [
    system.title,
    list(system.from),
    list(system.to),
    list(system.both),
    system.storeTitle,
  ]);
  return tableOf(['system', 'before', 'after', 'with', 'store'], body);
}

function versionsOf({ from, to }: System): string {
  return `${Object.values(from)[0]} → ${Object.values(to)[0]}`;
}

function summaryOf(fact: Facts): string {
  if (!fact.parked) return `it did not wait: ${shortened(fact.failed ?? '')}`;
  const end =
    fact.ended === undefined ? `**No end**: ${shortened(fact.failed ?? '')}` : 'It ended.';
  return `refund ${toolOf(fact)}. Next request: ${requestsOf(fact)}. ${end}`;
}

function requestsOf({ requests }: Facts): string {
  const each = requests.map(
    ({ prompt = 'no', schema = 'no' }) => `${prompt} prompt, ${schema} schema`,
  );
  return each.join('; ') || 'none';
}

function toolOf({ calls }: Facts): string {
  if (calls.length === 0) return 'did not run';
  const each = calls.map(({ code, args }) => `${code} code with \`${JSON.stringify(args)}\``);
  return `ran ${calls.length === 1 ? 'once' : `${calls.length} times`}: ${each.join('; ')}`;
}

function endOf({ parked, ended, failed }: Facts): string {
  if (!parked) return cell(`it did not wait: ${failed}`);
  return cell(ended ?? `**no end**: ${failed}`);
}

function shortened(text: string): string {
  const whole = cell(text);
  return whole.length > 120 ? `${whole.slice(0, 120)} …` : whole;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
}

function tableOf(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [head, head.map(() => '---'), ...body];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
