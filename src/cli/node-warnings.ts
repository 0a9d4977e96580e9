import { printableLine } from './render/printable';

/** About how the user's files are loaded: nothing that whoever runs a command could or should change. */
const expected = ['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'];

/** Shows Node's own warnings as one line each, without those that loading agents brings along. */
export function showNodeWarnings(note: (line: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    const { code } = warning as { code?: unknown };
    if (expected.includes(warning.name) || expected.includes(String(code))) return;
    note(`warning: ${printableLine(warning.message)}`);
  });
}
