// Constants in the code, read by the compiler: defaults of what is public, and what a function is called with.
//
// A default is `options.name ?? <constant>`, `{ name = <constant> }` or `(name = <constant>)`. The compiler says which member that is, so what is
// private may move and get another name. Nothing and empty are no defaults.

import ts from 'typescript';

type Value = string | number | boolean | { readonly [name: string]: Value };

/** `left ?? right` */
type Either = ts.BinaryExpression & {
  readonly operatorToken: { readonly kind: ts.SyntaxKind.QuestionQuestionToken };
};

type Default = { readonly of: ts.Declaration; readonly value: Value };

const { SyntaxKind } = ts;

export class ConstantsReader {
  readonly #checker: ts.TypeChecker;
  readonly #sources: readonly ts.SourceFile[];

  constructor(program: ts.Program) {
    this.#checker = program.getTypeChecker();
    this.#sources = program.getSourceFiles().filter(({ fileName }) => isOurs(fileName));
  }

  /** Defaults of members and parameters that are declared at one of these places: `ConnectOptions.taskQueue`. */
  defaults(places: ReadonlySet<ts.Declaration>): { readonly [of: string]: readonly string[] } {
    const all = new Map<string, Set<string>>();
    this.#visit((node) => {
      for (const { of, value } of this.#defaultsIn(node)) {
        if (!places.has(of)) continue;
        const name = nameOf(of);
        all.set(name, (all.get(name) ?? new Set()).add(JSON.stringify(value)));
      }
    });
    const found = [...all].map(([name, values]) => [name, [...values].sort()] as const);
    return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The constant parts of the objects that a function with this name is called with. */
  calls(name: string): readonly string[] {
    const all = new Set<string>();
    this.#visit((node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== name) return;
      for (const given of node.arguments) all.add(JSON.stringify(this.#constant(given)));
    });
    return [...all].sort();
  }

  #visit(see: (node: ts.Node) => void): void {
    const visit = (node: ts.Node): void => {
      see(node);
      ts.forEachChild(node, visit);
    };
    this.#sources.forEach(visit);
  }

  #defaultsIn(node: ts.Node): readonly Default[] {
    const fallback = isEither(node)
      ? node.right
      : ts.isBindingElement(node) || ts.isParameter(node)
        ? node.initializer
        : undefined;
    const value = fallback && this.#constant(fallback);
    if (value === undefined || !isSetting(value)) return [];
    const places = isEither(node) ? this.#members(node.left) : this.#members(node);
    return places.map((of) => ({ of, value }));
  }

  /** Also through `a ?? b` and `a ? b : c`, and through a variable that got the member by destructuring. */
  #members(node: ts.Node): readonly ts.Declaration[] {
    const inside = alternativesIn(node);
    if (inside !== undefined) return inside.flatMap((part) => this.#members(part));
    if (ts.isParameter(node)) return [node];
    if (ts.isPropertyAccessExpression(node))
      return this.#checker.getSymbolAtLocation(node.name)?.declarations ?? [];
    if (ts.isBindingElement(node)) return this.#bound(node);
    if (!ts.isIdentifier(node)) return [];
    const [declared] = this.#checker.getSymbolAtLocation(node)?.declarations ?? [];
    return declared && ts.isBindingElement(declared) ? this.#bound(declared) : [];
  }

  #bound({ propertyName, name, parent }: ts.BindingElement): readonly ts.Declaration[] {
    const member = propertyName ?? name;
    if (!ts.isIdentifier(member)) return [];
    return this.#checker.getTypeAtLocation(parent).getProperty(member.text)?.declarations ?? [];
  }

  /** What an expression is if nobody gives anything. Undefined if that cannot be computed. */
  #constant(node: ts.Expression): Value | undefined {
    const literal = literalOf(node);
    if (literal !== undefined) return literal;
    if (ts.isBinaryExpression(node)) return this.#computed(node);
    if (ts.isObjectLiteralExpression(node)) return this.#object(node);
    if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) {
      const symbol = this.#checker.getSymbolAtLocation(ts.isIdentifier(node) ? node : node.name);
      return this.#declared(symbol);
    }
    const isWrapped =
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isParenthesizedExpression(node);
    return isWrapped ? this.#constant(node.expression) : undefined;
  }

  #computed(node: ts.BinaryExpression): Value | undefined {
    const right = this.#constant(node.right);
    if (isEither(node)) return right;
    const left = this.#constant(node.left);
    if (typeof left !== 'number' || typeof right !== 'number') return undefined;
    return operators[node.operatorToken.getText()]?.(left, right);
  }

  #object({ properties }: ts.ObjectLiteralExpression): Value {
    const members = properties.map((property): Value | undefined => {
      if (ts.isSpreadAssignment(property)) return this.#constant(property.expression);
      const value = ts.isPropertyAssignment(property)
        ? this.#constant(property.initializer)
        : ts.isShorthandPropertyAssignment(property)
          ? this.#declared(this.#checker.getShorthandAssignmentValueSymbol(property))
          : undefined;
      return value === undefined ? undefined : { [property.name?.getText() ?? '']: value };
    });
    return Object.assign({}, ...members) as Value;
  }

  #declared(symbol: ts.Symbol | undefined): Value | undefined {
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const original = isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const [declared] = original?.declarations ?? [];
    if (declared === undefined) return undefined;
    const isConstant = ts.isVariableDeclaration(declared)
      ? (ts.getCombinedNodeFlags(declared) & ts.NodeFlags.Const) !== 0
      : ts.isPropertyAssignment(declared) && typeOfShape(ownerOf(declared)) === undefined;
    if (!isConstant) return undefined;
    const { initializer } = declared as ts.VariableDeclaration | ts.PropertyAssignment;
    return initializer && this.#constant(initializer);
  }
}

