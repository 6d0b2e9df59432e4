import type { SourceHealth } from '../observation/source.ts';
import type { Diagnosis, Finding } from './diagnosis.ts';

/** What `doctor` prints. */

function remarksOf(finding: Finding): string {
  const { missing = [], unknown = [], extra = [], mistyped = [], dropped = {}, reason } = finding;
  const drops = Object.entries(dropped).map(([why, count]) => `${count} ${why}`);
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

/** The sources as a text table, with each problem on a line of its own. */
export function sourcesText(sources: readonly SourceHealth[]): string {
  const rows = sources.map(({ name, manager, up, duration = 0, vendorLicenses }) => [
    name,
    manager,
    up === true ? 'ok' : 'failed',
    `${duration.toFixed(1)} s`,
    vendorLicenses.join(', '),
  ]);
  const problems = sources.flatMap(({ name, problems, lastDiagnostics }) => {
    const unparsed = lastDiagnostics?.unparsed ?? 0;
    return [
      ...problems.map(({ kind, message }) => `${name}: ${kind}: ${message}`),
      ...(unparsed === 0
        ? []
        : [`${name}: ${unparsed} lines were not understood, like ${lastDiagnostics?.masks.join(' and ')}`]),
    ];
  });
  return [
    ...tableText([['source', 'manager', 'result', 'duration', 'vendor licenses'], ...rows]),
    ...problems,
    '',
    '',
  ].join('\n');
}
