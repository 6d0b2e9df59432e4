import { join, relative } from 'node:path';
import { type Expression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isAsExpression,
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isClassDeclaration,
  isConditionalExpression,
  isElementAccessExpression,
  isIdentifier,
  isIfStatement,
  isMethodDeclaration,
  isObjectBindingPattern,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isWhileStatement,
} from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  type Symbol as CompilerSymbol,
  type Project,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { figureUses } from './support/figure-mistakes.ts';
import { passed } from './support/unbound-methods.ts';

/**
 * What the compiler lets through although it is a mistake.
 *
 * It refuses sums, comparisons and texts of a figure (`src/base/model/unknown.ts`). What it lets through is refused here: what
 * takes an unknown figure for a known one, or for one that is there. A method of a class that is passed on alone has lost its object.
 */

const root = join(import.meta.dirname, '..');

/** An expression that must not be a figure, and why. */
interface Use {
  readonly operand: Expression;
  readonly why: string;
  /** The type that an assertion turns it into. */
  readonly target?: Node;
}

const equalities: readonly SyntaxKind[] = [
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
];
const truths: readonly SyntaxKind[] = [SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken];
const converters: readonly string[] = ['Number', 'String', 'Boolean', 'parseInt', 'parseFloat'];

/** What may read arrays in which NaN is unknown. Others read a chart with `figureAt`. */
const readsArrays =
  /^src\/(exporter\/(inventory|metrics)|analyzer\/(history|server|simulated)|insight\/advice)\/|^src\/base\/model\/history\.ts$/;
const FROM_ARRAY = 'read from an array';

const isNothing = (node: Node): boolean =>
  node.kind === SyntaxKind.NullKeyword || (isIdentifier(node) && node.text === 'undefined');

function usesIn(node: Node): readonly Use[] {
  if (isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    if (operatorToken.kind === SyntaxKind.QuestionQuestionToken) return [{ operand: left, why: 'replaced with ??' }];
    if (truths.includes(operatorToken.kind)) return [{ operand: left, why: 'tested for truth' }];
    if (!equalities.includes(operatorToken.kind)) return [];
    const why = 'compared with undefined or null';
    return [
      ...(isNothing(right) ? [{ operand: left, why }] : []),
      ...(isNothing(left) ? [{ operand: right, why }] : []),
    ];
  }
  if (isIfStatement(node) || isWhileStatement(node)) return [{ operand: node.expression, why: 'tested for truth' }];
  if (isConditionalExpression(node)) return [{ operand: node.condition, why: 'tested for truth' }];
  if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    return [{ operand: node.operand, why: 'tested for truth' }];
  }
  if (isCallExpression(node) && isIdentifier(node.expression) && converters.includes(node.expression.text)) {
    const why = `converted with ${node.expression.text}`;
    return node.arguments.map((operand) => ({ operand, why }));
  }
  if (isElementAccessExpression(node) && /(^|\.)values$/.test(node.expression.getText())) {
    return [{ operand: node.expression, why: FROM_ARRAY }];
  }
  return isAsExpression(node) ? [{ operand: node.expression, why: 'converted with as', target: node.type }] : [];
}

const partsOf = (type: Type): readonly Type[] => (type.isUnionType() ? type.getTypes() : [type]);

const has = (type: Type | undefined, flags: TypeFlags): boolean =>
  type !== undefined && partsOf(type).some((part) => (part.flags & flags) !== 0);

/** Whether an unknown figure would be taken for something else. One that is optional may be compared with `undefined`. */
function isRefused({ why, target }: Use, type: Type | undefined, checker: Checker): boolean {
  if (why === FROM_ARRAY) return type?.getSymbol()?.name === 'Float64Array';
  if (!has(type, TypeFlags.UniqueESSymbol)) return false;
  if (target !== undefined)
    return !has(checker.getTypeAtLocation(target), TypeFlags.UniqueESSymbol | TypeFlags.Unknown);
  const isOfMissing = why.startsWith('compared') || why.startsWith('replaced');
  return !(isOfMissing && has(type, TypeFlags.Undefined | TypeFlags.Null));
}

