// The search attributes runs are filtered by on the server: which of them a namespace has, and putting them there.

import type { OperatorService } from '@temporalio/client';
import { searchAttributes } from '../protocol/names';

/** `INDEXED_VALUE_TYPE_…` of the server's API by their numbers, as Temporal's own tools write them. */
const typeNames = ['', 'Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList'];

/** Ours, each with the type it must have. */
export const attributeTypes: Readonly<Record<string, 'Keyword' | 'KeywordList'>> = {
  [searchAttributes.agent]: 'Keyword',
  [searchAttributes.status]: 'Keyword',
  [searchAttributes.key]: 'KeywordList',
};

export const attributeNames: readonly string[] = Object.keys(attributeTypes);

/** As tools take them: `LonghaulAgent=Keyword`. */
export const typedNames: readonly string[] = Object.entries(attributeTypes).map((pair) =>
  pair.join('='),
);

/** `wrong-type`: somebody registered the name as something else, `type`, so that no run can set it. */
export type AttributeState = {
  readonly name: string;
  readonly status: 'registered' | 'missing' | 'wrong-type';
  readonly type?: string;
};

type Namespace = {
  readonly operatorService: Pick<OperatorService, 'listSearchAttributes' | 'addSearchAttributes'>;
  readonly namespace: string;
};

/** What the namespace has of them. Rejects where the server does not let the caller ask. */
export async function readAttributes(of: Namespace): Promise<readonly AttributeState[]> {
  const { customAttributes } = await of.operatorService.listSearchAttributes({
    namespace: of.namespace,
  });
  return attributeNames.map((name) => attributeState(name, customAttributes[name]));
}

/** Registers those that are missing. Done twice, by two at a time or by one, it changes nothing more. */
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
