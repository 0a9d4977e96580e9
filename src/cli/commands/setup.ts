import type { Command } from 'commander';
import type { CommandContext } from '../session/command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../session/connection';
import { exitCodes } from '../exit-codes';
import { printableJson, printableLine } from '../render/printable';
import { registerAttributes, type AttributeReport } from '../session/register-attributes';
import type { Style } from '../render/style';
import { padToWidth } from '../render/text-width';

type SetupFlags = ConnectionFlags & { readonly json?: true };

const looks = {
  registered: { text: 'registered', paint: 'green' },
  'already-there': { text: 'already there', paint: 'green' },
  'wrong-type': { text: 'wrong type', paint: 'red' },
} as const;
const statusWidth = 15;
const nameWidth = 16;

export function addSetupCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('setup')
    .summary('prepare a namespace')
    .description(
      'Registers the search attributes LonghaulAgent and LonghaulStatus in the namespace, by which runs can be filtered. Exits 1 if one has another type there.',
    )
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (flags: SetupFlags) => {
    const longhaul = await openLonghaul(flags);
    const attributes = await registerAttributes(longhaul.client);
    const { namespace } = longhaul.client.options;
    await longhaul.close();
    const ok = attributes.every(({ status }) => status !== 'wrong-type');
    if (flags.json === true) terminal.print(printableJson({ ok, namespace, attributes }));
    else for (const line of renderSetup(attributes, terminal.style)) terminal.print(line);
    if (attributes.some(({ status }) => status === 'registered')) {
      terminal.note('workers that run already set them once they are started again');
    }
    finish(ok ? exitCodes.done : exitCodes.failed);
  });
}

export function renderSetup(
  attributes: readonly AttributeReport[],
  style: Style,
): readonly string[] {
  return attributes.flatMap(({ name, status, type, todo }) => {
    const { text, paint } = looks[status];
    const head = style[paint](text) + ' '.repeat(statusWidth - text.length);
    const line = head + padToWidth(name, nameWidth) + printableLine(type);
    return todo === undefined ? [line] : [line, `${' '.repeat(statusWidth)}→ ${todo}`];
  });
}
