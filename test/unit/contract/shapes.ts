// The shapes of types, as JSON: the TypeScript compiler reads them, so that nobody writes them down twice.

import { resolve } from 'node:path';
import ts from 'typescript';
import { compilerOptions } from '../compiler-options';

/** The name of a primitive or of a type that is not ours, or one of these. The name of an optional member ends with `?`. */
export type Shape =
  | string
  | { readonly const: string | number | boolean }
  | { readonly anyOf: readonly Shape[] }
  | { readonly items: Shape }
  | { readonly tuple: readonly Shape[] }
  | {
      readonly members: { readonly [name: string]: Shape };
      readonly rest?: Shape;
      /** Only a class of ours makes such an object. */
      readonly isOurs?: true;
    }
  | { readonly foreign: string; readonly of: readonly Shape[] }
  | { readonly calls: readonly Signature[] }
  | { readonly ref: string };

/** The first `needs` of what it takes must be given. */
export type Signature = {
  readonly takes: readonly Shape[];
  readonly needs: number;
  readonly rest?: Shape;
  readonly gives: Shape;
};

export type Edit = (file: string, text: string) => string;

export type Definitions = { readonly [name: string]: Shape };

const root = resolve(__dirname, '../../..');

/** In place of a definition's name: a parameter, and what has no name in it. */
const given = '()';

const { Boolean: aBoolean, BooleanLiteral, Object: anObject } = ts.TypeFlags;
const { StringLike, TypeParameter } = ts.TypeFlags;

/** Files that are as they are on disk, so that a second program does not parse them again. */
const parsed = new Map<string, ts.SourceFile>();

/** Reads types of source files. */
export class ShapeReader {
  readonly program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #definitions: { [name: string]: Shape } = {};
  readonly #names = new Map<ts.Type, string>();
  /** Types without a name that are being read. */
  readonly #open = new Set<ts.Type>();
  /** Where members and parameters are declared, with the definitions that have them. */
  readonly #places = new Map<ts.Declaration, Set<string>>();
  /** The definition that is being read. */
  #within = '';

