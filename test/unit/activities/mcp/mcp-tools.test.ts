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
      name: 'sound as a note',
      content: [{ type: 'audio', data: png, mimeType: 'audio/wav' }],
      shown: '[audio audio/wav, 12 bytes of base64: not shown]',
    },
    {
      name: 'a file as a note',
      content: [{ type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } }],
      shown: '[resource a://b of an unknown type, 4 bytes of base64: not shown]',
    },
    {
      name: 'a picture no provider takes as a note',
      content: [image(png, 'image/svg+xml')],
      shown: '[image image/svg+xml, 12 bytes of base64: not shown]',
    },
    {
      name: 'a picture that is no base64 as a note',
      content: [image('not base64!!')],
      shown: '[image image/png, 12 bytes of base64: not shown]',
    },
  ])('shows $name', ({ content, shown }) => {
    expect(output(content)).toEqual(texts(shown));
  });

  it('shows pictures as pictures, of resources too, while there is room', () => {
    const blob = { type: 'resource', resource: { uri: 'a', mimeType: 'image/png', blob: png } };
    expect(output([text('see'), image(png), blob as Block])).toEqual({
      isError: false,
      content: [{ type: 'text', text: 'see' }, media, media],
    });
    const large = 'A'.repeat(100_000);
    const { content } = output([image(large), image(large)]);
    expect(content.map(({ type }) => type)).toEqual(['text', 'media']);
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(limits.toolResultStored);
  });

  it('prefers structured content to text, but not to pictures', () => {
    const structuredContent = { a: 1 };
    expect(output([text('{"a":1}')], { structuredContent })).toEqual({
      isError: false,
      content: [{ type: 'json', value: { a: 1 } }],
    });
    expect(output([image(png)], { structuredContent }).content).toEqual([media]);
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
  });

  it('cuts what is long', () => {
    const { content } = output([text('x'.repeat(500_000))]);
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(66_000);
  });
});
