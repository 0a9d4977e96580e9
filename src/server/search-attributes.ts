// The search attributes by which the server filters runs. Reads which of them a namespace has, and registers them.

import type { OperatorService } from '@temporalio/client';
import { searchAttributes } from '../protocol';

/** `INDEXED_VALUE_TYPE_…` of the server's API by number, with the names that Temporal's own tools use. */
const typeNames = ['', 'Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList'];

/** Longhaul's attributes, each with the type it must have. */
export const attributeTypes: Readonly<Record<string, 'Keyword' | 'KeywordList'>> = {
  [searchAttributes.agent]: 'Keyword',
  [searchAttributes.status]: 'Keyword',
  [searchAttributes.key]: 'KeywordList',
};

export const attributeNames: readonly string[] = Object.keys(attributeTypes);

/** The attributes as Temporal's tools take them: `LonghaulAgent=Keyword`. */
export const typedNames: readonly string[] = Object.entries(attributeTypes).map((pair) =>
  pair.join('='),
);

/** `wrong-type`: somebody registered the name with the type `type`, so no run can set it. */
export type AttributeState = {
  readonly name: string;
  readonly status: 'registered' | 'missing' | 'wrong-type';
  readonly type?: string;
};

type Namespace = {
  readonly operatorService: Pick<OperatorService, 'listSearchAttributes' | 'addSearchAttributes'>;
  readonly namespace: string;
};

/** Which of the attributes the namespace has. Rejects if the server does not let the caller ask. */
export async function readAttributes(of: Namespace): Promise<readonly AttributeState[]> {
  const { customAttributes } = await of.operatorService.listSearchAttributes({
    namespace: of.namespace,
  });
  return attributeNames.map((name) => attributeState(name, customAttributes[name]));
}

/** Registers the missing attributes. It may run twice, or in two processes at once: the result is the same. */
export async function addAttributes(of: Namespace, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await of.operatorService.addSearchAttributes({
    namespace: of.namespace,
    searchAttributes: Object.fromEntries(
      names.map((name) => [name, typeNames.indexOf(attributeTypes[name] ?? '')]),
    ),
  });
}

export function isRegistered({ status }: AttributeState): boolean {
  return status === 'registered';
}

function attributeState(name: string, type: number | undefined): AttributeState {
  if (type === undefined) return { name, status: 'missing' };
  const found = typeNames[type] ?? `type ${type}`;
  return {
    name,
    status: found === attributeTypes[name] ? 'registered' : 'wrong-type',
    type: found,
  };
}
