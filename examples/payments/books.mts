import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LonghaulError } from 'longhaul';

/** In euros. */
export type Invoice = {
  readonly supplier: string;
  readonly iban: string;
  readonly euros: number;
  /** What the purchase order says. */
  readonly ordered: number;
};

export type Payment = {
  readonly invoice: string;
  readonly euros: number;
  readonly costCentre: string;
  readonly workflowId: string;
  /** Of the tool call: what a bank would refuse duplicates by. */
  readonly idempotencyKey: string;
};

export async function findInvoice(number: string): Promise<Invoice> {
  const text = await readFile(new URL('invoices.json', import.meta.url), 'utf8');
  const invoice = new Map(Object.entries(JSON.parse(text) as Record<string, Invoice>)).get(number);
  // The model is told at once: another attempt would not find it either.
  if (invoice === undefined) throw new LonghaulError('ToolError', `There is no invoice ${number}.`);
  return invoice;
}

/** One line of JSON for each payment that was made. */
export class Ledger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async add(payment: Payment): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    await appendFile(this.#path, `${JSON.stringify(payment)}\n`);
  }

  async paymentsOf(workflowId: string): Promise<Payment[]> {
    const lines = (await readFile(this.#path, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as Payment)
      .filter((payment) => payment.workflowId === workflowId);
  }
}
