import { History } from './server/history';

// Runs continue as new by the size that the server tells them.
test('counts the bytes of payloads, whatever kind of buffer they are', () => {
  const sizeWith = (data: Uint8Array): number => {
    const history = new History(() => 0);
    history.append('workflowExecutionSignaled', { input: { payloads: [{ data }] } });
    return history.bytes;
  };

  const none = sizeWith(new Uint8Array());
  expect(sizeWith(new Uint8Array(5_000)) - none).toBe(5_000);
  expect(sizeWith(Buffer.alloc(5_000)) - none).toBe(5_000);
});
