import type { RunStatus } from '../../client';
import type { Style } from './style';

const looks = {
  loading: 'cyan',
  running: 'cyan',
  'needs-input': 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
} as const satisfies Record<RunStatus, keyof Style>;

export function paintStatus(status: RunStatus, style: Style): string {
  return style[looks[status]](status);
}
