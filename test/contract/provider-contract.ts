import { conversationContract } from './provider-contract-conversation';
import { errorContract } from './provider-contract-errors';
import { requestContract } from './provider-contract-requests';
import { streamContract } from './provider-contract-streams';
import type { ContractSkip, ContractTest, ProviderDialect } from './provider-dialect';

/**
 * What every model provider keeps, whatever its wire dialect: run against an independent double of the API and a server that
 * misbehaves. What a dialect cannot do it names, with the reason.
 */
export function providerContract(
  dialect: ProviderDialect & { readonly skip?: readonly ContractSkip[] },
): void {
  const skips = dialect.skip ?? [];
  const titles = new Set<string>();
  const test: ContractTest = (title, run) => {
    titles.add(title);
    const skip = skips.find(({ tests }) => tests.includes(title));
    if (skip === undefined) it(title, run);
    else it.skip(`${title} (${skip.reason})`, run);
  };
  describe(`provider contract: ${dialect.name}`, () => {
    for (const contract of [conversationContract, requestContract, errorContract, streamContract]) {
      describe(contract.name.replace('Contract', ''), () => contract(dialect, test));
    }
  });
  const unknown = skips.flatMap(({ tests }) => tests).filter((title) => !titles.has(title));
  if (unknown.length > 0)
    throw new Error(`Skipped, but not in the contract: ${unknown.join('; ')}`);
}
