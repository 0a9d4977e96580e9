// Whatever makes a simulation worthless fails its seed, with the place in the code.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { bundlePath, withSourceLines } from './worker/source-lines';

/** ms. The processes take some seconds of their own. */
const busyMachine = 240_000;

type Ended = { readonly output: string; readonly errors: string };

/** Simulates them one after another, in a process of its own: what is wrong with the process must be seen, too. */
async function simulate(...names: readonly string[]): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      '--import',
      './test/run-sources.mts',
      'test/simulator/bad-code.mts',
      ...names,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await once(child, 'close');
  return { output, errors };
}

const wrong: Readonly<Record<string, RegExp>> = {
  realDate: /real time: .* used the real new Date\(\)[^]* at Object\.realDate /,
  formatted: /real time: .* used Intl\.DateTimeFormat without a date[^]* at Object\.formatted /,
  performanceNow:
    /run-of-performanceNow .*performance is not defined[^]* at Object\.performanceNow /,
  cryptoUuid: /run-of-cryptoUuid .*crypto is not defined[^]* at Object\.cryptoUuid /,
  hrtime: /run-of-hrtime .*process is not defined[^]* at Object\.hrtime /,
  rejection: /nobody handles a rejection: Error: nobody waits for this\n.* at Object\.rejection /,
  hostRejection: /nobody handles a rejection: Error: nobody waits for this either\n[^]*bad-code/,
  otherCommands: /run-of-otherCommands .* rebuilt after event \d+, has other commands:\nkept: /,
  otherState:
    /run-of-otherState .* has other answer to the query state:\nkept: .*"number":1.*\nrebuilt: .*"number":2/,
  largeResult: /run-of-largeResult .*\[TMPRL1103\] Attempted to upload payloads with size/,
  unsettled: /run-of-unsettled .* of unsettled: .*the activation does not settle/,
  fine: /^nothing$/,
};

describe('a seed fails', () => {
  let results: ReadonlyMap<string, string>;
  let hung: readonly Ended[];

  beforeAll(async () => {
    const [ended, ...others] = await Promise.all([
      simulate(...Object.keys(wrong)),
      simulate('endless'),
      simulate('endlessPromises'),
    ]);
    const lines = ended.output.trim().split('\n');
    expect(ended.errors).toBe('');
    results = new Map(lines.map((line) => JSON.parse(line) as [string, string]));
    hung = others;
  }, busyMachine);

  it.each(Object.keys(wrong))('for what it does: %s', (name) => {
    expect(results.get(name)).toMatch(wrong[name] ?? '');
  });

  it.each(['endless', 'endlessPromises'])('for a loop that does not end: %s', (name) => {
    const errors = hung[name === 'endless' ? 0 : 1]?.errors;
    expect(errors).toContain('the simulation hangs');
    expect(errors).toContain(`at ${name} (`);
    expect(errors).toContain('--seed 7 --rounds 1');
  });
});

it('names lines of the sources', () => {
  const lines = readFileSync(bundlePath, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.startsWith('function initRuntime(')) + 1;
  expect(withSourceLines(`at initRuntime (${bundlePath}:${line}:1)`)).toMatch(
    /^at initRuntime \(.*worker-interface\.[jt]s:\d+:1\)$/,
  );
});
