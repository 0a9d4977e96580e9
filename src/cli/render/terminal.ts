import { createInterface } from 'node:readline';
import { createStyle, printable, type Style, terminalText } from './text';

const widthElsewhere = 100;

/** Where a command shows text and asks. No text that it gets can move the cursor. */
export type Terminal = {
  /** Stdin and stdout are both a terminal, so the command can ask a person. */
  readonly isInteractive: boolean;
  readonly width: number;
  /** The width of stdout, if it is a terminal. */
  readonly columns: number | undefined;
  /** The style of stdout. */
  readonly style: Style;
  /** The style of stderr. */
  readonly noteStyle: Style;
  /** Prints a piece of a line to stdout. The next line of any kind begins on a new one. */
  write(text: string): void;
  /** Prints a line of the result to stdout. */
  print(line: string): void;
  /** Prints a line about progress to stderr. */
  note(line: string): void;
  /** The line that the person types after `prompt`, starting from `draft`; undefined if the input ends. */
  ask(prompt: string, draft?: string): Promise<string | undefined>;
  /** Until the returned function is called, Ctrl-C calls `stop` and does not end the process. */
  onInterrupt(stop: () => void): () => void;
};

export function createTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const isColoured = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const interrupts = new Set<() => void>();
  let isInLine = false;
  const write = (text: string): void => {
    if (text === '' || (text === '\n' && !isInLine)) return;
    stdout.write(terminalText(text));
    isInLine = !text.endsWith('\n');
  };
  return {
    isInteractive: stdin.isTTY && stdout.isTTY,
    get width() {
      return stdout.columns || Number(env['COLUMNS']) || widthElsewhere;
    },
    get columns() {
      return stdout.isTTY ? stdout.columns || undefined : undefined;
    },
    style: createStyle(isColoured),
    noteStyle: createStyle(isColoured && stderr.isTTY),
    write,
    print: (line) => {
      write('\n');
      stdout.write(`${terminalText(line)}\n`);
    },
    note: (line) => {
      write('\n');
      stderr.write(`${terminalText(line)}\n`);
    },
    ask: (prompt, draft) => {
      write('\n');
      return ask(prompt, draft, interrupts);
    },
    onInterrupt: (stop) => {
      interrupts.add(stop);
      process.on('SIGINT', stop);
      return () => {
        interrupts.delete(stop);
        process.off('SIGINT', stop);
      };
    },
  };
}

/** While a person edits a line, Ctrl-C reaches the editor and not the process. */
async function ask(
  prompt: string,
  draft: string | undefined,
  interrupts: ReadonlySet<() => void>,
): Promise<string | undefined> {
  const editor = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve) => {
      const endOfInput = (): void => resolve(undefined);
      editor.once('close', endOfInput);
      editor.once('SIGINT', () => {
        editor.off('close', endOfInput);
        editor.close();
        for (const stop of interrupts) stop();
      });
      editor.question(terminalText(prompt), resolve);
      if (draft !== undefined) editor.write(printable(draft));
    });
  } finally {
    editor.close();
  }
}
