import { createStyle, terminalText } from '../../../src/cli/render/text';
import type { Terminal } from '../../../src/cli/render/terminal';

export type FakeTerminal = Terminal & {
  readonly printed: string[];
  readonly written: string[];
  readonly noted: string[];
  readonly asked: string[];
  /** As if Ctrl-C were pressed. */
  interrupt(): void;
};

/** A terminal without colours; a person in front of it types the given lines, then ends the input. */
export function fakeTerminal({
  typed,
  width = 80,
  columns,
}: { typed?: readonly string[]; width?: number; columns?: number } = {}): FakeTerminal {
  const lines = [...(typed ?? [])];
  const stops = new Set<() => void>();
  const [printed, noted, asked]: [string[], string[], string[]] = [[], [], []];
  const written: string[] = [];
  return {
    printed,
    written,
    noted,
    asked,
    isInteractive: typed !== undefined,
    width,
    columns,
    style: createStyle(false),
    noteStyle: createStyle(false),
    write: (text) => void written.push(terminalText(text)),
    print: (line) => void printed.push(terminalText(line)),
    note: (line) => void noted.push(terminalText(line)),
    ask: async (prompt, draft) => {
      asked.push(draft === undefined ? prompt : `${prompt}${draft}`);
      return lines.shift();
    },
    onInterrupt: (stop) => {
      stops.add(stop);
      return () => stops.delete(stop);
    },
    interrupt: () => {
      for (const stop of stops) stop();
    },
  };
}