const operators: { readonly [sign: string]: (left: number, right: number) => number } = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '**': (left, right) => left ** right,
};

function alternativesIn(node: ts.Node): readonly ts.Expression[] | undefined {
  if (ts.isParenthesizedExpression(node)) return [node.expression];
  if (isEither(node)) return [node.left, node.right];
  return ts.isConditionalExpression(node) ? [node.whenTrue, node.whenFalse] : undefined;
}

function literalOf(node: ts.Expression): Value | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === SyntaxKind.TrueKeyword) return true;
  return node.kind === SyntaxKind.FalseKeyword ? false : undefined;
}

function isEither(node: ts.Node): node is Either {
  return (
    ts.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.QuestionQuestionToken
  );
}

function isOurs(file: string): boolean {
  return file.includes('/src/') && !file.includes('/node_modules/');
}

/** Not a text for people, and not what is empty. */
function isSetting(value: Value): boolean {
  if (typeof value === 'string') return /^[\w./:-]+$/.test(value);
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** `ConnectOptions.taskQueue` of a member, `foldLog(1)` of a parameter. */
function nameOf(declaration: ts.Declaration): string {
  const { parent } = declaration;
  if (ts.isParameter(declaration) && ts.isFunctionLike(parent))
    return `${ownName(parent) ?? ''}(${parent.parameters.indexOf(declaration)})`;
  const owner = ownerOf(declaration);
  return `${typeOfShape(owner) ?? ownName(owner) ?? ''}.${ownName(declaration) ?? ''}`;
}

/** The nearest declaration around it that gives a name. */
function ownerOf({ parent }: ts.Declaration): ts.Node {
  let owner: ts.Node = parent;
  while (!ts.isSourceFile(owner) && ownName(owner) === undefined) owner = owner.parent;
  return owner;
}

/** `Vote` for `const voteShape`, because of `type Vote = Shape<typeof voteShape>`. */
function typeOfShape(node: ts.Node): string | undefined {
  const made = `Shape<typeof ${ownName(node) ?? ''}>`;
  const types = node.getSourceFile().statements.filter(ts.isTypeAliasDeclaration);
  return types.find(({ type }) => type.getText() === made)?.name.text;
}

/** The name that a declaration gives. */
function ownName(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return undefined;
  const { name } = node as { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? name.text : undefined;
}
