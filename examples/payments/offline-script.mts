import { answer, calls, resultsOf, type Conversation, type Turn } from '../shared/script.mts';

/** What the scripted model says next: look the invoice up, check it, pay it, tell what came of it. */
export function nextTurn({ input, past }: Conversation): Turn {
  const [invoice] = /\d{4}-\d{3}/.exec(input) ?? [];
  if (invoice === undefined) return answer('Which invoice is it?');
  const [found] = resultsOf(past, 'find_invoice');
  if (found === undefined)
    return calls('Let me look at the invoice.', { name: 'find_invoice', args: { invoice } });
  const { iban, euros, supplier } = fieldsOf(found);
  if (iban === undefined) return answer(found);
  const [account] = resultsOf(past, 'check_account');
  const [picked] = resultsOf(past, 'pick_cost_centre');
  if (account === undefined || picked === undefined) {
    const check = { name: 'check_account', args: { iban } };
    return calls('', check, { name: 'pick_cost_centre', args: { invoice } });
  }
  const { costCentre } = fieldsOf(picked);
  const [paid] = resultsOf(past, 'pay');
  if (paid === undefined)
    return calls('', { name: 'pay', args: { invoice, euros: Number(euros), costCentre } });
  const [, amount] = /"paid":([\d.]+)/.exec(paid) ?? [];
  if (amount === undefined) return answer(`Invoice ${invoice} was not paid: ${paid}`);
  return answer(
    `${amount} euros were paid for invoice ${invoice} of ${supplier}, from cost centre ${costCentre}.`,
  );
}

/** The members of a result that is JSON. */
function fieldsOf(result: string): Record<string, string | undefined> {
  try {
    return JSON.parse(result) as Record<string, string>;
  } catch {
    return {};
  }
}
