import type { AlertingConfig } from '../../alerting/settings.ts';
import type { ArchiveConfig } from '../../analyzer/archive/settings.ts';
import type { EmbeddedConfig } from '../../analyzer/settings.ts';
import type { OwnerEntry } from '../../base/model/owners.ts';
import type { PriceEntry } from '../../base/model/prices.ts';
import type { TrustedProxy } from '../../base/settings/addresses.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import type { ExpirationSection, SelectSection, ShardSection } from '../../exporter/inventory/settings.ts';
import type { MetricsSection } from '../../exporter/metrics/settings.ts';
import type { FeaturesSection, HistorySection, PollSection } from '../../exporter/poll/settings.ts';
import type { RightsizingSection } from '../../insight/advice/pass/settings.ts';
import type { AccessSection, DatasourceConfig, WebSection } from '../../site/settings.ts';
import type { LogSection } from '../log/settings.ts';
import type { NamedPart } from './effects/effect.ts';
import type { NamedEntries, Placed } from './entry-file.ts';
import type { Problem } from './problems.ts';
import type { SettingKey } from './settings.ts';
import type { WebConfig } from './web-config.ts';

/** The HTTP listener, with the content of its files. */
export interface ListenerConfig extends Omit<WebSection, 'listenAddress' | 'configFile' | 'trustedProxy'> {
  readonly listen: WebSection['listenAddress'];
  /** The file of `access`. It is read again when it changes. */
  readonly configFile: string | undefined;
  readonly access: WebConfig | undefined;
  /** Undefined if no proxy may name users. */
  readonly trustedProxy: TrustedProxy | undefined;
}

/** The valid configuration, in the sections of the file. Only `loadConfig` creates it. Durations are seconds. */
export interface Config {
  /** The analyzer to poll; `undefined` if it is in this process. */
  readonly analyzer: AnalyzerConfig | undefined;
  /** `analyzer.name`, which the embedded analyzer has too. */
  readonly analyzerName: string | undefined;
  readonly poll: Omit<PollSection, 'startOffset'> & { readonly startOffset: number };
  /** With sources, `auto` is `per_vendor_license`: only what has changed is asked again. */
  readonly features: FeaturesSection;
  readonly select: SelectSection;
  readonly history: HistorySection;
  readonly metrics: MetricsSection;
  readonly expiration: ExpirationSection;
  readonly storage: { readonly path: string | undefined; readonly archive: ArchiveConfig | undefined };
  readonly web: ListenerConfig;
  readonly access: AccessSection;
  readonly alerting: AlertingConfig;
  readonly datasource: DatasourceConfig;
  readonly rightsizing: Omit<RightsizingSection, 'priceFile'>;
  /** The owners, with those of `owners_file` after those of `own`. */
  readonly owners: NamedEntries<OwnerEntry> & {
    /** The entries of the configuration file. */
    readonly own: readonly Placed<OwnerEntry>[];
  };
  /** Whether people who wait for licenses, and those whose licenses could come back, are looked for. */
  readonly people: boolean;
  /** The prices of `rightsizing.price_file`. */
  readonly prices: NamedEntries<PriceEntry>;
  readonly shard: ShardSection;
  readonly log: LogSection;
  readonly embeddedAnalyzer: EmbeddedConfig;
  /** The settings that a reload does not change. */
  readonly restartValues: ReadonlyMap<SettingKey, unknown>;
  /** The patterns and names in it, without those of owners and prices. */
  readonly named: readonly NamedPart[];
  /** What of it has no effect wherever it is used. */
  readonly withoutEffect: readonly Problem[];
  /** What of it probably has another meaning than was intended. Only a site shows whether it has an effect. */
  readonly hints: readonly Problem[];
  /** Other messages to the operator that are not errors. */
  readonly warnings: readonly string[];
}
