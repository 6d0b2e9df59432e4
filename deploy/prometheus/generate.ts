import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';

/** Writes the files that are generated from `license-alerts.yml`: the manifest for the Prometheus operator, and the JSON of the mixin. */

export interface RuleOptions {
  /** Job under which Prometheus scrapes the exporter. */
  readonly job: string;
  /** Where the runbooks are published. */
  readonly runbookBaseUrl: string;
}

const source = join(import.meta.dirname, 'license-alerts.yml');

/** The values in the source file. */
export const defaults: RuleOptions = { job: 'license-exporter', runbookBaseUrl: 'https://example.org/runbooks.md' };

/** Content of the generated files, by path below the output folder. */
export function ruleFiles({ job, runbookBaseUrl }: RuleOptions): Readonly<Record<string, string>> {
  const rules = readFileSync(source, 'utf8')
    .replaceAll(`job="${defaults.job}"`, `job=${JSON.stringify(job)}`)
    .replaceAll(defaults.runbookBaseUrl, runbookBaseUrl);
  const spec: unknown = parse(rules);
  const manifest = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'license-exporter', labels: { 'app.kubernetes.io/name': 'license-exporter' } },
    spec,
  };
  const head = '# Made from license-alerts.yml by `npm run rules`.\n';
  return {
    'license-alerts.yml': rules,
    'prometheus-rule.yml': `${head}${stringify(manifest, { lineWidth: 0 })}`,
    'mixin/license-alerts.json': `${JSON.stringify(spec, undefined, 2)}\n`,
  };
}

const help = `npm run rules -- [options]
  --job NAME               job under which Prometheus scrapes the exporter (${defaults.job})
  --runbook-base-url URL   where deploy/runbooks.md is published (${defaults.runbookBaseUrl})
  --out DIR                where to write; needed with one of the others
`;

function main(): void {
  const { values } = parseArgs({
    options: {
      job: { type: 'string' },
      'runbook-base-url': { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const isOwn = values.job !== undefined || values['runbook-base-url'] !== undefined;
  if (values.help || (isOwn && values.out === undefined)) {
    process.stdout.write(help);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const files = ruleFiles({
    job: values.job ?? defaults.job,
    runbookBaseUrl: values['runbook-base-url'] ?? defaults.runbookBaseUrl,
  });
  for (const [name, content] of Object.entries(files)) {
    const path = resolve(values.out ?? import.meta.dirname, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

if (import.meta.main) main();
