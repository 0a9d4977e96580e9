// What becomes of an agent that waits for an approval when its process is killed, the team's code changes and the package is upgraded.
// Usage: npm run survival -- [--only longhaul,langgraph] [--keep <folder>]. It needs a package registry. Each system is installed into a
// temporary folder of its own; with --keep, the folders stay, and what they have is not installed again.
// The systems are not in package.json: they live only in these folders.
// A system's script is systems/<name>/agent.mjs, its versions are in versions.json. The results replace RESULTS.md, unless
// --only leaves systems out.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { install, readSystems, type Side, type System } from './installs.mts';
import { Stores } from './stores.mts';
import {
  type Case,
  fullTable,
  markTable,
  type Result,
  shortTable,
  versionTable,
} from './table.mts';
import { runTrial } from './trial.mts';

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'string' } } });
const scratch = resolve(values.keep ?? (await mkdtemp(join(tmpdir(), 'longhaul-survival-'))));
await mkdir(scratch, { recursive: true });
const stores = new Stores(scratch);

const trials: Record<
  Case,
  { readonly sides: readonly [Side, Side]; readonly code: 'old' | 'new' }
> = {
  restart: { sides: ['to', 'to'], code: 'old' },
  changed: { sides: ['to', 'to'], code: 'new' },
  upgraded: { sides: ['from', 'to'], code: 'new' },
};

async function resultOf(name: string, system: System): Promise<Result> {
  const facts: Result['facts'] = {};
  try {
    const folders = {
      from: await install(name, system, { side: 'from', scratch }),
      to: await install(name, system, { side: 'to', scratch }),
    };
    for (const [title, { sides, code }] of Object.entries(trials)) {
      const [before, after] = [folders[sides[0]], folders[sides[1]]];
      const storeOf = (run: string): Promise<string> => stores.of(system.store, run);
      facts[title as Case] = await runTrial({
        before,
        after,
        code,
        variant: system.variant,
        storeOf,
      });
      console.log(JSON.stringify({ system: name, case: title, ...facts[title as Case] }));
    }
    return { system, facts };
  } catch (error) {
    const problem =
      error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error);
    console.log(JSON.stringify({ system: name, problem }));
    return { system, facts, problem };
  }
}

const resultsHead = `# What a run survives that waits for an approval

Written by \`npm run survival\`. An agent waits until a person approves its call \`refund({ amount: 80 })\`. Its process is killed (SIGKILL). Another process
starts on the same store, approves, and waits for the end:

- restarted: with the same code and packages.
- new prompt and schema: with another prompt, and the tool is now \`refund({ cents, reason })\`.
- package upgraded: with both, on the next release of the package.

Every system is used as its documentation has it, with a store that it recommends for a server of one's own. The second process replaces the first, except in one
row: what keeps old code running beside the new (Temporal's Worker Versioning, Vercel's deployments) is used only in "Longhaul, pinned". There the old version's
worker is started again, too. In "Longhaul, \`accepts\`" the new tool declares how the old arguments become the new ones. Other systems may have their like, which was
not tried. A run that went on without the refund told the model that the approved arguments do not fit the new schema, and the model may call the tool again by
the new one: in Longhaul, the error has that schema.

What was seen: the requests by the model's server, which is the repository's double; the refunds by a file that the tool's code writes; the end by the
script, at most 90 seconds after the approval. Of Longhaul also what \`pending()\` said of the deployed tool before the approval. A run waits for 3 seconds before its process is killed. Seconds include the start of the process, and for
some a build; they rank nobody. Each is one trial.`;

async function write(results: readonly Result[]): Promise<void> {
  const text = [
    resultsHead,
    '## In short',
    'A mark stands for: the refund was made once, with the right amount, and the run went on. "goes on": without the refund. "lost": it did not end.',
    markTable(results),
    '## In sentences',
    shortTable(results),
    '## What happened',
    fullTable(results),
    '## Versions',
    versionTable(results),
  ];
  await writeFile(join(import.meta.dirname, 'RESULTS.md'), `${text.join('\n\n')}\n`);
}

try {
  const systems = await readSystems();
  const wanted = values.only?.split(',') ?? [...systems.keys()];
  const results: Result[] = [];
  for (const [name, system] of systems)
    if (wanted.includes(name)) results.push(await resultOf(name, system));
  console.log(`${shortTable(results)}\n\n${markTable(results)}`);
  if (values.only === undefined) await write(results);
} finally {
  await stores.stop();
  if (values.keep === undefined) await rm(scratch, { recursive: true, force: true });
}
