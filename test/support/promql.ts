import { parser } from '@prometheus-io/lezer-promql';
import { catalogue } from '../../src/exporter/metrics/catalogue.ts';
import type { Metric } from '../../src/exporter/metrics/metric.ts';

/** The names in a PromQL expression. */
export function namesIn(expression: string) {
  const selectors: { metric: string; matchers: string[]; around: string[] }[] = [];
  const grouping: string[] = [];
  const errors: number[] = [];
  const tree = parser.parse(expression);
  const textOf = ({ from, to }: { from: number; to: number }): string => expression.slice(from, to);
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) errors.push(node.from);
      if (node.name === 'VectorSelector') {
        const identifier = node.node.getChild('Identifier');
        const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
        const around: string[] = [];
        for (let parent = node.node.parent; parent !== null; parent = parent.parent) {
          const name = parent.name === 'FunctionCall' ? parent.getChild('FunctionIdentifier') : null;
          if (name !== null) around.push(textOf(name));
        }
        selectors.push({
          metric: identifier === null ? '' : textOf(identifier),
          matchers: matchers.map(textOf),
          around,
        });
      }
      if (node.name === 'GroupingLabels') grouping.push(...node.node.getChildren('LabelName').map(textOf));
    },
  });
  return { selectors, grouping, errors };
}

/** The metric of our catalogue that a series belongs to. A summary has two series for each of its labels. */
export const metricOf = (name: string): Metric | undefined => {
  const known: Readonly<Record<string, Metric>> = catalogue;
  const summary = known[name.replace(/_(?:sum|count)$/, '')];
  return known[name] ?? (summary?.type === 'summary' ? summary : undefined);
};

type Node = ReturnType<typeof parser.parse>['topNode'];

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  Gtr: (a, b) => a > b,
  Gte: (a, b) => a >= b,
  Lss: (a, b) => a < b,
  Lte: (a, b) => a <= b,
  Eql: (a, b) => a === b,
  Neq: (a, b) => a !== b,
};

/** Operators that make another number of 0. */
const shifts = ['Add', 'Sub', 'Pow', 'Mod'];

/** Whether a comparison with a number leaves out 0. */
function leavesOutZero(comparison: Node, isLeft: boolean, textOf: (node: Node) => string): boolean {
  const holds = Object.entries(comparisons).find(([name]) => comparison.getChild(name) !== null)?.[1];
  const other = isLeft ? comparison.lastChild : comparison.firstChild;
  if (holds === undefined || other?.name !== 'NumberDurationLiteral') return false;
  if (comparison.getChild('BoolModifier') !== null) return false;
  const limit = Number(textOf(other));
  return isLeft ? !holds(0, limit) : !holds(limit, 0);
}

/** The labels that an aggregation keeps, if it names them. */
function labelsKept(aggregation: Node, textOf: (node: Node) => string): readonly string[] {
  const modifier = aggregation.getChild('AggregateModifier');
  if (modifier === null || modifier.getChild('By') === null) return [];
  return modifier.getChild('GroupingLabels')?.getChildren('LabelName').map(textOf) ?? [];
}

/** Whether what is said above a part is the same if its series are missing as if they were 0. */
function saysSame(part: Node, labels: readonly string[], textOf: (node: Node) => string): boolean {
  const { parent } = part;
  if (parent === null) return false;
  if (parent.name === 'BinaryExpr') {
    const isLeft = parent.firstChild?.from === part.from;
    // what follows answers instead
    if (isLeft && parent.getChild('Or') !== null) return true;
    // what is missing takes nothing away
    if (!isLeft && parent.getChild('Unless') !== null) return true;
    if (leavesOutZero(parent, isLeft, textOf)) return true;
    if (shifts.some((name) => parent.getChild(name) !== null)) return false;
  }
  if (parent.name === 'FunctionCall' && parent.getChild('FunctionIdentifier')?.getChild('Absent') != null) return false;
  if (parent.name === 'AggregateExpr' && labels.length > 0) {
    const kept = labelsKept(parent, textOf);
    // a line for each
    if (labels.every((label) => kept.includes(label))) return true;
  }
  return saysSame(parent, labels, textOf);
}

/**
 * The metrics that an expression reads although they may have no sample where another program would show 0, and whose absence it
 * takes for something else: no comparison leaves 0 out, nothing follows after `or`, and it has no line for each of them.
 */
export function missingIn(expression: string): readonly string[] {
  const found: string[] = [];
  const textOf = ({ from, to }: Node): string => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: ({ node }) => {
      const identifier = node.name === 'VectorSelector' ? node.getChild('Identifier') : null;
      if (identifier === null) return;
      const name = textOf(identifier);
      const metric = metricOf(name);
      if (metric === undefined || metric.presence === 'always' || metric.presence === 'known') return;
      if (!saysSame(node, metric.labels, textOf)) found.push(name);
    },
  });
  return found;
}
