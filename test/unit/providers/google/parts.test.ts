// Pure: no server.
import type { JsonObject } from '../../../../src/base/json';
import type { AssistantPart } from '../../../../src/protocol/message';
import { fromGenerateParts } from '../../../../src/providers/google/parts';
import { toContents } from '../../../../src/providers/google/to-contents';
import { origin, seal } from './wire-builders';

type Case = { name: string; wire: JsonObject; part: AssistantPart };

const cases: Case[] = [
  { name: 'text', wire: { text: 'Sunny.' }, part: { type: 'text', text: 'Sunny.' } },
  {
    name: 'text with a signature',
    wire: { text: 'Sunny.', thoughtSignature: 'Cp==' },
    part: { type: 'text', text: 'Sunny.', sealed: seal({ thoughtSignature: 'Cp==' }) },
  },
  {
    name: 'an empty text with a signature',
    wire: { text: '', thoughtSignature: 'Cp==' },
    part: { type: 'text', text: '', sealed: seal({ thoughtSignature: 'Cp==' }) },
  },
  {
    name: 'a thought',
    wire: { text: 'Hm.', thought: true },
    part: { type: 'reasoning', text: 'Hm.' },
  },
  {
    name: 'a thought with a signature',
    wire: { text: 'Hm.', thought: true, thoughtSignature: 'Cp==' },
    part: { type: 'reasoning', text: 'Hm.', sealed: seal({ thoughtSignature: 'Cp==' }) },
  },
  {
    name: 'a call with an id',
    wire: { functionCall: { id: 'fc-1', name: 'look', args: { city: 'Paris' } } },
    part: { type: 'tool_call', callId: 'fc-1', name: 'look', args: { city: 'Paris' } },
  },
  {
    name: 'a signed call without an id',
    wire: { functionCall: { name: 'look', args: {} }, thoughtSignature: 'Cp==' },
    part: {
      type: 'tool_call',
      callId: 'gemini-call-4',
      name: 'look',
      args: {},
      sealed: seal({ thoughtSignature: 'Cp==' }),
    },
  },
  {
    name: 'a call with a field of its own',
    wire: { functionCall: { id: 'fc-1', name: 'look', args: {}, willContinue: false } },
    part: {
      type: 'tool_call',
      callId: 'fc-1',
      name: 'look',
      args: {},
      sealed: seal({ functionCall: { willContinue: false } }),
    },
  },
  {
    name: 'an image',
    wire: { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 'Cp==' },
    part: {
      type: 'media',
      mediaType: 'image/png',
      source: { kind: 'base64', data: 'iVBO' },
      sealed: seal({ thoughtSignature: 'Cp==' }),
    },
  },
  {
    name: 'a file',
    wire: { fileData: { mimeType: 'video/mp4', fileUri: 'https://x.test/v' } },
    part: {
      type: 'media',
      mediaType: 'video/mp4',
      source: { kind: 'url', url: 'https://x.test/v' },
    },
  },
  {
    name: 'a part of an unknown kind',
    wire: { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'Cp==' },
    part: {
      type: 'opaque',
      label: 'executableCode',
      sealed: seal({ executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'Cp==' }),
    },
  },
  {
    name: 'a signature alone',
    wire: { thoughtSignature: 'Cp==' },
    part: { type: 'opaque', label: 'thoughtSignature', sealed: seal({ thoughtSignature: 'Cp==' }) },
  },
];

describe('fromGenerateParts', () => {
  it.each(cases)('reads $name', ({ wire, part }) => {
    expect(fromGenerateParts([wire], origin, 4)).toEqual([part]);
  });

  it.each(cases)('gives $name back as it came', ({ wire, part }) => {
    expect(toContents([{ role: 'assistant', parts: [part], origin }], origin.model)).toEqual([
      { role: 'model', parts: [wire] },
    ]);
  });

  it('merges and moves no part', () => {
    const wires = cases.map(({ wire }) => wire);

    expect(fromGenerateParts(wires, origin, 3).map(({ type }) => type)).toEqual(
      cases.map(({ part }) => part.type),
    );
  });

  it('numbers calls without ids within the run', () => {
    const call = { functionCall: { name: 'look' } };

    expect(
      fromGenerateParts([call, { functionCall: { id: '', name: 'look' } }], origin, 7),
    ).toEqual([
      { type: 'tool_call', callId: 'gemini-call-7', name: 'look', args: {} },
      { type: 'tool_call', callId: 'gemini-call-8', name: 'look', args: {} },
    ]);
  });

  it('leaves out parts that say nothing', () => {
    expect(fromGenerateParts([{ text: '' }, {}, { text: null }], origin, 0)).toEqual([]);
  });
});
