import type { InboxItem } from '../../client';
import { printableLine } from './printable';
import { age } from './render-list';
import { callLine } from './render-parts';
import type { CommandLine } from './render-pending';
import { renderTable, type TableOptions } from './table';

export type RenderInboxOptions = TableOptions & {
  readonly now: Date;
  readonly command: CommandLine;
};

const header = ['RUN', 'INPUT', 'PATH', 'KIND', 'AGE', 'QUESTION'];

/** A line per input, with its question as far as there is room, and below how inputs of these kinds are answered. */
export function renderInbox(
  items: readonly InboxItem[],
  { style, width, now, command }: RenderInboxOptions,
): readonly string[] {
  if (items.length === 0) return [];
  const rows = items.map((item) => [
    printableLine(item.runId),
    printableLine(item.inputId),
    printableLine(item.path),
    item.kind,
    age(new Date(item.since), now),
    asked(item),
  ]);
  return [...renderTable(header, rows, { style, width }), '', ...howToAnswer(items, command)];
}

/** Of an approval the call says more than the question. */
function asked({ kind, question, call }: InboxItem): string {
  const text = printableLine(question);
  return kind === 'approval' && call !== undefined ? `${text} ${callLine(call)}` : text;
}

/** For one item as it is; for several with the names of the columns in place of what to fill in. */
function howToAnswer(items: readonly InboxItem[], command: CommandLine): readonly string[] {
  const [first, ...others] = items;
  const { runId, inputId } =
    first !== undefined && others.length === 0 ? first : { runId: 'RUN', inputId: 'INPUT' };
  const resume = (answer: string): string =>
    command(['resume', runId, answer, '--input-id', inputId]);
  const ways = {
    question: [`answer with:  ${resume('your answer')}`],
    budget: [`add with:     ${resume('amount to add, or stop')}`],
    approval: [
      `approve with: ${command(['approve', runId, inputId])}`,
      `refuse with:  ${command(['reject', runId, inputId, 'the reason'])}`,
    ],
  };
  const kinds = (['question', 'approval', 'budget'] as const).filter((kind) =>
    items.some((item) => item.kind === kind),
  );
  return kinds.flatMap((kind) => ways[kind]);
}
