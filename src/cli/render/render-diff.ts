import type { Json } from '../../base/json';
import type { FieldChange, RunnerChange } from '../../define/diff';
import { printable, printableLine } from './printable';
import { age } from './render-list';
import { paintStatus, type Style } from './style';
import type { PinnedRun } from '../session/runs-by-definition';
import { renderTable, type TableOptions } from './table';

const looks = { added: 'green', removed: 'red', changed: 'yellow', affected: 'dim' } as const;
const verbWidth = 'affected  '.length;

/** A block per runner: its fields with what they were and what they are. */
export function renderChanges(changes: readonly RunnerChange[], style: Style): readonly string[] {
  return changes.flatMap(({ runner, kind, change, fields, through }) => {
    const by = through.length === 0 ? '' : `, through ${through.join(', ')}`;
    const head = `${style[looks[change]](change.padEnd(verbWidth))}${kind} ${runner}${by}`;
    return [head, ...fields.flatMap((field) => renderField(field, style))];
  });
}

function renderField(field: FieldChange, { red, green }: Style): readonly string[] {
  const lines = (sign: string, value: Json | undefined): readonly string[] =>
    value === undefined ? [] : textOf(value).map((line) => `    ${sign} ${line}`);
  return [
    `  ${printableLine(field.path)}`,
    ...lines('-', field.old).map((line) => red(line)),
    ...lines('+', field.new).map((line) => green(line)),
  ];
}

function textOf(value: Json): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text).split('\n');
}

/** The open runs, and which definition each has. */
export function renderPinnedRuns(
  runs: readonly PinnedRun[],
  { style, width, now }: TableOptions & { readonly now: Date },
): readonly string[] {
  const rows = runs.map((run) => [
    run.workflowId,
    printableLine(run.agent),
    run.definition,
    { text: run.status, paint: () => paintStatus(run.status, style) },
    age(new Date(run.startTime), now),
  ]);
  return renderTable(['RUN', 'AGENT', 'DEFINITION', 'STATUS', 'AGE'], rows, { style, width });
}
