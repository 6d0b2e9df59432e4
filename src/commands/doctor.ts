import { logonFileOf } from '../app/account.ts';
import { createSimulatedAnalyzer } from '../app/embedded-analyzer.ts';
import { createOwnAnalyzer, demoDefaults } from '../app/own-analyzer.ts';
import type { AnalyzerConfig, Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { createSelection } from '../inventory/selection.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';
import { type Diagnosis, diagnose, type Finding } from './diagnosis.ts';
import type { Plan } from './examination.ts';

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

/** The diagnosis as a text table. */
function diagnosisText({ analyzer, identity, healthy, endpoints }: Diagnosis): string {
  const rows = endpoints.map((finding) => [
    finding.endpoint,
    finding.result,
    finding.seconds === undefined ? '' : `${(finding.seconds * 1000).toFixed(0)} ms`,
    finding.records === undefined ? '' : String(finding.records),
    remarksOf(finding),
  ]);
  const table = [['endpoint', 'result', 'latency', 'records', 'remarks'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [
    `analyzer  ${analyzer}`,
    `logon     ${identity ?? 'not known'}`,
    '',
    ...lines,
    '',
    verdictOn(healthy, endpoints),
    '',
  ].join('\n');
}

const planOf = ({ poll, featuresRequest, expirationSearch, shard, select }: Config): Plan => ({
  poll,
  featuresRequest,
  expirationSearch,
  ...createSelection({ shard, ...select }),
});

/**
 * Calls every endpoint once, as the exporter does, and compares the answers with the specification. Returns 0 if the exporter
 * accepts all of them, else 1.
 */
export async function doctor({ line, env, version, createLog, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, defaults: demoDefaults, requireAnalyzer: !line.demo, cronProblem });
  // standard output is for the result
  const log = createLog({ ...config.log, level: config.log.level === 'info' ? 'warn' : config.log.level });
  const report = async (analyzer: AnalyzerConfig, storagePath: string | undefined): Promise<number> => {
    const diagnosis = await diagnose({ plan: planOf(config), analyzer, storagePath, log, version });
    print(line.json ? `${JSON.stringify(diagnosis, undefined, 2)}\n` : diagnosisText(diagnosis));
    return diagnosis.healthy ? 0 : 1;
  };
  if (config.analyzer !== undefined && !line.demo) {
    if (logonFileOf(config.analyzer, config.storagePath) === undefined) {
      log.warn({}, 'without storage.path or analyzer.logon_file, logons of other processes are not counted');
    }
    return report(config.analyzer, config.storagePath);
  }
  // another port and no storage, because a demo may be running
  const listen = { host: '127.0.0.1', port: 0 };
  const own = { ...config, storagePath: undefined, embeddedAnalyzer: { ...config.embeddedAnalyzer, listen } };
  const demo = createOwnAnalyzer(own, { log, version, others: () => [] }, (options) =>
    createSimulatedAnalyzer(own, options),
  );
  await demo.analyzer.start();
  try {
    return await report(demo.config(), undefined);
  } finally {
    await demo.analyzer.stop();
  }
}
