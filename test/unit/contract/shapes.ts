// The shapes of types, as JSON: the TypeScript compiler reads them, so that nobody writes them down twice.

import { resolve } from 'node:path';
import ts from 'typescript';
import { compilerOptions } from '../compiler-options';

/** The name of a primitive, or one of these. The name of an optional member ends with `?`. */
export type Shape =
  | string
  | { readonly const: string | number | boolean }
  | { readonly anyOf: readonly Shape[] }
  | { readonly items: Shape }
  | { readonly tuple: readonly Shape[] }
  | { readonly members: { readonly [name: string]: Shape }; readonly rest?: Shape }
  | { readonly ref: string };

export type Definitions = { readonly [name: string]: Shape };

const root = resolve(__dirname, '../../..');

/** Reads types of source files. */
export class ShapeReader {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #definitions: { [name: string]: Shape } = {};
  readonly #names = new Map<ts.Type, string>();

  constructor(files: readonly string[]) {
    this.#program = ts.createProgram([...files], compilerOptions());
    this.#checker = this.#program.getTypeChecker();
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** The shape of an exported type. */
  read(file: string, name: string): Shape {
    const found = this.#exportsOf(file).find((symbol) => symbol.name === name);
    if (found === undefined) throw new Error(`${file} does not export ${name}`);
    return this.#shape(this.#checker.getDeclaredTypeOfSymbol(found));
  }

  exportedNames(file: string): readonly string[] {
    return this.#exportsOf(file)
      .map(({ name }) => name)
      .sort();
  }

  #exportsOf(file: string): readonly ts.Symbol[] {
    const source = this.#program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    return this.#checker.getExportsOfModule(module);
  }

  #shape(type: ts.Type): Shape {
    const { flags } = type;
    if (flags & ts.TypeFlags.Boolean) return 'boolean';
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { const: this.#checker.typeToString(type) === 'true' };
    if (!(flags & ts.TypeFlags.Object) && !type.isUnionOrIntersection())
      return this.#checker.typeToString(type);
    return this.#named(type) ?? this.#structure(type);
  }

  /** Types of our own with a name are kept once: some contain themselves. */
  #named(type: ts.Type): Shape | undefined {
    const symbol = nameOf(type);
    if (symbol === undefined || !isOurs(symbol)) return undefined;
    const known = this.#names.get(type);
    if (known !== undefined) return { ref: known };
    const name = this.#freeName(symbol.name);
    this.#names.set(type, name);
    this.#definitions[name] = 'unknown';
    this.#definitions[name] = this.#structure(type);
    return { ref: name };
  }

  #freeName(name: string): string {
    let free = name;
    for (let n = 2; free in this.#definitions; n += 1) free = `${name}~${n}`;
    return free;
  }

  #structure(type: ts.Type): Shape {
    if (type.isUnion()) return { anyOf: unionOf(type.types.map((part) => this.#shape(part))) };
    if (type.getCallSignatures().length > 0) return 'function';
    if (this.#checker.isTupleType(type))
      return { tuple: this.#argumentsOf(type).map((part) => this.#shape(part)) };
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#argumentsOf(type);
      return { items: item === undefined ? 'unknown' : this.#shape(item) };
    }
    if (type.symbol?.name === 'Uint8Array') return 'Uint8Array';
    return this.#members(type);
  }

  #members(type: ts.Type): Shape {
    const members: [string, Shape][] = this.#checker.getPropertiesOfType(type).map((property) => {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const name = isOptional ? `${property.name}?` : property.name;
      const type = this.#checker.getTypeOfSymbol(property);
      return [name, this.#shape(isOptional ? withoutUndefined(type, this.#checker) : type)];
    });
    const rest = type.getStringIndexType();
    return {
      members: Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))),
      ...(rest && { rest: this.#shape(rest) }),
    };
  }

  #argumentsOf(type: ts.Type): readonly ts.Type[] {
    return this.#checker.getTypeArguments(type as ts.TypeReference);
  }
}

function nameOf(type: ts.Type): ts.Symbol | undefined {
  return type.aliasSymbol ?? (type.isClassOrInterface() ? type.symbol : undefined);
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations[0]?.getSourceFile().fileName.startsWith(`${root}/src/`) === true;
}

/** JSON has no undefined: the member is absent. */
function withoutUndefined(type: ts.Type, checker: ts.TypeChecker): ts.Type {
  const { Undefined } = ts.TypeFlags;
  const isPossible = type.isUnion() && type.types.some(({ flags }) => (flags & Undefined) !== 0);
  return isPossible ? checker.getNonNullableType(type) : type;
}

/** Sorted: the compiler's order changes with the order in which it meets the types. */
function unionOf(parts: readonly Shape[]): readonly Shape[] {
  const texts = new Set(parts.map((part) => JSON.stringify(part)));
  if (texts.has('{"const":true}') && texts.delete('{"const":false}')) {
    texts.delete('{"const":true}');
    texts.add('"boolean"');
  }
  return [...texts].sort().map((text) => JSON.parse(text) as Shape);
}
