import { healthJson, isComplete, type SourceHealth } from '../../base/model/observation/source.ts';
import { countText } from '../../base/texts.ts';
import type { Diagnosis, Finding } from './endpoint-diagnosis.ts';
import type { StepResult } from './step.ts';
import { exitCodes } from './step.ts';

/** What `doctor` prints, and its exit code. */

/** What all steps found, for the text and for JSON. */
export interface Report {
  readonly steps: readonly StepResult[];
  readonly diagnosis: Diagnosis | undefined;
  /** Undefined without an analyzer in this process that collects from them. */
  readonly sources: readonly SourceHealth[] | undefined;
}

const firstFailed = ({ steps }: Pick<Report, 'steps'>): StepResult | undefined =>
  steps.find(({ result }) => result === 'failed');

/** 0 if no step has failed, else the code of the first that has. */
export function exitCodeOf(report: Pick<Report, 'steps'>): number {
  const failed = firstFailed(report);
  return failed === undefined ? 0 : exitCodes[failed.exit].code;
}

const marks: Readonly<Record<StepResult['result'], string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  'not checked': '–',
};

/** Certificates and answers of servers can contain anything, also what a terminal obeys. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?');

/** One line for each step, and its remedy beneath. */
function stepsText(steps: readonly StepResult[]): readonly string[] {
  const width = Math.max(...steps.map(({ step }) => step.length)) + 2;
  return steps.flatMap(({ step, result, finding, remedy }) => [
    `${marks[result]} ${step.padEnd(width)}${printable(finding)}`,
    ...remedy.map((line) => `${' '.repeat(width + 2)}${printable(line)}`),
  ]);
}

function remarksOf(finding: Finding): string {
  const { long_name: cut = 0 } = finding.dropped ?? {};
  const { missing = [], unknown = [], extra = [], mistyped = [], dropped = {}, reason } = finding;
  // NaN is how the fields are written that are listed as not known
  const drops = Object.entries(dropped)
    .filter(([why]) => why !== 'long_name' && (why !== 'nan' || unknown.length === 0))
    .map(([why, count]) => `${count} ${why}`);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['missing', missing],
    ['other type', mistyped],
    ['extra', extra],
    ['values dropped', drops],
    ['cut in labels of /metrics', cut === 0 ? [] : [countText(cut, 'name')]],
    ['not known by the source', unknown],
  ];
  const remarks = parts.filter(([, list]) => list.length > 0).map(([what, list]) => `${what}: ${list.join(', ')}`);
  return [...(reason === undefined ? [] : [reason]), ...remarks].join('; ');
}

function verdictOn({ steps, diagnosis }: Report): string {
  const failed = firstFailed({ steps });
  if (failed?.step === 'endpoints') return 'Not every endpoint gives an answer that license-exporter accepts.';
  if (failed !== undefined) return `Correct ${failed.step} first, and run doctor again.`;
  const { endpoints = [] } = diagnosis ?? {};
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

/** The endpoints as a text table. */
function endpointsText({ analyzer, hasLogon, identity, endpoints }: Diagnosis): readonly string[] {
  const rows = endpoints.map((finding) => [
    finding.endpoint,
    finding.result,
    finding.seconds === undefined ? '' : `${(finding.seconds * 1000).toFixed(0)} ms`,
    finding.records === undefined ? '' : String(finding.records),
    remarksOf(finding),
  ]);
  const logon = hasLogon ? [`logon     ${identity ?? 'not known'}`] : [];
  const about = ['', `analyzer  ${analyzer}`, ...logon];
  // the steps say why none was called
  if (endpoints.every(({ result }) => result === 'not asked')) return about;
  return [...about, '', ...tableText([['endpoint', 'result', 'latency', 'records', 'remarks'], ...rows])];
}

/** Whether data could be read, and all of it. */
function resultOf(health: SourceHealth): string {
  const { vendorLicenses, lastSuccessAt } = health;
  if (isComplete(health)) return 'ok';
  return lastSuccessAt !== undefined && vendorLicenses.length > 0 ? 'partly' : 'failed';
}

function problemsOf({ name, problems, lastDiagnostics }: SourceHealth): readonly string[] {
  const { unparsed = 0, masks = [] } = lastDiagnostics ?? {};
  const lines = countText(unparsed, 'line was', 'lines were');
  return [
    ...problems.map(({ kind, message }) => `${name}: ${kind}: ${message}`),
    ...(unparsed === 0 ? [] : [`${name}: ${lines} not understood, like ${masks.join(' and ')}`]),
  ];
}

/** The sources as a text table, with each problem on a line of its own. */
function sourcesText(sources: readonly SourceHealth[]): readonly string[] {
  const rows = sources.map((health) => [
    health.name,
    health.manager,
    resultOf(health),
    `${(health.duration ?? 0).toFixed(1)} s`,
    health.vendorLicenses.join(', '),
  ]);
  const problems = sources.flatMap(problemsOf);
  const good = sources.filter(isComplete).length;
  return [
    '',
    ...tableText([['source', 'manager', 'result', 'duration', 'vendor licenses'], ...rows]),
    ...(problems.length === 0 ? [] : ['', ...problems]),
    '',
    `${good} of ${sources.length} sources were read completely.`,
  ];
}

/** The report as text. */
export function reportText(report: Report): string {
  const { steps, diagnosis, sources } = report;
  return [
    ...stepsText(steps),
    ...(sources === undefined ? [] : sourcesText(sources)),
    ...(diagnosis === undefined ? [] : endpointsText(diagnosis)),
    '',
    verdictOn(report),
    '',
  ].join('\n');
}

/** The report as JSON. What is not known is `null` or left out. */
export function reportJson({ steps, diagnosis, sources }: Report): string {
  const report = {
    analyzer: diagnosis?.analyzer ?? null,
    identity: diagnosis?.identity,
    // no step has failed
    healthy: exitCodeOf({ steps }) === 0,
    steps: steps.map(({ exit, ...step }) =>
      step.result === 'failed' ? { ...step, exit: exitCodes[exit].code } : step,
    ),
    endpoints: diagnosis?.endpoints ?? [],
    ...(sources !== undefined && { sources: sources.map(healthJson) }),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
