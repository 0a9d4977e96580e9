import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Invoice = {
  readonly id: string;
  readonly customer: string;
  readonly euros: number;
  readonly paid: boolean;
};

/** Activities of one's own: what the workflow needs of the world. */
export async function findInvoice(id: string): Promise<Invoice> {
  const text = await readFile(new URL('invoices.json', import.meta.url), 'utf8');
  const invoice = (JSON.parse(text) as readonly Invoice[]).find((other) => other.id === id);
  if (invoice === undefined) throw new Error(`There is no invoice ${id}.`);
  return invoice;
}

/** One line of JSON for each letter, in the folder the worker was started in. */
export async function sendLetter(invoiceId: string, text: string): Promise<void> {
  await mkdir('.longhaul', { recursive: true });
  await appendFile(join('.longhaul', 'letters.jsonl'), `${JSON.stringify({ invoiceId, text })}\n`);
}
