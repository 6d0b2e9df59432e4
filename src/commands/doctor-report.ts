import type { SourceHealth } from '../observation/source.ts';
import type { Diagnosis, Finding } from './diagnosis.ts';

/** What `doctor` prints. */

function remarksOf(finding: Finding): string {
  const { missing = [], unknown = [], extra = [], mistyped = [], dropped = {}, reason } = finding;
  // NaN is how the fields are written that are listed as not known
  const drops = Object.entries(dropped)
    .filter(([why]) => why !== 'nan' || unknown.length === 0)
    .map(([why, count]) => `${count} ${why}`);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['missing', missing],
    ['other type', mistyped],
    ['extra', extra],
    ['values dropped', drops],
    ['not known by the source', unknown],
  ];
  const remarks = parts.filter(([, list]) => list.length > 0).map(([what, list]) => `${what}: ${list.join(', ')}`);
  return [...(reason === undefined ? [] : [reason]), ...remarks].join('; ');
}

function verdictOn(healthy: boolean, endpoints: readonly Finding[]): string {
  if (!healthy) return 'Not every endpoint gives an answer that license-exporter accepts.';
  const isExact = endpoints.every(({ result }) => result === 'ok');
  return isExact
    ? 'Every endpoint answers as specified.'
    : 'license-exporter works with this analyzer, although not every endpoint answers as specified.';
}

/** Columns as wide as their widest cell. */
function tableText(table: readonly (readonly string[])[]): string[] {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** The diagnosis as a text table. */
export function diagnosisText({ analyzer, identity, healthy, endpoints }: Diagnosis): string {
  const rows = endpoints.map((finding) => [
    finding.endpoint,
    finding.result,
    finding.seconds === undefined ? '' : `${(finding.seconds * 1000).toFixed(0)} ms`,
    finding.records === undefined ? '' : String(finding.records),
    remarksOf(finding),
  ]);
  return [
    `analyzer  ${analyzer}`,
    `logon     ${identity ?? 'not known'}`,
    '',
    ...tableText([['endpoint', 'result', 'latency', 'records', 'remarks'], ...rows]),
    '',
    verdictOn(healthy, endpoints),
    '',
  ].join('\n');
}

/** Whether data could be read, and all of it. */
function resultOf({ up, vendorLicenses, lastSuccessAt }: SourceHealth): string {
  if (up === true) return 'ok';
  return lastSuccessAt !== undefined && vendorLicenses.length > 0 ? 'partly' : 'failed';
}

function problemsOf({ name, problems, lastDiagnostics }: SourceHealth): readonly string[] {
  const { unparsed = 0, masks = [] } = lastDiagnostics ?? {};
  const lines = `${unparsed} ${unparsed === 1 ? 'line was' : 'lines were'}`;
  return [
    ...problems.map(({ kind, message }) => `${name}: ${kind}: ${message}`),
    ...(unparsed === 0 ? [] : [`${name}: ${lines} not understood, like ${masks.join(' and ')}`]),
  ];
}

/** The sources as a text table, with each problem on a line of its own. */
export function sourcesText(sources: readonly SourceHealth[]): string {
  const rows = sources.map((health) => [
    health.name,
    health.manager,
    resultOf(health),
    `${(health.duration ?? 0).toFixed(1)} s`,
    health.vendorLicenses.join(', '),
  ]);
  const problems = sources.flatMap(problemsOf);
  const good = sources.filter(({ up }) => up === true).length;
  return [
    ...tableText([['source', 'manager', 'result', 'duration', 'vendor licenses'], ...rows]),
    '',
    ...(problems.length === 0 ? [] : [...problems, '']),
    `${good} of ${sources.length} sources were read completely.`,
    '',
  ].join('\n');
}
