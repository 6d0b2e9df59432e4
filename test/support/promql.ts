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

/** The metric of our catalogue that a series belongs to. */
export const metricOf = (name: string): Metric | undefined => {
  const known: Readonly<Record<string, Metric>> = catalogue;
  return (
    known[name] ??
    (known[name.replace(/_bucket$/, '')]?.type === 'histogram' ? known[name.replace(/_bucket$/, '')] : undefined)
  );
};
