// What the model of each agent says, turn by turn, before its last answer.

type Call = { readonly name: string; readonly args: { readonly [name: string]: string } };
type Round = readonly Call[];

/** `user`: the message that it answers. Its first word names the case. */
export function roundsOf(agent: string, user: string): readonly Round[] {
  const [tag = ''] = user.split(' ');
  const does = (name: string, what: string): Round => [{ name, args: { what: `${tag} ${what}` } }];
  const calls = (name: string): Round => [{ name, args: { input: tag } }];
  const write = (what: string): Round => does('write', what);
  const asks: Round = [{ name: 'ask_user', args: { question: 'Which colour?' } }];
  const writes = (from: number): readonly Round[] =>
    Array.from({ length: 10 }, (_, index) => write(`page ${from + index}`));
  const rounds: { readonly [agent: string]: readonly Round[] } = {
    asker: [asks, write('painting')],
    asking: [asks, write('painting')],
    closing: [asks, write('painting')],
    leaf: [asks, write('painting')],
    twice: [asks, write('painting'), asks, write('frame')],
    buyer: [does('pay', 'bill')],
    paying: [does('pay', 'bill')],
    shopper: [does('pay', 'bill'), does('pay', 'tip')],
    orderer: [does('order', 'goods')],
    spender: [write('cheque')],
    slow: [write('start')],
    holder: [does('hold', 'door')],
    inliner: [[...does('note', 'list'), ...does('wait', 'door')]],
    long: [...writes(1), asks, ...writes(11)],
    middle: [calls('leaf')],
    boss: [calls('middle')],
    chat: user.endsWith('ask') ? [asks, write(user.slice(tag.length + 1))] : [],
    quick: [write('sketch')],
    last: [write('signature')],
  };
  return rounds[agent] ?? [write(agent)];
}
