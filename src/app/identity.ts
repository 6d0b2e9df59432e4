import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import type { AppConfig } from './pipeline.ts';

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

/** The name of an analyzer in this process. Its port can change with each run. */
export const embeddedName = (): string => `embedded@${hostname()}`;

/** The name of the analyzer for people. That of one in this process is only for labels, unless it was configured. */
export const shownName = (config: AppConfig): string | undefined =>
  config.analyzerName === undefined && config.analyzer.isInProcess ? undefined : analyzerIdentity(config).analyzer;

/**
 * All names under which the alerts of this analyzer can have been saved, the present one first. 0.1.0 knew the address alone, of
 * an analyzer in this process too, and a name can be given later.
 */
export const namesOfSaved = (
  config: Parameters<typeof analyzerIdentity>[0] & { readonly analyzer: { readonly url: string } },
): readonly [string, ...string[]] => [analyzerIdentity(config).analyzer, hostAndPort(config.analyzer.url)];

/** The identity by the configuration. Without an analyzer to poll, it is that of the embedded one. */
export function analyzerIdentity({
  analyzerName,
  analyzer,
  shard,
}: Pick<Config, 'analyzerName' | 'shard'> & {
  readonly analyzer: { readonly url: string; readonly name: string | undefined } | undefined;
}): AnalyzerIdentity {
  const own = analyzer === undefined ? embeddedName() : (analyzer.name ?? hostAndPort(analyzer.url));
  return { analyzer: analyzerName ?? own, shard: shard.total === 1 ? '' : String(shard.index) };
}
