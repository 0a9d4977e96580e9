import { defineTool, type Tool } from 'longhaul';
import { z } from 'zod';
import { findInvoice, type Ledger } from './books.mts';

/** In euros: what needs no person, and what one person may decide. */
const freeAmount = 100;
const amountOfOne = 10_000;

const invoice = z.string().describe('The number of the invoice.');

export type PaymentTools = {
  readonly ledger: Ledger;
  /** Asks the bank whose account it is. The bank calls back, and has only the token to do so. */
  readonly askBank: (check: { readonly iban: string; readonly token: string }) => Promise<void>;
  /** Counted from the question. Default: a day, then three days. */
  readonly remindAfter?: string;
  readonly escalateAfter?: string;
};

export function paymentTools(options: PaymentTools): readonly Tool[] {
  return [lookUpInvoice, checkAccount(options), pickCostCentre, pay(options)];
}

const lookUpInvoice = defineTool({
  name: 'find_invoice',
  description: 'Finds an invoice: its supplier, the account to pay to, the amount in euros.',
  effect: 'read',
  inputSchema: z.object({ invoice }),
  execute: async ({ invoice }) => {
    const { supplier, iban, euros } = await findInvoice(invoice);
    return { supplier, iban, euros };
  },
});

/** The answer comes by webhook, in seconds or in days. Nothing runs until then. */
function checkAccount({ askBank }: PaymentTools) {
  return defineTool({
    name: 'check_account',
    description: 'Asks the bank who owns an account.',
    result: 'later',
    resultSchema: z.object({ owner: z.string() }),
    resultTimeout: '2 days',
    inputSchema: z.object({ iban: z.string() }),
    execute: async ({ iban }, { resultToken }) => await askBank({ iban, token: resultToken }),
  });
}

/** The book-keeping program shows its own list, and gives what was picked. */
const pickCostCentre = defineTool({
  name: 'pick_cost_centre',
  description: 'Has the person who asked pick the cost centre of an invoice.',
  result: 'client',
  resultSchema: z.object({ costCentre: z.string().regex(/^\d{4}$/) }),
  inputSchema: z.object({ invoice }),
});

function pay({ ledger, remindAfter = '1 day', escalateAfter = '3 days' }: PaymentTools) {
  return defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    // Never a blind second run: if nobody knows whether it took effect, the model is told so.
    effect: 'once',
    needsApproval: {
      when: ({ euros }) => euros > freeAmount,
      by: ({ euros }) => ({
        roles: ['finance'],
        approvals: euros > amountOfOne ? 2 : 1,
        not: ['requester'],
      }),
      show: async ({ invoice, euros }) => {
        const { supplier, ordered } = await findInvoice(invoice);
        return `Invoice ${invoice} of ${supplier}: pay ${euros} euros. The purchase order says ${ordered} euros.`;
      },
      remind: [remindAfter],
      escalate: { after: escalateAfter, to: { roles: ['finance-lead'] } },
    },
    inputSchema: z.object({ invoice, euros: z.number().positive(), costCentre: z.string() }),
    execute: async ({ invoice, euros, costCentre }, { workflowId, idempotencyKey }) => {
      await ledger.add({ invoice, euros, costCentre, workflowId, idempotencyKey });
      return { invoice, paid: euros };
    },
  });
}
