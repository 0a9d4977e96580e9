import type { RunStatus } from '../../client';

const looks = {
  loading: 'cyan',
  running: 'cyan',
  'needs-input': 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
} as const satisfies Record<RunStatus, keyof Style>;

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** Colours and weights, or nothing at all. */
export function createStyle(enabled: boolean): Style {
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      enabled && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
}

export function paintStatus(status: RunStatus, style: Style): string {
  return style[looks[status]](status);
}
