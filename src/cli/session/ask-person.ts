import type { PendingInput } from '../../protocol/run';
import { renderQuestion } from '../render/render-pending';
import { argumentsOf, replyTo, type Reply } from './reply';
import type { Terminal } from '../render/terminal';

/** Asks until there is a reply; undefined when the person ended the input instead. */
export async function askPerson(
  input: PendingInput,
  terminal: Terminal,
): Promise<Reply | undefined> {
  for (const line of renderQuestion(input, terminal.style)) terminal.print(line);
  return input.kind === 'approval' ? askApproval(input, terminal) : askQuestion(input, terminal);
}

async function askQuestion(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const text = await terminal.ask('> ');
    if (text === undefined) return undefined;
    if (text.trim() !== '') return replyTo(input, text);
  }
}

async function askApproval(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const choice = await terminal.ask('[y]es, [n]o, [e]dit > ');
    if (choice === undefined) return undefined;
    if (/^y(?:es)?$/i.test(choice.trim())) return { kind: 'approve' };
    if (/^n(?:o)?$/i.test(choice.trim())) {
      const reason = await terminal.ask('reason > ');
      return reason === undefined ? undefined : replyTo(input, `n: ${reason}`);
    }
    if (/^e(?:dit)?$/i.test(choice.trim())) return askArguments(input, terminal);
  }
}

async function askArguments(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  let draft = JSON.stringify(input.call?.args ?? {});
  for (;;) {
    const text = await terminal.ask('arguments > ', draft);
    if (text === undefined) return undefined;
    const args = argumentsOf(text);
    if (args !== undefined) return { kind: 'approve', args };
    terminal.print('the arguments must be a JSON object');
    draft = text;
  }
}
