import { hostname } from 'node:os';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import type { ShardSection } from '../inventory/settings.ts';

/** Who is monitored: what metrics, alerts of the engine, and alerts of Prometheus have in common. */
export interface AnalyzerIdentity {
  /** The label `analyzer`. Replicas of the exporter on one analyzer have the same. */
  readonly analyzer: string;
  /** The label `shard`; empty with a single shard. */
  readonly shard: string;
}

/** `host:port` of a URL, with the default port of its scheme. */
function hostAndPort(url: string): string {
  const { hostname: host, port, protocol } = new URL(url);
  return `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}

/** The name of an analyzer in this process. That of the demo can have another port in each run. */
export const embeddedName = (): string => `embedded@${hostname()}`;

/** The name of the analyzer for people. That of one in this process is only for labels, unless it was configured. */
export const shownName = (
  config: Identified & { readonly analyzer: Pick<AnalyzerConfig, 'url' | 'name' | 'isOfDemo'> | undefined },
): string | undefined =>
  config.analyzerName === undefined && config.analyzer?.isOfDemo !== false
    ? undefined
    : analyzerIdentity(config).analyzer;

/** What of the configuration says who is monitored. */
export interface Identified {
  /** `analyzer.name`, which the embedded analyzer has too. */
  readonly analyzerName: string | undefined;
  readonly shard: ShardSection;
  /** `undefined` for the embedded one. */
  readonly analyzer: Pick<AnalyzerConfig, 'url' | 'name'> | undefined;
}

/** The name of an analyzer without `analyzer.name`. */
const givenName = ({ analyzer }: Identified): string =>
  analyzer === undefined ? embeddedName() : (analyzer.name ?? hostAndPort(analyzer.url));

/** All names under which the alerts of this analyzer can have been saved, the present one first: a name can be given later. */
export const namesOfSaved = (config: Identified): readonly [string, ...string[]] => [
  analyzerIdentity(config).analyzer,
  config.analyzer === undefined ? embeddedName() : hostAndPort(config.analyzer.url),
];

/** The identity by the configuration. */
export function analyzerIdentity(config: Identified): AnalyzerIdentity {
  const { analyzerName, shard } = config;
  return { analyzer: analyzerName ?? givenName(config), shard: shard.total === 1 ? '' : String(shard.index) };
}
