import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LonghaulError } from 'longhaul';

export type Order = {
  readonly customer: string;
  readonly item: string;
  /** In euros. */
  readonly paid: number;
  readonly state: string;
};

export type Refund = {
  readonly orderId: string;
  readonly amount: number;
  readonly workflowId: string;
  /** Of the tool call: what a payment service would refuse duplicates by. */
  readonly idempotencyKey: string;
};

export async function findOrder(orderId: string): Promise<Order> {
  const text = await readFile(new URL('orders.json', import.meta.url), 'utf8');
  const order = new Map(Object.entries(JSON.parse(text) as Record<string, Order>)).get(orderId);
  // The model is told at once: another attempt would not find it either.
  if (order === undefined) throw new LonghaulError('ToolError', `There is no order ${orderId}.`);
  return order;
}

/** One line of JSON for each refund that was made. */
export class Ledger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async add(refund: Refund): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    await appendFile(this.#path, `${JSON.stringify(refund)}\n`);
  }

  async refundsOf(workflowId: string): Promise<Refund[]> {
    const lines = (await readFile(this.#path, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as Refund)
      .filter((refund) => refund.workflowId === workflowId);
  }
}
