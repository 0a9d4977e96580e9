// Pure: no server. The server's operator API is a double.
import { ServiceError, type Client } from '@temporalio/client';
import { toCliError } from '../../../../src/cli/exit';
import {
  type AttributeReport,
  registerAttributes,
  renderAttributes,
} from '../../../../src/cli/doctor/search-attributes';
import { createStyle } from '../../../../src/cli/render/text';

const [text, keyword, keywordList] = [1, 2, 7];

/** A client of a namespace with these attributes. */
function clientOf(
  customAttributes: Record<string, number>,
  refusal?: Error,
): { client: Client; added: unknown[] } {
  const added: unknown[] = [];
  const client = {
    options: { namespace: 'team' },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    connection: {
      operatorService: {
        listSearchAttributes: async () => ({ customAttributes }),
        addSearchAttributes: async (request: unknown) => {
          if (refusal !== undefined) throw refusal;
          added.push(request);
        },
      },
    },
  };
  return { client: client as unknown as Client, added };
}

function refusalOf(code: number): ServiceError {
  const cause = Object.assign(new Error('no'), { code, details: 'Request unauthorized.' });
  return new ServiceError('no', { cause });
}

describe('registerAttributes', () => {
  it.each<{
    name: string;
    there: Record<string, number>;
    added: unknown[];
    reports: Pick<AttributeReport, 'name' | 'status' | 'type'>[];
  }>([
    {
      name: 'all',
      there: {},
      added: [
        {
          namespace: 'team',
          searchAttributes: { LonghaulAgent: 2, LonghaulStatus: 2, LonghaulKey: 7 },
        },
      ],
      reports: [
        { name: 'LonghaulAgent', status: 'registered', type: 'Keyword' },
        { name: 'LonghaulStatus', status: 'registered', type: 'Keyword' },
        { name: 'LonghaulKey', status: 'registered', type: 'KeywordList' },
      ],
    },
    {
      name: 'the one that is missing',
      there: { LonghaulAgent: keyword, LonghaulKey: keywordList, Other: text },
      added: [{ namespace: 'team', searchAttributes: { LonghaulStatus: 2 } }],
      reports: [
        { name: 'LonghaulAgent', status: 'already-there', type: 'Keyword' },
        { name: 'LonghaulStatus', status: 'registered', type: 'Keyword' },
        { name: 'LonghaulKey', status: 'already-there', type: 'KeywordList' },
      ],
    },
    {
      name: 'none where a name is taken',
      there: { LonghaulAgent: keyword, LonghaulStatus: text, LonghaulKey: keyword },
      added: [],
      reports: [
        { name: 'LonghaulAgent', status: 'already-there', type: 'Keyword' },
        { name: 'LonghaulStatus', status: 'wrong-type', type: 'Text' },
        { name: 'LonghaulKey', status: 'wrong-type', type: 'Keyword' },
      ],
    },
  ])('registers $name', async ({ there, added, reports }) => {
    const { client, added: sent } = clientOf(there);
    const found = await registerAttributes(client);
    expect(found.map(({ name, status, type }) => ({ name, status, type }))).toEqual(reports);
    expect(sent).toEqual(added);
  });

  it.each([
    { name: 'permission denied', code: 7 },
    { name: 'unimplemented', code: 12 },
  ])('says who can where the server refuses: $name', async ({ code }) => {
    const registering = registerAttributes(clientOf({}, refusalOf(code)).client);
    const { message, code: errorCode } = await registering.then(
      () => ({ message: 'registered', code: '' }),
      toCliError,
    );
    expect(errorCode).toBe('ServerUnavailable');
    expect(message).toContain("in namespace 'team' (Request unauthorized.)");
    expect(message).toContain(
      '`temporal operator search-attribute create --namespace team --name LonghaulAgent --type Keyword --name LonghaulStatus --type Keyword --name LonghaulKey --type KeywordList`',
    );
    expect(message).toContain(
      '`tcld namespace search-attributes add --namespace team --sa LonghaulAgent=Keyword --sa LonghaulStatus=Keyword --sa LonghaulKey=KeywordList`',
    );
  });

  it('passes other errors on', async () => {
    const refusal = refusalOf(16);
    await expect(registerAttributes(clientOf({}, refusal).client)).rejects.toBe(refusal);
  });
});

describe('renderAttributes', () => {
  it('says of each attribute how it stands, and what to do', () => {
    const reports: AttributeReport[] = [
      { name: 'LonghaulAgent', status: 'already-there', type: 'Keyword' },
      { name: 'LonghaulStatus', status: 'wrong-type', type: 'Text', todo: 'remove it' },
    ];
    expect(renderAttributes(reports, createStyle(false))).toEqual([
      'already there  LonghaulAgent   Keyword',
      'wrong type     LonghaulStatus  Text',
      '               → remove it',
    ]);
  });
});
