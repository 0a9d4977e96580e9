import type { PendingInput } from '../../protocol/run';
import { quoted } from '../../server/watched-command';
import { printable, printableLine } from './printable';
import { callLine } from './render-parts';
import type { Style } from './style';

/** A pending input as the memo keeps it: without options and call. */
export type OpenInput = Omit<PendingInput, 'options' | 'call'> &
  Pick<PendingInput, 'options' | 'call'>;

/** A shell command that runs this CLI again, on the same server. */
export type CommandLine = (words: readonly string[]) => string;

/** Which server, and which agents are served meanwhile. */
export type ConnectionWords = Readonly<
  Partial<Record<'address' | 'namespace' | 'profile' | 'agents' | 'tools', string>>
> &
  Readonly<Partial<Record<'file' | 'overlay', readonly string[]>>>;

export function commandLine(connection: ConnectionWords): CommandLine {
  const names = ['address', 'namespace', 'profile', 'agents', 'file', 'tools', 'overlay'] as const;
  const flags = names.flatMap((name) =>
    [connection[name] ?? []]
      .flat()
      .flatMap((value) => [name === 'file' ? '-f' : `--${name}`, value]),
  );
  return (words) => ['longhaul', ...words, ...flags].map(shellWord).join(' ');
}

/** What an input asks: `planner asks: Which city?` and its options, numbered. */
export function renderQuestion(input: OpenInput, style: Style): readonly string[] {
  const asker = printableLine(input.path || input.agentId);
  const options = (input.options ?? []).map(
    (option, index) => `  ${index + 1}. ${printableLine(option)}`,
  );
  const call = input.kind === 'approval' && input.call ? [`  ${callLine(input.call)}`] : [];
  const verb = input.kind === 'approval' ? 'asks for approval' : 'asks';
  return [`${style.bold(`${asker} ${verb}:`)} ${printable(input.question)}`, ...call, ...options];
}

/** How each open input is answered from a shell. */
export function renderAnswerCommands(
  workflowId: string,
  pending: readonly OpenInput[],
  command: CommandLine,
): readonly string[] {
  return pending.flatMap(({ inputId, kind }) => {
    if (kind === 'approval') {
      return [
        `approve with: ${command(['approve', workflowId, inputId])}`,
        `refuse with:  ${command(['reject', workflowId, inputId, 'the reason'])}`,
      ];
    }
    const which = pending.length > 1 ? ['--input-id', inputId] : [];
    const answer = kind === 'budget' ? 'amount to add, or stop' : 'your answer';
    return [`answer with: ${command(['resume', workflowId, answer, ...which])}`];
  });
}

/** Whoever copies the command runs what it shows: what cannot be shown is left out, and it finds no run then. */
export function shellWord(given: string): string {
  const word = printableLine(given);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}
