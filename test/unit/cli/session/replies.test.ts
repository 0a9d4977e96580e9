// Pure: no server.
import { askPerson, replyTo } from '../../../../src/cli/session/replies';
import { anApproval, aQuestion } from '../builders';
import { fakeTerminal } from '../fake-terminal';

const refusal = 'A person rejected this call.';

describe('replyTo', () => {
  it.each([
    { options: ['Paris', 'Rome'], text: '2', answer: 'Rome' },
    { options: ['Paris', 'Rome'], text: 'Oslo', answer: 'Oslo' },
    { options: ['2', '1'], text: '2', answer: '2' },
    { options: ['Paris'], text: '2', answer: '2' },
    { options: undefined, text: '1', answer: '1' },
  ])('takes $text for $answer when the options are $options', ({ options, text, answer }) => {
    const input = aQuestion(options === undefined ? {} : { options });
    expect(replyTo(input, text)).toEqual({ kind: 'answer', text: answer });
  });

  it.each([
    { text: 'y', reply: { kind: 'approve' } },
    { text: ' YES ', reply: { kind: 'approve' } },
    { text: 'n', reply: { kind: 'reject', reason: refusal } },
    { text: 'no: too late', reply: { kind: 'reject', reason: 'too late' } },
    { text: '{"to":"eve"}', reply: { kind: 'approve', args: { to: 'eve' } } },
  ])('decides an approval by $text', ({ text, reply }) => {
    expect(replyTo(anApproval(), text)).toEqual(reply);
  });

  it.each(['yes please', '', '[1]', 'nothing'])(
    'refuses %j as the answer to an approval',
    (text) => {
      expect(() => replyTo(anApproval(), text)).toThrow(/does not answer the approval 'a1.0'/);
    },
  );

  it.each([
    { text: '{"seat":"3A"}', reply: { kind: 'complete', value: { seat: '3A' } } },
    { text: ' null ', reply: { kind: 'complete', value: null } },
    { text: 'fail: sold out', reply: { kind: 'fail', reason: 'sold out' } },
  ])('gives the result of a call by $text', ({ text, reply }) => {
    expect(replyTo(aQuestion({ kind: 'tool' }), text)).toEqual(reply);
  });

  it.each(['3A', '{seat: 3A}', 'fail:'])('refuses %j as the result of a call', (text) => {
    expect(() => replyTo(aQuestion({ kind: 'tool' }), text)).toThrow(/give JSON/);
  });
});

describe('askPerson', () => {
  it.each([
    {
      name: 'an option by its number',
      input: aQuestion({ options: ['Paris', 'Rome'] }),
      typed: ['', '2'],
      asked: ['> ', '> '],
      reply: { kind: 'answer', text: 'Rome' },
    },
    {
      name: 'an approval',
      input: anApproval(),
      typed: ['what', 'y'],
      asked: ['[y]es, [n]o, [e]dit > ', '[y]es, [n]o, [e]dit > '],
      reply: { kind: 'approve' },
    },
    {
      name: 'a refusal with its reason',
      input: anApproval(),
      typed: ['n: too late'],
      asked: ['[y]es, [n]o, [e]dit > '],
      reply: { kind: 'reject', reason: 'too late' },
    },
    {
      name: 'other arguments at once',
      input: anApproval(),
      typed: ['{"to":"eve"}'],
      asked: ['[y]es, [n]o, [e]dit > '],
      reply: { kind: 'approve', args: { to: 'eve' } },
    },
    {
      name: 'a refusal and its reason',
      input: anApproval(),
      typed: ['n', 'too late'],
      asked: ['[y]es, [n]o, [e]dit > ', 'reason > '],
      reply: { kind: 'reject', reason: 'too late' },
    },
    {
      name: 'other arguments, until they are an object',
      input: anApproval(),
      typed: ['e', '{"to":', '{"to":"eve"}'],
      asked: ['[y]es, [n]o, [e]dit > ', 'arguments > {"to":"bob"}', 'arguments > {"to":'],
      reply: { kind: 'approve', args: { to: 'eve' } },
    },
    {
      name: 'nothing at the end of the input',
      input: aQuestion(),
      typed: [],
      asked: ['> '],
      reply: undefined,
    },
  ])('takes $name', async ({ input, typed, asked, reply }) => {
    const terminal = fakeTerminal({ typed });
    expect(await askPerson(input, terminal)).toEqual(reply);
    expect(terminal.asked).toEqual(asked);
  });

  it('says what an approval takes', async () => {
    const terminal = fakeTerminal({ typed: ['what', 'y'] });
    await askPerson(anApproval(), terminal);
    expect(terminal.printed.at(-1)).toBe(
      `'what' does not answer the approval 'a1.0': give y, n, "n: reason", or the arguments as a JSON object`,
    );
  });
});
