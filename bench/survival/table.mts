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

/** What it comes to, for the README. The first three columns are of the restart. */
export function markTable(results: readonly Result[]): string {
  const head = [
    '',
    'refund once',
    'right amount',
    'goes on',
    'after a new schema',
    'after an upgrade',
  ];
  const body = results.map(({ system, facts }) => {
    const { restart, changed, upgraded } = facts;
    const first = [isOnce, isRight, isOver].map((test) => (restart && test(restart) ? '✓' : '✗'));
    return [titleOf(system), ...first, fateOf(changed), fateOf(upgraded)];
  });
  return tableOf(head, body);
}

/** The parts of the version that say something: `LangGraph.js 1.7.3`. Longhaul's is a commit. */
function titleOf(system: System): string {
  const version = Object.values(system.to)[0] ?? '';
  return system.script === 'longhaul'
    ? system.title
    : `${system.title} ${version.replace(/\.0$/, '')}`;
}

const isOnce = ({ calls }: Facts): boolean => calls.length === 1;
const isOver = ({ ended }: Facts): boolean => ended !== undefined;

/** 80 euros. */
function isRight({ calls }: Facts): boolean {
  const [args] = calls.map(
    (call) => call.args as { readonly amount?: number; readonly cents?: number },
  );
  return args?.amount === 80 || args?.cents === 8_000;
}

function fateOf(fact: Facts | undefined): string {
  if (fact === undefined || !fact.parked) return 'not run';
  if (!isOver(fact)) return 'lost';
  if (fact.calls.length === 0) return 'goes on';
  return isOnce(fact) && isRight(fact) ? '✓' : '✗';
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
  const told = fact.outdated === undefined ? '' : 'The approver was told. ';
  return `${told}refund ${toolOf(fact)}. Next request: ${requestsOf(fact)}. ${end}`;
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

function endOf({ parked, ended, failed, outdated }: Facts): string {
  if (!parked) return cell(`it did not wait: ${failed}`);
  const before =
    outdated === undefined ? '' : `Before the approval, \`outdated\` said: "${outdated}". `;
  return cell(before + (ended ?? `**no end**: ${failed}`));
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
