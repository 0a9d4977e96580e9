import { createInterface } from 'node:readline';
import { createStyle, printable, type Style, terminalText } from './text';

const widthElsewhere = 100;

/** Where a command shows things and asks. Whatever it is given, the cursor stays where the terminal puts it. */
export type Terminal = {
  /** Stdin and stdout are both a terminal: somebody can be asked. */
  readonly isInteractive: boolean;
  readonly width: number;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly noteStyle: Style;
  /** A line of the result, on stdout. */
  print(line: string): void;
  /** A line about the way there, on stderr. */
  note(line: string): void;
  /** What the person types after `prompt`, starting from `draft`; undefined when the input ends. */
  ask(prompt: string, draft?: string): Promise<string | undefined>;
  /** Ctrl-C calls `stop` instead of ending the process, until the returned function is called. */
  onInterrupt(stop: () => void): () => void;
};

export function createTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const isColoured = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const interrupts = new Set<() => void>();
  return {
    isInteractive: stdin.isTTY && stdout.isTTY,
    get width() {
      return stdout.columns || Number(env['COLUMNS']) || widthElsewhere;
    },
    style: createStyle(isColoured),
    noteStyle: createStyle(isColoured && stderr.isTTY),
    print: (line) => void stdout.write(`${terminalText(line)}\n`),
    note: (line) => void stderr.write(`${terminalText(line)}\n`),
    ask: (prompt, draft) => ask(prompt, draft, interrupts),
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

/** While a line is edited, Ctrl-C reaches the editor and not the process. */
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