  /** `edit`: what the text of a file shall be instead. */
  constructor(files: readonly string[], edit: Edit = (_, text) => text) {
    const host = ts.createCompilerHost(compilerOptions());
    const read = host.readFile;
    host.readFile = (file) => {
      const text = read(file);
      return text === undefined ? undefined : edit(file, text);
    };
    const { getSourceFile } = host;
    host.getSourceFile = (file, ...rest) => {
      const text = read(file);
      if (text === undefined || edit(file, text) !== text) return getSourceFile(file, ...rest);
      const known = parsed.get(file) ?? getSourceFile(file, ...rest);
      if (known !== undefined) parsed.set(file, known);
      return known;
    };
    this.program = ts.createProgram([...files], compilerOptions(), host);
    this.#checker = this.program.getTypeChecker();
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** Where the members and parameters are declared that somebody gives to what these shapes export. */
  given(exported: readonly Shape[]): ReadonlySet<ts.Declaration> {
    const names = givenTo(exported, this.#definitions);
    const isGiven = (name: string): boolean => name === given || names.has(name);
    const found = [...this.#places].filter(([, places]) => [...places].some(isGiven));
    return new Set(found.map(([declaration]) => declaration));
  }

  /** The shape of an exported type. */
  read(file: string, name: string): Shape {
    const found = this.#exportsOf(file).find((symbol) => symbol.name === name);
    if (found === undefined) throw new Error(`${file} does not export ${name}`);
    return this.#shape(this.#checker.getDeclaredTypeOfSymbol(found));
  }

  /** What a file exports: types, values, and classes with `new` and the members of their instances. */
  exported(file: string): Shape {
    const members = this.#exportsOf(file).map((symbol) => [
      symbol.name,
      this.#exportedShape(symbol),
    ]);
    return { members: Object.fromEntries(members.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))) };
  }

  #exportsOf(file: string): readonly ts.Symbol[] {
    const source = this.program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    return this.#checker.getExportsOfModule(module);
  }

  #exportedShape(exported: ts.Symbol): Shape {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported;
    if (!(symbol.flags & ts.SymbolFlags.Value))
      return this.#shape(this.#checker.getDeclaredTypeOfSymbol(symbol));
    return this.#shape(this.#checker.getTypeOfSymbol(symbol));
  }

  #shape(type: ts.Type): Shape {
    const { flags } = type;
    if (flags & aBoolean) return 'boolean';
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (flags & BooleanLiteral) return { const: this.#textOf(type) === 'true' };
    if (flags & TypeParameter) return this.#bound(type);
    const isMade = (flags & anObject) !== 0 || type.isUnionOrIntersection();
    if (!isMade || isMarked(type)) return this.#textOf(type);
    return this.#kept(type);
  }

  #textOf(type: ts.Type): string {
    return this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  }

  /** What every type is that may stand for the parameter. */
  #bound(type: ts.Type): Shape {
    const bound = this.#checker.getBaseConstraintOfType(type);
    return bound === undefined || bound === type ? 'unknown' : this.#shape(bound);
  }

  /** Types of our own with a name are kept once. So are types that contain themselves: they get a name. */
  #kept(type: ts.Type): Shape {
    const known = this.#names.get(type);
    if (known !== undefined) return { ref: known };
    const symbol = nameOf(type);
    if (symbol !== undefined && isOurs(symbol)) return this.#define(type, symbol.name);
    if (this.#open.has(type)) return { ref: this.#name(type, 'unnamed') };
    this.#open.add(type);
    const shape = this.#structure(type);
    this.#open.delete(type);
    const name = this.#names.get(type);
    if (name === undefined) return shape;
    this.#definitions[name] = shape;
    return { ref: name };
  }

  #define(type: ts.Type, wanted: string): Shape {
    const name = this.#name(type, wanted);
    this.#definitions[name] = this.#inside(name, () => this.#structure(type));
    return { ref: name };
  }

  #inside(name: string, read: () => Shape): Shape {
    const before = this.#within;
    this.#within = name;
    const shape = read();
    this.#within = before;
    return shape;
  }

  #note({ declarations = [] }: ts.Symbol): void {
    for (const declaration of declarations) {
      const places = this.#places.get(declaration) ?? new Set();
      this.#places.set(declaration, places.add(this.#within));
    }
  }

  #name(type: ts.Type, wanted: string): string {
    const name = this.#freeName(wanted);
    this.#names.set(type, name);
    this.#definitions[name] = 'unknown';
    return name;
  }

  #freeName(name: string): string {
    let free = name;
    for (let n = 2; free in this.#definitions; n += 1) free = `${name}~${n}`;
    return free;
  }

  #structure(type: ts.Type): Shape {
    const foreign = this.#foreign(type);
    if (foreign !== undefined) return foreign;
    if (type.isUnion()) return { anyOf: unionOf(type.types.map((part) => this.#shape(part))) };
    const calls = [...type.getCallSignatures(), ...type.getConstructSignatures()];
    if (calls.length > 0) return { calls: calls.map((call) => this.#signature(call)) };
    if (this.#checker.isTupleType(type))
      return { tuple: this.#argumentsOf(type).map((part) => this.#shape(part)) };
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#argumentsOf(type);
      return { items: item === undefined ? 'unknown' : this.#shape(item) };
    }
    return this.#membersOf(type);
  }

  #signature(signature: ts.Signature): Signature {
    const { parameters, declaration } = signature;
    const nodes = (declaration?.parameters ?? []).filter(ts.isParameter);
    const takes = parameters.map((parameter) =>
      this.#inside(given, () => {
        this.#note(parameter);
        return this.#shape(this.#checker.getTypeOfSymbol(parameter));
      }),
    );
    const isOptional = (node: ts.ParameterDeclaration): boolean =>
      node.questionToken !== undefined || node.initializer !== undefined;
    const last = nodes.findLastIndex((node) => !isOptional(node) && !node.dotDotDotToken);
    const rest = nodes.at(-1)?.dotDotDotToken && takes.pop();
    return {
      takes,
      needs: nodes.length === 0 ? takes.length : last + 1,
      ...(rest !== undefined && { rest }),
      gives: this.#shape(signature.getReturnType()),
    };
  }

  /** A type with a name that others declare: `Promise<Run>`, `AbortSignal`. */
  #foreign(type: ts.Type): Shape | undefined {
    if (this.#checker.isTupleType(type) || this.#checker.isArrayType(type)) return undefined;
    const symbol = nameOf(type) ?? type.symbol;
    if (!isOthers(symbol)) return undefined;
    const isAlias = symbol === type.aliasSymbol;
    const given = (isAlias ? type.aliasTypeArguments : this.#argumentsOf(type)) ?? [];
    if (isUtility(symbol) && !given.some((part) => isForeign(part))) return undefined;
    if (given.length === 0) return symbol.name;
    return { foreign: symbol.name, of: given.map((part) => this.#shape(part)) };
  }

  #membersOf(type: ts.Type): Shape {
    const properties = this.#checker.getPropertiesOfType(type).filter(isPublic);
    const members: [string, Shape][] = properties.map((property) => {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      if (isOptional) this.#note(property);
      const name = isOptional ? `${property.name}?` : property.name;
      const type = this.#checker.getTypeOfSymbol(property);
      return [name, this.#shape(isOptional ? withoutUndefined(type, this.#checker) : type)];
    });
    const rest = type.getStringIndexType();
    return {
      members: Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))),
      ...(rest && { rest: this.#shape(rest) }),
      ...(isOurClass(type) && { isOurs: true as const }),
    };
  }

  #argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? this.#checker.getTypeArguments(type) : [];
  }
}

/** `string & {}`: a text for which editors complete some values. */
function isMarked(type: ts.Type): boolean {
  return type.isIntersection() && type.types.some(({ flags }) => (flags & StringLike) !== 0);
}

function isReference(type: ts.Type): type is ts.TypeReference {
  const { objectFlags = 0 } = type as Partial<ts.ObjectType>;
  return (type.flags & anObject) !== 0 && (objectFlags & ts.ObjectFlags.Reference) !== 0;
}

function nameOf(type: ts.Type): ts.Symbol | undefined {
  const isNamed =
    type.isClassOrInterface() || (isReference(type) && type.target.isClassOrInterface());
  return type.aliasSymbol ?? (isNamed ? type.symbol : undefined);
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations[0]?.getSourceFile().fileName.startsWith(`${root}/src/`) === true;
}

function isOurClass({ symbol }: ts.Type): boolean {
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Class) !== 0 && isOurs(symbol);
}

function isOthers(symbol: ts.Symbol | undefined): symbol is ts.Symbol {
  const { name = '__', declarations = [] } = symbol ?? {};
  const file = declarations[0]?.getSourceFile().fileName;
  return !name.startsWith('__') && file?.includes('/node_modules/') === true;
}

/** `Pick` and its like: what they make of our types is read. */
function isUtility({ flags, declarations = [] }: ts.Symbol): boolean {
  const isAlias = (flags & ts.SymbolFlags.TypeAlias) !== 0;
  return isAlias && /\/lib\.[\w.]+\.d\.ts$/.test(declarations[0]?.getSourceFile().fileName ?? '');
}

function isForeign(type: ts.Type): boolean {
  const symbol = nameOf(type);
  return isOthers(symbol) && !isUtility(symbol);
}

function isPublic({ declarations = [], name }: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isHidden = declarations.some((node) => (ts.getCombinedModifierFlags(node) & hidden) !== 0);
  return !isHidden && !/^(?:#|__@)/.test(name);
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

/** The names of the definitions of what these shapes take. */
function givenTo(exported: readonly Shape[], definitions: Definitions): ReadonlySet<string> {
  const seen = { given: new Set<string>(), made: new Set<string>() };
  const read = (shape: Shape, way: 'given' | 'made'): void => {
    if (typeof shape === 'object' && 'ref' in shape) {
      if (seen[way].has(shape.ref)) return;
      seen[way].add(shape.ref);
      read(definitions[shape.ref] ?? 'never', way);
    }
    if (typeof shape === 'object' && 'calls' in shape) {
      const other = way === 'given' ? 'made' : 'given';
      for (const { takes, rest = 'never', gives } of shape.calls) {
        for (const part of [...takes, rest]) read(part, other);
        read(gives, way);
      }
    }
    for (const part of partsOf(shape)) read(part, way);
  };
  for (const shape of exported) read(shape, 'made');
  return seen.given;
}

function partsOf(shape: Shape): readonly Shape[] {
  if (typeof shape === 'string') return [];
  if ('members' in shape) return [...Object.values(shape.members), shape.rest ?? 'never'];
  if ('items' in shape) return [shape.items];
  if ('tuple' in shape) return shape.tuple;
  if ('of' in shape) return shape.of;
  return 'anyOf' in shape ? shape.anyOf : [];
}
