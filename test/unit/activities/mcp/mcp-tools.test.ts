// Pure: no server.
import { mcpOutput } from '../../../../src/activities/mcp/mcp-tools';
import { limits } from '../../../../src/protocol/limits';

type Result = Parameters<typeof mcpOutput>[1];
type Block = Result['content'][number];

const png = 'iVBORw0KGgo=';
const text = (value: string): Block => ({ type: 'text', text: value });
const image = (data: string, mimeType = 'image/png'): Block => ({ type: 'image', data, mimeType });
const output = (content: Block[], more: Partial<Result> = {}) =>
  mcpOutput('t', { content, ...more });
const texts = (value: string) => ({ isError: false, content: [{ type: 'text', text: value }] });
const media = {
  type: 'media',
  mediaType: 'image/png',
  source: { kind: 'base64', data: png },
};

describe('mcpOutput', () => {
  it.each<{ name: string; content: Block[]; shown: string }>([
    { name: 'texts, one below the other', content: [text('a'), text('b')], shown: 'a\nb' },
    {
      name: 'a text resource as its text',
      content: [{ type: 'resource', resource: { uri: 'a://b', text: 'hi' } }],
      shown: 'hi',
    },
    {
      name: 'a link by name, description and address',
      content: [{ type: 'resource_link', name: 'n', description: 'd', uri: 'a://b' }],
      shown: 'n: d: a://b',
    },
    {
      name: 'a file of text as its text',
      content: [
        { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', blob: 'aGk=' } },
      ],
      shown: 'hi',
    },
    {
      name: 'a picture in text form as its text',
      content: [image('PHN2Zy8+', 'image/svg+xml')],
      shown: '<svg/>',
    },
    {
      name: 'a file of an unknown type as a note',
      content: [{ type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } }],
      shown: '[resource a://b of an unknown type, 4 bytes of base64: not shown]',
    },
    {
      name: 'a picture that is no base64 as a note',
      content: [image('not base64!!')],
      shown: '[image image/png, 12 bytes of base64: not shown]',
    },
    {
      name: 'a picture that is no picture as a note',
      content: [image('AAAA')],
      shown: '[image image/png, 4 bytes of base64: not shown]',
    },
  ])('shows $name', ({ content, shown }) => {
    expect(output(content)).toEqual(texts(shown));
  });

  it('keeps media, of resources too, and the order of the blocks', () => {
    const resource = { uri: 'a', mimeType: 'application/pdf', blob: 'JVBERi0=' };
    const sound: Block = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
    const content = [text('see'), text(''), image(png), text('and'), text('this:'), sound];
    expect(output([...content, { type: 'resource', resource }])).toEqual({
      isError: false,
      content: [
        { type: 'text', text: 'see' },
        media,
        { type: 'text', text: 'and\nthis:' },
        { type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'AAAA' } },
        {
          type: 'media',
          mediaType: 'application/pdf',
          source: { kind: 'base64', data: 'JVBERi0=' },
        },
      ],
    });
  });

  it('takes the type from the data of a picture, because providers check it', () => {
    expect(output([image(png, 'image/jpeg')]).content).toEqual([media]);
  });

  it('prefers structured content to text, and keeps pictures beside it', () => {
    const structuredContent = { a: 1 };
    const json = { type: 'json', value: { a: 1 } };
    expect(output([text('{"a":1}')], { structuredContent }).content).toEqual([json]);
    expect(output([text('a'), image(png)], { structuredContent }).content).toEqual([json, media]);
  });

  it('tells errors, and says so when the server gives no reason', () => {
    expect(output([text('no')], { isError: true })).toMatchObject({
      isError: true,
      content: [{ text: 'no' }],
    });
    expect(output([], { isError: true })).toMatchObject({
      isError: true,
      content: [{ text: "The tool 't' failed and did not say why." }],
    });
    expect(output([image(png)], { isError: true })).toEqual({
      isError: true,
      content: [{ type: 'text', text: "The tool 't' failed and did not say why." }, media],
    });
  });

  it('bounds how many parts there are', () => {
    const { content } = output(Array.from({ length: 1_000 }, () => image(png)));
    expect(content).toHaveLength(limits.toolParts + 1);
    expect(content.at(-1)).toEqual({ type: 'text', text: '[900 more parts: left out]' });
  });
});
