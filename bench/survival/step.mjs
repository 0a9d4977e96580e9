// What every script gets from run.mts, and how it tells what happens.
import { appendFileSync } from 'node:fs';

/** `park`: start a run and wait for the approval. `approve`: in a new process, give it. */
export const step = process.env.STEP;
/** The OpenAI-compatible endpoint. */
export const modelUrl = process.env.MODEL_URL;
/** The store: an address, a URL or a folder. */
export const store = process.env.STORE;
/** What the first process told of the run, for the second one. */
export const parked = JSON.parse(process.env.PARKED ?? 'null');
export const task = 'Please refund 80 euros.';

/** A line of JSON: `{parked}`, `{ended}` or `{failed}`. */
export function tell(fact) {
  process.stdout.write(`${JSON.stringify(fact)}\n`);
}

/** The tool's effect: a line in a file, so that nothing that ran goes unseen. */
export function refund(code, args) {
  appendFileSync(process.env.LEDGER, `${JSON.stringify({ code, args })}\n`);
  return `refunded by the ${code} code`;
}
