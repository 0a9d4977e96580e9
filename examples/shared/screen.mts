import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const margin = '                    ';
const widest = 100;

/** The terminal: every line with the time since the start and what it is about. Colours only where a person looks. */
export class Screen {
  readonly #started = performance.now();
  /** Somebody can answer. */
  readonly isInteractive = process.stdin.isTTY && process.stdout.isTTY;

  title(text: string): void {
    console.log(`\n  ${style('bold', text)}\n`);
  }

  /** One thing that happened. Further lines of the text stand below the first. */
  line(label: string, text: string, colour: Style = 'cyan'): void {
    const seconds = `${((performance.now() - this.#started) / 1000).toFixed(1)} s`.padStart(8);
    const [first = '', ...rest] = text.split('\n').flatMap(wrap);
    const labelled = `${style('dim', seconds)}  ${style(colour, label.padEnd(margin.length - 10))}${first}`;
    // At once: what other processes print stands before or after it.
    console.log([labelled, ...rest.map((line) => (margin + line).trimEnd())].join('\n'));
  }

  gap(): void {
    console.log();
  }

  /** What is typed, trimmed; empty when there is nobody, or the input ends. */
  async ask(prompt: string): Promise<string> {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    try {
      return (await Promise.race([lines.question(margin + prompt), ended])).trim();
    } finally {
      lines.close();
    }
  }
}

function wrap(line: string): string[] {
  const width = Math.max(40, Math.min(process.stdout.columns || widest, widest) - margin.length);
  const indent = /^(?:- | *)/.exec(line)?.[0].length ?? 0;
  const lines: string[] = [];
  for (const word of line.split(/(?<=\S) /)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(last === undefined ? word : ' '.repeat(indent) + word);
  }
  return lines;
}

function style(format: Style, text: string): string {
  return styleText(format, text, { stream: process.stdout });
}
