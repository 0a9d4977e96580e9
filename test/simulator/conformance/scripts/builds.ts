// A rolling deploy: workers of another build take the next tasks of a run.

import type { WorkflowHandle } from '@temporalio/client';
import type { ScriptedStep } from 'longhaul/testing';
import { agent, asking, askUser, endOf, eventually, inputsOf, modelsOf, type Script } from '../kit';

/** Asks twice. Any worker may have the model's next turn. */
const step: ScriptedStep = ({ messages }) => {
  const asked = messages.filter(({ role }) => role === 'assistant').length;
  return asked < 2 ? askUser(`Question ${asked + 1}?`) : 'Done.';
};
const twice = (): Parameters<typeof modelsOf>[0] => ({
  agent: Array.from({ length: 10 }, () => step),
});

const options = () => ({ runners: [agent('agent', asking)], providers: modelsOf(twice()) });

/** The causes of its failed workflow tasks, each once. */
async function failuresOf(handle: WorkflowHandle): Promise<readonly number[]> {
  const { events } = await handle.fetchHistory();
  const causes = (events ?? []).flatMap(
    ({ workflowTaskFailedEventAttributes: failed }) => failed?.cause ?? [],
  );
  return [...new Set(causes)];
}

export const builds: readonly Script[] = [
  {
    name: 'a newer worker goes on with a run, and another one of its build',
    compare: 'unordered',
    startsUnserved: true,
    run: async (kit) => {
      await kit.deploy(options());
      const run = await kit.start('agent');
      const [first = ''] = await inputsOf(run);
      await kit.deploy(options(), {}, 1);
      await run.resume('one', { inputId: first });
      const [second = ''] = await inputsOf(run);
      await kit.deploy(options(), {}, 1);
      await run.resume('two', { inputId: second });
      return [await endOf(run), await failuresOf(kit.handle(run))];
    },
  },
  {
    name: 'an older worker fails the task of a run that has met a newer one',
    compare: 'ends',
    startsUnserved: true,
    run: async (kit) => {
      await kit.deploy(options(), {}, 1);
      const run = await kit.start('agent');
      const [first = ''] = await inputsOf(run);
      await run.resume('one', { inputId: first });
      const [second = ''] = await inputsOf(run);
      await kit.deploy(options());
      const handle = kit.handle(run);
      await handle.signal('nobody-knows-it');
      await eventually('a failed task', async () => (await failuresOf(handle)).length > 0);
      const failures = await failuresOf(handle);
      await kit.deploy(options(), {}, 1);
      await eventually('an answer that is taken', () =>
        run.resume('two', { inputId: second }).then(
          () => true,
          () => false,
        ),
      );
      return [await endOf(run), failures];
    },
  },
];
