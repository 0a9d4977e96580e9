import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import root from 'otlp-decoder/build/src/generated/root';
import type { PlainSpan } from '../unit/telemetry/otel/plain-span';

type WireValue = {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly WireValue[] };
};
type WireSpan = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: WireValue }[];
  readonly status: { readonly code?: number } | null;
};
type WireRequest = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
};

type Decoder = {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): object;
};

/** What the package generated. It has no types of its own. */
type Generated = {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { ExportTraceServiceRequest: Decoder } };
      };
    };
  };
};
const { ExportTraceServiceRequest } = (root as unknown as Generated).opentelemetry.proto.collector
  .trace.v1;

/** Takes spans over OTLP/HTTP, and decodes the protobuf with OpenTelemetry's own generated code. */
export class OtlpReceiver {
  readonly spans: PlainSpan[] = [];
  /** What was on the wire. */
  readonly bodies: Buffer[] = [];
  url = '';
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.bodies.push(body);
    const message = ExportTraceServiceRequest.decode(body);
    const decoded = ExportTraceServiceRequest.toObject(message, {
      longs: String,
      defaults: true,
    }) as WireRequest;
    const scopes = decoded.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
    this.spans.push(...scopes.flatMap(({ spans }) => spans.map(plain)));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }
}

function plain(span: WireSpan): PlainSpan {
  const { name, parentSpanId, startTimeUnixNano, endTimeUnixNano, attributes, status } = span;
  return {
    name,
    // The wire counts from 1, because 0 is unknown there.
    kind: span.kind - 1,
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentId: parentSpanId.length === 0 ? undefined : hex(parentSpanId),
    startedAt: milliseconds(startTimeUnixNano),
    endedAt: milliseconds(endTimeUnixNano),
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)])),
    status: status?.code ?? 0,
  };
}

function plainValue(value: WireValue): unknown {
  const { arrayValue, intValue } = value;
  if (arrayValue) return arrayValue.values.map(plainValue);
  if (intValue !== undefined && intValue !== null) return Number(intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function milliseconds(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000_000n);
}