function refusedIn({ program, checker }: Project, path: string): readonly string[] {
  const file = program.getSourceFile(path);
  if (file === undefined) throw new Error(`${path} is not in the program`);
  const uses: Use[] = [];
  const visit = (node: Node): void => {
    uses.push(...usesIn(node));
    node.forEachChild(visit);
  };
  visit(file);
  const types = checker.getTypeAtLocation(uses.map(({ operand }) => operand));
  const isReader = readsArrays.test(relative(root, path));
  return uses
    .filter((use, i) => !(isReader && use.why === FROM_ARRAY) && isRefused(use, types[i], checker))
    .map(({ operand, why }) => `${relative(root, path)}: ${operand.getText(file)} is ${why}`);
}

/** Methods that are read without being called: `pass(engine.stop)`, `const { stop } = engine`. */
function unboundIn(opened: Project, path: string): readonly string[] {
  const { program, checker } = opened;
  const file = program.getSourceFile(path);
  if (file === undefined) throw new Error(`${path} is not in the program`);
  const found: string[] = [];
  const add = (node: Node, symbol: CompilerSymbol | undefined): void => {
    const declaration = symbol?.declarations[0]?.resolve(opened);
    if (declaration === undefined || !opened.rootFiles.includes(declaration.getSourceFile().fileName)) return;
    if (isMethodDeclaration(declaration) && isClassDeclaration(declaration.parent))
      found.push(`${relative(root, path)}: ${node.getText(file)}`);
  };
  const visit = (node: Node): void => {
    const isCalled = isCallExpression(node.parent) && node.parent.expression === node;
    if (isPropertyAccessExpression(node) && !isCalled) add(node, checker.getSymbolAtLocation(node.name));
    if (isBindingElement(node) && isObjectBindingPattern(node.parent)) {
      const type = checker.getTypeAtLocation(node.parent);
      const name = (node.propertyName ?? node.name)?.getText(file) ?? '';
      add(node, type && checker.getPropertyOfType(type, name));
    }
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return found;
}

let api: API;
let project: Project;

beforeAll(() => {
  api = new API({ cwd: root });
  const configFile = join(root, 'tsconfig.json');
  const opened = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile);
  if (opened === undefined) throw new Error(`${configFile} has no project`);
  project = opened;
});

afterAll(() => api.close());

const wrongOf = (examples: object): readonly string[] =>
  Object.keys(examples).filter((name) => !name.startsWith('right: '));

const filesBelow = (...folders: readonly string[]): readonly string[] => {
  const files = project.rootFiles.filter((path) => folders.some((folder) => path.startsWith(join(root, folder))));
  expect(files.length).toBeGreaterThan(500);
  return files;
};

describe('a method', () => {
  it('is found where it is passed on without its object', () => {
    const found = unboundIn(project, join(root, 'test/support/unbound-methods.ts'));
    expect(found.map((text) => text.replace(/^.*: /, ''))).toEqual(wrongOf(passed));
  });

  it('is not passed on without its object anywhere', () => {
    const files = filesBelow('src', 'test').filter((path) => !path.endsWith('/unbound-methods.ts'));
    expect(files.flatMap((path) => unboundIn(project, path))).toEqual([]);
  });
});

describe('a figure', () => {
  it('is found where it is taken for a known one', () => {
    const found = refusedIn(project, join(root, 'test/support/figure-mistakes.ts'));
    expect(found.map((text) => text.replace(/^.*: /, ''))).toEqual(wrongOf(figureUses));
  });

  it('is not taken for a known one anywhere', () => {
    expect(filesBelow('src').flatMap((path) => refusedIn(project, path))).toEqual([]);
  });
});
