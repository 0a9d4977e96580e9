import { setTimeout as sleep } from 'node:timers/promises';
import { post, type Route } from './office-server.mts';

const owners: Readonly<Record<string, string>> = {
  NL91ABNA0417164300: 'Northwind Bolts BV',
  NL20INGB0001234567: 'Harbour Café',
};

const checkingMs = 500;

/** Stands in for a bank: takes a check at once, and calls back later. Twice, as services do that got no answer in time. */
export function bankStandIn(webhook: string, told: (status: string) => void): Route {
  return (body) => {
    const { iban, token } = body as { readonly iban: string; readonly token: string };
    const callBack = async (): Promise<void> => {
      const authorization = `Bearer ${token}`;
      const result = { owner: owners[iban] ?? 'nobody' };
      for (let time = 0; time < 2; time += 1) {
        await sleep(checkingMs);
        await post(webhook, result, { authorization });
        told(result.owner);
      }
    };
    callBack().catch((error: unknown) => told(String(error)));
    return 202;
  };
}
