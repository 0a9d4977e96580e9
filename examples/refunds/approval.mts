import type { JsonObject } from 'longhaul';
import type { PendingInput, RunHandle } from 'longhaul/client';
import type { Screen } from '../shared/screen.mts';

/** Whoever sits at the terminal. A real shop takes the name from its login. */
const by = { id: 'bob' };

/** What a person may say of a waiting call: let it run, run it with other arguments, or refuse it. */
type Verdict = { readonly args?: JsonObject } | { readonly reason: string };

/** Asks a person about a refund that waits, and tells the run what they decided. */
export async function decide(run: RunHandle, input: PendingInput, screen: Screen): Promise<void> {
  const { inputId, question, call, path } = input;
  screen.line('approval', `${question}\nfrom ${path}`, 'yellow');
  const verdict = toResult(await ask(screen), call?.args ?? {});
  if ('reason' in verdict) await run.reject(inputId, verdict.reason, { by });
  else await run.approve(inputId, { ...verdict, by });
}

async function ask(screen: Screen): Promise<string> {
  if (screen.isInteractive)
    return (await screen.ask('y, n, another amount, or the reason against it (Enter: y): ')) || 'y';
  screen.line('', 'No terminal to decide in: approved.');
  return 'y';
}

function toResult(typed: string, args: JsonObject): Verdict {
  if (/^y(es)?$/i.test(typed)) return {};
  if (/^no?$/i.test(typed)) return { reason: 'The shop does not refund this.' };
  const amount = Number(typed);
  return Number.isFinite(amount) ? { args: { ...args, amount } } : { reason: typed };
}
