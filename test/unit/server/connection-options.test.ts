// Pure: no server.
import { serverUnavailable } from '../../../src/server/connection-options';

describe('serverUnavailable', () => {
  it.each([
    [
      'tonic::transport::Error(Transport, ConnectError(ConnectError("tcp connect error", 127.0.0.1:1, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" })))',
      'Connection refused',
    ],
    [
      'tonic::transport::Error(Transport, ConnectError(ConnectError("dns error", Custom { kind: Uncategorized, error: "failed to lookup address information: Name or service not known" })))',
      'failed to lookup address information: Name or service not known',
    ],
    [
      'tonic::transport::Error(Transport, ConnectError(Custom { kind: InvalidData, error: InvalidMessage(InvalidContentType) }))',
      'InvalidMessage(InvalidContentType)',
    ],
    ['tonic::transport::Error(Transport)', 'no connection'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
  ])('says the reason in %s', (message, reason) => {
    expect(serverUnavailable('127.0.0.1:1', new Error(message)).message).toBe(
      `cannot reach Temporal at 127.0.0.1:1 (${reason}). Start one with \`longhaul dev\`, or set TEMPORAL_ADDRESS or --address`,
    );
  });
});
