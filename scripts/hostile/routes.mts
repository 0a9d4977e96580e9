// The routes of the handler, as its OpenAPI document says, and which of them were tried.

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly body?: { readonly properties?: Readonly<Record<string, unknown>> };
  readonly query: readonly string[];
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
};
type OperationObject = {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { readonly properties?: Record<string, unknown> } }>
    >;
  };
};

export function operationsOf(document: unknown): readonly Operation[] {
  const { paths } = document as Document;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => {
      const body = requestBody?.content['application/json']?.schema;
      const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
      return { method: method.toUpperCase(), path, query, ...(body && { body }) };
    }),
  );
}

export const nameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>): string =>
  `${method} ${path}`;

/** The operation that a request reaches: a fixed part of a path wins over a parameter. */
export function operationAt(
  operations: readonly Operation[],
  { method, path }: { readonly method: string; readonly path: string },
): Operation | undefined {
  const parts = partsOf(path.replace(/\?.*/s, ''));
  const fixed = (operation: Operation): string =>
    partsOf(operation.path)
      .map((part) => (part.startsWith('{') ? '1' : '0'))
      .join('');
  return operations
    .filter((each) => each.method === method && fits(partsOf(each.path), parts))
    .toSorted((left, right) => fixed(left).localeCompare(fixed(right), 'en'))[0];
}

const partsOf = (path: string): readonly string[] => path.slice(1).split('/');

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => part.startsWith('{') || part === parts[index])
  );
}
