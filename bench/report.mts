// bench/RESULTS.md: one block for each section of each server. A block that was not measured again keeps its text.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Noise } from './noise.mts';
import type { Findings, Section, Target } from './section.mts';

const opening = `# Results

\`npm run bench\` writes this file ([how to repeat it](README.md)). Times are least and median of the rounds; contestants take turns within a round. Under
each title stands how many cores other programs used meanwhile: where it is more than a few tenths, trust the counts and the ratios, not the times.
Events, bytes and reads are exact.
`;

/** In the order of the file. */
export const serverKinds = ['dev', 'given'] as const;

export type ServerKind = (typeof serverKinds)[number];

type Blocks = Map<string, string>;

/** The name of the block that says which server and which machine it was. */
const heading = 'heading';

export class Report {
  readonly #path: string;
  readonly #blocks: Blocks;
  readonly #order: readonly string[];

  /** `sections` are the names of all sections, in order. */
  constructor(path: string, sections: readonly string[]) {
    this.#path = path;
    this.#blocks = readBlocks(path);
    this.#order = serverKinds.flatMap((kind) =>
      [heading, ...sections].map((name) => `${kind} ${name}`),
    );
  }

  /** Says what the server and the machine are. */
  describe(kind: ServerKind, title: string, machine: string): void {
    this.#set(`${kind} ${heading}`, `## ${title}\n\n${machine}\n`);
  }

  /** Writes the findings of a section, and returns their text. */
  add(kind: ServerKind, section: Section, measured: Measured): string {
    const text = blockOf(section, measured);
    this.#set(`${kind} ${section.name}`, text);
    return text;
  }

  #set(name: string, text: string): void {
    this.#blocks.set(name, text);
    const kept = this.#order.flatMap((name) => {
      const text = this.#blocks.get(name);
      return text === undefined ? [] : [`${marker(name)}\n\n${text}`];
    });
    writeFileSync(this.#path, [opening, summary(this.#blocks), ...kept].join('\n'));
  }
}

export type Measured = { readonly findings: Findings; readonly noise: Noise | undefined };

const marker = (name: string): string => `<!-- block: ${name} -->`;

function readBlocks(path: string): Blocks {
  const [, ...parts] = (existsSync(path) ? readFileSync(path, 'utf8') : '').split('<!-- block: ');
  return new Map(
    parts.map((part) => {
      const end = part.indexOf(' -->\n');
      return [part.slice(0, end), `${part.slice(end).replace(' -->', '').trim()}\n`];
    }),
  );
}

const targetColumns = ['target', 'aim', 'least', 'median', ''];

/** All targets of all blocks, as one table. */
function summary(blocks: Blocks): string {
  const rows = [...blocks].flatMap(([name, text]) => {
    const [, rows = ''] = text.split(`${rowLine(targetColumns)}\n`);
    const [kind = ''] = name.split(' ');
    const lines = rows.split('\n').slice(1);
    const end = lines.findIndex((line) => !line.startsWith('|'));
    return lines.slice(0, end).map((line) => `| ${kind} ${line}`);
  });
  const columns = ['server', ...targetColumns];
  return ['## Targets\n', rowLine(columns), ruleLine(columns), ...rows, ''].join('\n');
}

function blockOf(section: Section, { findings, noise }: Measured): string {
  const { rows, targets = [], notes = [] } = findings;
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => rowLine(columns.map((column) => cell(row[column] ?? ''))));
  return [
    `### ${section.title}\n`,
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC. ${noiseLine(noise)}\n`,
    ...[rowLine(columns), ruleLine(columns), ...lines, ''],
    ...(targets.length === 0
      ? []
      : [rowLine(targetColumns), ruleLine(targetColumns), ...targets.map(targetLine), '']),
    ...notes.map((note) => `${note}\n`),
  ].join('\n');
}

function noiseLine(noise: Noise | undefined): string {
  if (noise === undefined) return 'Not known what else the machine did.';
  const stolen = noise.stolen >= 0.05 ? `, and its host withheld ${noise.stolen.toFixed(2)}` : '';
  return `Others used ${noise.others.toFixed(2)} cores${stolen}.`;
}

function targetLine({ measure, least, median, aim }: Target): string {
  const isMet = (value: number): boolean =>
    'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast;
  const words = 'atMost' in aim ? `at most ${aim.atMost}` : `at least ${aim.atLeast}`;
  const values = [least, median ?? least].map((value) => value.toFixed(2));
  return rowLine([measure, words, ...values, isMet(median ?? least) ? 'met' : 'missed']);
}

function rowLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function ruleLine(columns: readonly string[]): string {
  return rowLine(columns.map(() => '---'));
}

/** Three figures of a number, and no more than a whole number needs. */
function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString('en', {
    maximumFractionDigits: Number.isInteger(value) ? 0 : digits,
  });
}
