// What was seen, compared with what was expected, as a table: case × order.
import { cases, type Case } from './cases.mts';
import type { Seen, VersionOrder } from './order.mts';

type Cell = { readonly text: string; readonly isWrong: boolean };

export class Table {
  readonly #previous: string;
  readonly #columns = new Map<VersionOrder, ReadonlyMap<Case, Cell>>();
  /** The logs of the first order. */
  readonly #logs = new Map<Case, string>();
  problems = 0;

  /** `previous`: the commit of the previous version. */
  constructor(previous: string) {
    this.#previous = previous;
  }

  /** Returns what is wrong. */
  add(order: VersionOrder, seen: ReadonlyMap<Case, Seen>): readonly string[] {
    const isFirst = this.#columns.size === 0;
    const wrong: string[] = [];
    const column = new Map<Case, Cell>();
    for (const [of, facts] of seen) {
      if (isFirst) this.#logs.set(of, logOf(facts));
      const problem = this.#problemOf(of, facts, order.waits?.(of));
      column.set(of, { text: problem ?? shown(facts), isWrong: problem !== undefined });
      if (problem !== undefined) wrong.push(`${of.title}: ${problem} ${facts.troubles.join(' ')}`);
    }
    this.#columns.set(order, column);
    this.problems += wrong.length;
    return wrong;
  }

  #problemOf(of: Case, seen: Seen, waits: string | undefined): string | undefined {
    const { failed, text, effects, log, waited } = seen;
    if (failed !== undefined) return failed;
    const isSaid = text?.replaceAll(/order-\d+-case-\d+/g, '#') === of.text;
    if (!isSaid) return `it said '${text}'`;
    const expected = of.effects.toSorted().join(', ');
    if (effects.join(', ') !== expected) return `tools did ${effects.join(', ')}`;
    if (waited !== waits) return `it waited for ${waited}, not for ${waits}`;
    if (logOf(seen) !== this.#logs.get(of)) return `its log is ${String(log)}`;
    return undefined;
  }

  text(): string {
    const orders = [...this.#columns.keys()];
    const head = ['', ...orders.map(({ title }) => title)];
    const body = cases.map((of) => [
      of.title,
      ...orders.map((order) => cellText(this.#columns.get(order)?.get(of))),
    ]);
    return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
  }

  page(): string {
    return `${pageHead(this.#previous)}\n\n${this.text()}\n`;
  }
}

/** Calls of one turn end in any order. */
function logOf({ log }: Seen): string {
  return String(log).replace(/\w+ result(,\w+ result)+/g, (results) =>
    results.split(',').toSorted().join(','),
  );
}

function shown({ waited, troubles }: Seen): string {
  if (waited !== undefined) return `waited (${waited}), then ended`;
  return troubles.length > 0 ? 'ended; a call was made again' : 'ended';
}

function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  const text = cell.text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 300);
  return cell.isWrong ? `**${text}**` : text;
}

const pageHead = (previous: string): string => `# Upgrades and rollbacks

Written by \`npm run upgrades\`. Each run and conversation is begun with the first version and ended with the second, on one task queue of one Temporal
server. Workers and clients are processes of their own, from the builds of their versions.

- previous: commit ${previous}, with which the contract was frozen.
- this: the working tree.
- next: this one with a new field in every form that is stored or sent, and with one more command after an answer, behind \`patched()\`.
- next format: next, with a raised format of everything that is carried through continue-as-new, and a new member in the start of a run below another.
- A → B: the workers of A are shut down or killed, then those of B start.
- A with B: workers of both poll all the time. Except with the next format, they keep no workflow in memory, so each task of a run may go to either.

*ended*: with the right last answer, the same log as undisturbed (a conversation: each message in its store), and each effect of a tool once. *waited*: the
worker of the second version failed the workflow task, and \`waitsFor\` of the run's state was \`deploy\` with this cause. Then workers of the first
version came back, and the run ended as above. *a call was made again*: a client's call was refused while the run waited for the other version.`;
