// A model's answer that code of the user's fails to judge: judged again, never paid for twice, and counted.

import { criteria, defineAgent, defineCallbacks } from '../../src';
import { scriptedModel } from '../../src/testing/scripted-model';
import { openHarness, type Harness } from './harness';

/** The scripted model uses 15 tokens a call. */
const perCall = 15;

describe('an answer that was paid for', () => {
  let harness: Harness;
  const model = scriptedModel(['One.', 'Two.', 'Three.'], { per: 'conversation' });
  const judgements: string[] = [];
  const judge = async (text: string): Promise<boolean> => {
    judgements.push(text);
    if (judgements.length < 3) throw new TypeError('no such row');
    return await Promise.resolve(true);
  };
  const judged = (id: string, evaluate: () => unknown) =>
    defineAgent({
      id,
      model: 'scripted/one',
      criteria: [criteria.custom(id, evaluate as () => boolean)],
    });
  const flaky = defineAgent({
    id: 'flaky',
    model: 'scripted/one',
    criteria: [criteria.custom('flaky', ({ text }) => judge(text))],
  });
  const hooked = defineAgent({
    id: 'hooked',
    model: 'scripted/one',
    callbacks: [defineCallbacks({ name: 'own', afterModelCall: () => fail() })],
  });
  const fail = (): never => {
    throw new TypeError('no such row');
  };

  beforeAll(async () => {
    harness = await openHarness();
    const runners = [flaky, hooked, judged('broken', fail), judged('speechless', () => undefined)];
    await harness.worker({ runners, providers: { scripted: model } });
  });
  afterAll(() => harness.close());

  const requests = (input: string): number =>
    model.requests.filter(({ messages }) => JSON.stringify(messages).includes(input)).length;

  it('is judged again', async () => {
    const run = await harness.longhaul.start('flaky', 'Judge again.');
    expect(await run.result()).toMatchObject({
      finalResponse: { text: 'One.' },
      completionReason: "custom criterion 'flaky' met",
      usage: { totalTokens: perCall },
    });
    expect(judgements).toEqual(['One.', 'One.', 'One.']);
    expect(requests('Judge again.')).toBe(1);
  });

  it.each([
    ['broken', "criterion 'broken': failed: TypeError: no such row"],
    [
      'speechless',
      "criterion 'speechless': must answer true, false or {met, missing?, value?} as JSON",
    ],
    ['hooked', "callbacks 'own', afterModelCall: failed: TypeError: no such row"],
  ])('counts, in a run that fails of its judge: %s', async (id, message) => {
    const run = await harness.longhaul.start(id, `Fail of ${id}.`);
    await expect(run.result()).rejects.toMatchObject({ code: 'InternalError', message });
    expect((await run.usage()).totalTokens).toBe(perCall);
    expect(requests(`Fail of ${id}.`)).toBe(1);
  });
});
