// Pure: no server. How each dialect gives the media of tool results to a model.
import type { Message, ToolContent, ToolResult } from '../../../src/protocol/message';
import { toMessages } from '../../../src/providers/anthropic/to-messages';
import { toContents } from '../../../src/providers/google/to-contents';
import { toChatMessages } from '../../../src/providers/openai/chat/to-chat-request';
import { toResponsesInput } from '../../../src/providers/openai/responses/to-responses-request';

const png = 'iVBORw0KGgo=';
const inline = (mediaType: string, data = 'AAAA'): ToolContent => ({
  type: 'media',
  mediaType,
  source: { kind: 'base64', data },
});
const linked = (mediaType: string, url: string): ToolContent => ({
  type: 'media',
  mediaType,
  source: { kind: 'url', url },
});
const text = (value: string): ToolContent => ({ type: 'text', text: value });
const picture = inline('image/png', png);
const sound = inline('audio/wav');
const video = inline('video/mp4');
const pdf = inline('application/pdf', 'JVBERi0=');

/** A turn with a call for each result, and the results. */
function turn(
  ...results: { readonly content: ToolContent[]; readonly isError?: boolean }[]
): Message[] {
  const name = 'chart';
  const parts = results.map(({ content, isError = false }, index): ToolResult => ({
    type: 'tool_result',
    callId: `call_${index}`,
    name,
    isError,
    content,
  }));
  const calls = parts.map(({ callId }) => ({ type: 'tool_call', callId, name, args: {} }) as const);
  return [
    { role: 'assistant', parts: calls },
    { role: 'tool', parts },
  ];
}

const refused = (label: string) => `[${label}] (this model does not take it)`;
const after = (label: string) => `[${label}] (see after the results)`;

describe('OpenAI Responses', () => {
  const outputs = (...results: Parameters<typeof turn>) =>
    toResponsesInput(turn(...results)).slice(results.length) as unknown[];

  it('puts pictures and PDFs into the output, and notes in place of the rest', () => {
    const content = [text('May:'), picture, pdf, sound, linked('image/png', 'https://x/y.png')];
    expect(outputs({ content })).toEqual([
      {
        type: 'function_call_output',
        call_id: 'call_0',
        output: [
          { type: 'input_text', text: 'May:' },
          { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${png}` },
          {
            type: 'input_file',
            filename: 'file.pdf',
            file_data: 'data:application/pdf;base64,JVBERi0=',
          },
          { type: 'input_text', text: refused('audio/wav, 3 bytes') },
          { type: 'input_image', detail: 'auto', image_url: 'https://x/y.png' },
        ],
      },
    ]);
  });

  it('stays a plain text without media that the API takes', () => {
    expect(outputs({ content: [text('May:'), video, linked('image/png', 'gs://a/b')] })).toEqual([
      {
        type: 'function_call_output',
        call_id: 'call_0',
        output: `May:\n${refused('video/mp4, 3 bytes')}\n${refused('image/png gs://a/b')}`,
      },
    ]);
  });
});

describe('OpenAI Chat Completions', () => {
  const messages = (...results: Parameters<typeof turn>) =>
    toChatMessages(turn(...results), false).slice(1);

  it('puts media into a user message after all results of the turn', () => {
    expect(
      messages(
        { content: [text('May:'), picture] },
        { content: [text('none')] },
        { content: [sound, pdf] },
      ),
    ).toEqual([
      { role: 'tool', tool_call_id: 'call_0', content: `May:\n${after('image/png, 8 bytes')}` },
      { role: 'tool', tool_call_id: 'call_1', content: 'none' },
      {
        role: 'tool',
        tool_call_id: 'call_2',
        content: `${after('audio/wav, 3 bytes')}\n${after('application/pdf, 5 bytes')}`,
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[image/png, 8 bytes] of result 1, from chart:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'text', text: '[audio/wav, 3 bytes] of result 3, from chart:' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'text', text: '[application/pdf, 5 bytes] of result 3, from chart:' },
          {
            type: 'file',
            file: { filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          },
        ],
      },
    ]);
  });

  it('writes notes in place of what the API does not take', () => {
    const content = [video, inline('image/tiff'), linked('application/pdf', 'https://x/a.pdf')];
    expect(messages({ content })).toEqual([
      {
        role: 'tool',
        tool_call_id: 'call_0',
        content: [
          refused('video/mp4, 3 bytes'),
          refused('image/tiff, 3 bytes'),
          refused('application/pdf https://x/a.pdf'),
        ].join('\n'),
      },
    ]);
  });
});

describe('Anthropic Messages', () => {
  const blocks = (...results: Parameters<typeof turn>) => toMessages(turn(...results))[1]?.content;
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };

  it('puts pictures and PDFs into the result, and notes in place of the rest', () => {
    const large = inline('image/png', 'A'.repeat(8_000_000));
    expect(blocks({ content: [text('May:'), picture, pdf, sound, large] })).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'call_0',
        content: [
          { type: 'text', text: 'May:' },
          image,
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          },
          { type: 'text', text: refused('audio/wav, 3 bytes') },
          { type: 'text', text: refused('image/png, 6,000,000 bytes') },
        ],
      },
    ]);
  });

  it('puts the media of an error after all results, because an error takes only text', () => {
    expect(
      blocks({ content: [text('no'), picture], isError: true }, { content: [picture] }),
    ).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'call_0',
        is_error: true,
        content: [
          { type: 'text', text: 'no' },
          { type: 'text', text: after('image/png, 8 bytes') },
        ],
      },
      { type: 'tool_result', tool_use_id: 'call_1', content: [image] },
      { type: 'text', text: '[image/png, 8 bytes] of result 1, from chart:' },
      image,
    ]);
  });
});

describe('Google', () => {
  const contents = (model: string, ...results: Parameters<typeof turn>) =>
    toContents(turn(...results), model).slice(1);
  const inlineData = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });

  it('puts pictures and PDFs into the result, and other media into a turn after it', () => {
    const content = [text('May:'), picture, pdf, video, inline('image/gif')];
    expect(contents('gemini-3-pro', { content })).toEqual([
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              name: 'chart',
              response: {
                output: `May:\n${after('video/mp4, 3 bytes')}\n${refused('image/gif, 3 bytes')}`,
              },
              parts: [inlineData('image/png', png), inlineData('application/pdf', 'JVBERi0=')],
            },
          },
        ],
      },
      {
        role: 'user',
        parts: [
          { text: '[video/mp4, 3 bytes] of result 1, from chart:' },
          inlineData('video/mp4', 'AAAA'),
        ],
      },
    ]);
  });

  it('keeps one part for each call of a model that takes no media in results', () => {
    const json: ToolContent = { type: 'json', value: { sum: 7 } };
    const link = linked('image/png', 'gs://bucket/may.png');
    expect(contents('gemini-2.5-pro', { content: [json] }, { content: [picture, link] })).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'chart', response: { output: { sum: 7 } } } },
          {
            functionResponse: {
              name: 'chart',
              response: {
                output: `${after('image/png, 8 bytes')}\n${after('image/png gs://bucket/may.png')}`,
              },
            },
          },
        ],
      },
      {
        role: 'user',
        parts: [
          { text: '[image/png, 8 bytes] of result 2, from chart:' },
          inlineData('image/png', png),
          { text: '[image/png gs://bucket/may.png] of result 2, from chart:' },
          { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/may.png' } },
        ],
      },
    ]);
  });
});
