// Pure: no server.

import { limits } from '../../../../src/protocol/limits';
import { SentInputs } from '../../../../src/workflows/children/sent-inputs';

const caller = { workflowId: 'caller', runId: 'execution' };
const long = (letter: string): string => letter.repeat(limits.inputInline);
const numberOf = ({ inputFrom }: ReturnType<SentInputs['send']>) => inputFrom?.number;

describe('SentInputs', () => {
  it.each([
    ['an input that is short enough', 'x'.repeat(limits.inputInline - 2)],
    ['an input that no child takes', 'x'.repeat(limits.input)],
    ['short parts', [{ type: 'text' as const, text: 'Look' }]],
  ])('lets %s travel', (_name, input) => {
    expect(new SentInputs(caller).send('child', input)).toEqual({ input });
  });

  it.each([
    ['a text', `  ${long('x')}`, `${'x'.repeat(limits.inputShown - 3)}…`],
    [
      'parts',
      [{ type: 'text' as const, text: long('x') }],
      `[{"type":"text","text":"${'x'.repeat(limits.inputShown - 27)}…`,
    ],
  ])('keeps %s that is too long, and shows its beginning', (_name, input, shown) => {
    const inputs = new SentInputs(caller);
    const sent = inputs.send('child', input);
    expect(sent).toEqual({ input: shown, inputFrom: { ...caller, number: 1 } });
    expect(inputs.get(1)).toBe(input);
  });

  it('counts an input of several children once', () => {
    const inputs = new SentInputs(caller);
    const numbers = [long('a'), long('b'), long('a')].map((input, index) =>
      numberOf(inputs.send(`child-${index}`, input)),
    );
    expect(numbers).toEqual([1, 2, 1]);
  });

  it('forgets an input with the last child that has it, and never counts back', () => {
    const inputs = new SentInputs(caller);
    inputs.send('one', long('a'));
    inputs.send('two', long('a'));
    inputs.drop('one');
    expect(inputs.get(1)).toBe(long('a'));
    inputs.drop('two');
    expect(inputs.get(1)).toBeUndefined();
    expect(numberOf(inputs.send('three', long('a')))).toBe(2);
  });
});
