import {
  answer,
  calls,
  resultsOf,
  type Call,
  type Conversation,
  type Turn,
} from '../shared/script.mts';

/** What the scripted model says next: look the orders up, ask for the refunds, tell what came of each. */
export function nextTurn({ input, past }: Conversation): Turn {
  const requests = requestsIn(input);
  const orders = resultsOf(past, 'find_order');
  if (requests.length === 0) return answer('Which order is it about, and how many euros?');
  if (orders.length === 0) return calls('Let me look that up.', ...requests.map(lookUp));
  const refunds = resultsOf(past, 'refund');
  if (refunds.length === 0) return calls('', ...requests.map(refund));
  return answer(requests.map((request, index) => tell(request, refunds[index] ?? '')).join(' '));
}

type Request = { readonly orderId: string; readonly amount: number };

/** `… 1042 … 80 euros …`, as often as it is there. */
function requestsIn(text: string): Request[] {
  return [...text.matchAll(/\b(\d{4})\b.*?\b(\d+) euros/g)].map(([, orderId = '', amount]) => ({
    orderId,
    amount: Number(amount),
  }));
}

function lookUp({ orderId }: Request): Call {
  return { name: 'find_order', args: { orderId } };
}

function refund(request: Request): Call {
  return { name: 'refund', args: request };
}

/** From the result of a refund: what was changed or refused stands in it. */
function tell({ orderId, amount }: Request, result: string): string {
  const [, refunded] = /"refunded":([\d.]+)/.exec(result) ?? [];
  if (refunded === undefined) return `Nothing was refunded for order ${orderId}: ${result}.`;
  if (Number(refunded) === amount) return `${amount} euros of order ${orderId} were refunded.`;
  return `Of the ${amount} euros for order ${orderId} the shop refunded ${refunded}.`;
}
