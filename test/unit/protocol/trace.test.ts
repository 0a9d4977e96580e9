// Pure: no server.
import { derivedTrace, noSpan, readTraceparent, traceparent } from '../../../src/protocol/trace';

const parts = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  flags: '01',
};

describe('a traceparent', () => {
  it('is read as it is written', () => {
    expect(traceparent(parts)).toBe('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
    expect(readTraceparent(traceparent(parts))).toEqual(parts);
  });

  it('of a later version may have more fields', () => {
    expect(readTraceparent(`01${traceparent(parts).slice(2)}-more`)).toEqual(parts);
  });

  it.each([
    undefined,
    null,
    7,
    '',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `${traceparent(parts)}-${'x'.repeat(200)}`,
  ])('is not %j', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});

describe('the trace of a run that nobody traced', () => {
  it('follows from the topmost run, and no span is above it', () => {
    const trace = derivedTrace('run-1 first');
    expect(trace).toEqual(derivedTrace('run-1 first'));
    expect(trace).toMatchObject({ spanId: noSpan, flags: '01' });
    expect(readTraceparent(traceparent(trace))).toEqual(trace);
    expect(derivedTrace('run-2 first').traceId).not.toBe(trace.traceId);
  });
});
