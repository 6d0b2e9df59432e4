import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { catalogue } from '../../src/exporter/metrics/catalogue.ts';
import { processMetrics } from '../../src/exporter/metrics/process-metrics.ts';
import { builtIn, dashboards, interpolate, queriesOf, type Values } from './dashboards.ts';
import { pagePaths, readPage, root } from './markdown.ts';
import { namesIn } from './promql.ts';

/** Every PromQL expression of this repository: rules, dashboards and documentation. */

/** An expression, and where it stands. */
export interface Expression {
  readonly where: string;
  readonly expression: string;
}

const variables: Values = {
  ...builtIn,
  job: ['license-exporter'],
  instance: ['a:10319'],
  vendor_license: 'srv;d',
  feature: 'f',
  vendor_licenses: ['srv;d', 'b;c'],
};

/** The texts of a key anywhere in a document. */
function textsOf(document: unknown, key: string): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]) =>
    name === key && typeof value === 'string' ? [value] : textsOf(value, key),
  );
}

/** Of rules and of queries in files for Prometheus, Kubernetes and Grafana. */
const ofFiles = globSync(['deploy/**/*.{yml,yaml,json}', 'grafana/{provisioning,archive}/**/*.{yml,json}'], {
  cwd: root,
})
  .sort()
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return text.includes('expr')
      ? textsOf(parse(text), 'expr').map((expression): Expression => ({ where: path, expression }))
      : [];
  });

const ofPanels = queriesOf('prometheus').map(
  ({ where, target }): Expression => ({ where, expression: interpolate(target.expr ?? '', variables, 'prometheus') }),
);

const ofVariables = dashboards.flatMap(({ uid, templating }) =>
  templating.list
    .filter(({ type, datasource }) => type === 'query' && datasource?.type === 'prometheus')
    .flatMap(({ name, definition = '' }): Expression[] => {
      const [, labelled, queried] = /^(?:label_values\((.*), \w+\)|query_result\((.*)\))$/s.exec(definition) ?? [];
      const expression = interpolate(labelled ?? queried ?? definition, variables, 'prometheus');
      return [{ where: `${uid}: variable ${name}`, expression }];
    }),
);

const isMetric = (name: string): boolean => name in catalogue || name in processMetrics;

/** A name alone is a mention, and what cannot be parsed is another language. */
function isExpression(text: string): boolean {
  const { selectors, errors } = namesIn(text);
  return errors.length === 0 && selectors.some(({ metric }) => isMetric(metric)) && !/^\w+(?:\{[^}]*\})?$/.test(text);
}

const ofPages = [
  ...pagePaths,
  ...globSync('src/alerting/alerts/definitions/**/runbook.md', { cwd: root }).sort(),
].flatMap((path) => {
  const text = readPage(path);
  const blocks = [...text.matchAll(/^ *```promql\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span).filter(isExpression);
  return [...blocks, ...spans].map((expression): Expression => ({ where: path, expression }));
});

export const expressions: readonly Expression[] = [...ofFiles, ...ofPanels, ...ofVariables, ...ofPages];
