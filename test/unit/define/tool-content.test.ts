// Pure: no server.
import { toolContent } from '../../../src';
import { isToolContent, toolContentOutput } from '../../../src/define/tool-content';
import { limits } from '../../../src/protocol/limits';

/** As a caller without types writes it. */
const read = (...parts: unknown[]) => toolContentOutput('chart', toolContent(parts as never));
const media = (fields: object) => ({ type: 'media', mediaType: 'image/png', ...fields });
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const base64 = 'iVBORw0KGgo=';
const inLog = (mediaType: string, data: string) => ({
  type: 'media',
  mediaType,
  source: { kind: 'base64', data },
});

describe('toolContent', () => {
  it('keeps texts, JSON and media in their order', () => {
    const value = { may: 12, june: undefined };
    const url = 'https://charts.example/may.png';
    expect(
      read(
        'Sales:',
        { type: 'text', text: 'of May' },
        { type: 'json', value },
        media({ data: png }),
        media({ url }),
      ),
    ).toEqual({
      isError: false,
      content: [
        { type: 'text', text: 'Sales:' },
        { type: 'text', text: 'of May' },
        { type: 'json', value: { may: 12 } },
        inLog('image/png', base64),
        { type: 'media', mediaType: 'image/png', source: { kind: 'url', url } },
      ],
    });
    expect(read()).toEqual({ isError: false, content: [] });
  });

  it('takes bytes in any view of a buffer, and base64', () => {
    const buffer = Buffer.concat([Buffer.from('before'), png, Buffer.from('after')]);
    const views = [buffer.subarray(6, 14), new DataView(png.buffer), base64];
    for (const data of views)
      expect(read(media({ data })).content).toEqual([inLog('image/png', base64)]);
  });

  it.each([
    ['a file of text as its text', { mediaType: 'text/csv; charset=utf-8', data: 'YSxi' }, 'a,b'],
    [
      'a picture in text form as its text',
      { mediaType: 'image/svg+xml', data: 'PHN2Zy8+' },
      '<svg/>',
    ],
    ['a JSON file as its text', { mediaType: 'application/json', data: Buffer.from('[1]') }, '[1]'],
  ])('gives %s', (_name, fields, text) => {
    expect(read(media(fields)).content).toEqual([{ type: 'text', text }]);
  });

  it.each([
    ['image/jpeg', base64, 'image/png'],
    ['IMAGE/PNG', '/9j/4AAQ', 'image/jpeg'],
    ['image/png', Buffer.from('GIF89a____').toString('base64'), 'image/gif'],
    [
      'image/png',
      Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ').toString('base64'),
      'image/webp',
    ],
    ['application/pdf', Buffer.from('%PDF-1.7').toString('base64'), 'application/pdf'],
    ['audio/wav', 'UklGRgAA', 'audio/wav'],
  ])('reads the type of %s from data that begin with %s', (mediaType, data, found) => {
    expect(read(media({ mediaType, data })).content).toEqual([inLog(found, data)]);
  });

  it.each([
    [7, 'parts[0] must be a text or an object, not a number'],
    [
      { type: 'image', data: base64 },
      'parts[0].type must be "text", "json" or "media", not "image"',
    ],
    [{ type: 'text', text: 7 }, 'parts[0].text must be a text, not a number'],
    [
      { type: 'json', value: { at: new Date(0) } },
      'parts[0].value.at is not JSON: a Date object is not JSON',
    ],
    [{ type: 'media', data: base64 }, 'parts[0].mediaType must be a type such as "image/png"'],
    [
      media({ mediaType: 'png', data: base64 }),
      'parts[0].mediaType must be a type such as "image/png"',
    ],
    [media({}), 'parts[0] must have data or url'],
    [media({ data: base64, url: 'https://x' }), 'parts[0] must have data or url'],
    [media({ data: '' }), 'parts[0].data is empty'],
    [media({ data: new Uint8Array() }), 'parts[0].data is empty'],
    [
      media({ data: 'not base64' }),
      'parts[0].data must be a Uint8Array, or base64 with its padding',
    ],
    [
      media({ data: `data:image/png;base64,${base64}` }),
      'parts[0].data must be a Uint8Array, or base64 with its padding',
    ],
    [media({ data: 'AAAA' }), 'parts[0].data is not image/png: it begins otherwise'],
    [
      media({ url: `data:image/png;base64,${base64}` }),
      'parts[0].url must start with https://, http:// or gs://; content itself goes into data',
    ],
    [media({ url: `https://x/${'a'.repeat(9_000)}` }), 'parts[0].url is longer than 8 KiB'],
  ])('tells the model that the tool ran, and what is wrong with %j', (part, problem) => {
    expect(read(part)).toEqual({
      isError: true,
      content: [
        { type: 'text', text: `The tool 'chart' ran, but its result is wrong: ${problem}.` },
      ],
    });
  });

  it('names the part that is wrong, and refuses too many', () => {
    expect(read('a', 'b', media({})).content).toMatchObject([
      { text: expect.stringContaining('parts[2] must') as string },
    ]);
    const many = Array.from({ length: limits.toolParts + 1 }, () => 'x');
    expect(read(...many)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('at most 100 parts') as string }],
    });
    expect(toolContentOutput('chart', toolContent('a text' as never)).isError).toBe(true);
  });

  it('is not the JSON that looks like it, and refuses to become JSON', () => {
    expect(isToolContent({ parts: ['x'] })).toBe(false);
    expect(isToolContent(null)).toBe(false);
    expect(isToolContent(toolContent(['x']))).toBe(true);
    expect(() => JSON.stringify(toolContent(['x']))).toThrow(
      'only execute of a tool made by defineTool',
    );
  });
});
