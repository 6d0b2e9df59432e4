import type { ClientTls } from '../../base/model/client-tls.ts';
import type { OwnerEntry } from '../../base/model/owners.ts';
import type { PriceEntry } from '../../base/model/prices.ts';
import type { TrustedProxy } from '../../base/model/trusted-proxy.ts';
import type { DatabaseAddress } from '../../base/settings/addresses.ts';
import type { SourceConfig } from './embedded-sources.ts';
import type { NamedEntries } from './entry-file.ts';
import type { Secret } from '../../base/settings/secret.ts';
import type { AlertmanagerEntry } from '../../alerting/alerts/settings.ts';
import type { Section, SettingKey } from './settings.ts';
import type { AnalyzerConfig } from './upstream-analyzer.ts';
import type { AnalyzerAccount } from './users-file.ts';
import type { WebConfig } from './web-config.ts';

/** An Alertmanager that receives alerts. Durations are seconds. Secrets stay in their files, which are read for each request. */
export interface AlertmanagerConfig extends Omit<AlertmanagerEntry, 'tls'> {
  readonly tls: ClientTls<Secret>;
}

/** A mail server that receives alerts. The password stays in its file, which is read for each mail. */
export interface EmailConfig {
  readonly host: string;
  readonly port: number;
  readonly from: string;
  readonly to: readonly string[];
  /** Addresses by owner. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
  readonly requireTls: boolean;
  readonly tls: ClientTls<Secret>;
  readonly hello: string | undefined;
  readonly sendResolved: boolean;
  /** A cron expression; `undefined` without digests. */
  readonly digest: string | undefined;
}

/** A URL that receives alerts. Secrets stay in their files, which are read for each request. */
export interface WebhookConfig extends Pick<AlertmanagerConfig, 'basicAuth' | 'authorization' | 'tls'> {
  /** Either it or its file is given. */
  readonly url: string | undefined;
  readonly urlFile: string | undefined;
  /** Seconds. */
  readonly timeout: number;
  readonly sendResolved: boolean;
}

/** The alert engine. Durations are seconds. */
export interface AlertingConfig extends Omit<Section<'alerting'>, 'alertmanagers' | 'email' | 'webhook'> {
  readonly alertmanagers: readonly AlertmanagerConfig[];
  readonly email: EmailConfig | undefined;
  readonly webhook: WebhookConfig | undefined;
}

/** A database that keeps the history of the embedded analyzer too. The password stays in its file, which is read for each connection. */
export interface ArchiveConfig extends DatabaseAddress {
  readonly passwordFile: string | undefined;
  readonly schema: string;
  /** The name of the analyzer, under which the archive keeps the history. */
  readonly name: string;
  readonly tls: ClientTls<Secret>;
}

type Embedded = Section<'embedded_analyzer'>;

/** The valid configuration, in the sections of the file. Only `loadConfig` creates it. Durations are seconds. */
export interface Config {
  /** The analyzer to poll; `undefined` if it is in this process. */
  readonly analyzer: AnalyzerConfig | undefined;
  /** `analyzer.name`, which the embedded analyzer has too. */
  readonly analyzerName: string | undefined;
  /** Schedules are cron expressions, or `off`. */
  readonly poll: Omit<Section<'poll'>, 'startOffset'> & { readonly startOffset: number };
  /** With sources, `auto` is `per_vendor_license`: only what has changed is asked again. */
  readonly featuresRequest: Section<'features'>['request'];
  readonly select: Section<'select'>;
  readonly historyFeatures: Section<'history'>['features'];
  readonly metrics: Section<'metrics'>;
  /** Search level sent to GetExpirationFeatures. */
  readonly expirationSearch: Section<'expiration'>['search'];
  /** Epoch seconds. */
  readonly permanentAfter: number;
  readonly storagePath: string | undefined;
  readonly archive: ArchiveConfig | undefined;
  readonly web: Omit<Section<'web'>, 'listenAddress' | 'configFile' | 'trustedProxy'> & {
    readonly listen: Section<'web'>['listenAddress'];
    /** The file of `access`. It is read again when it changes. */
    readonly configFile: string | undefined;
    readonly access: WebConfig | undefined;
    /** Undefined if no proxy may name users. */
    readonly trustedProxy: TrustedProxy | undefined;
  };
  /** Who may see names of license users, and prices: users, and groups as `group:NAME`. */
  readonly access: Section<'access'>;
  readonly alerting: AlertingConfig;
  readonly datasource: Omit<Section<'datasource'>, 'pseudonymise' | 'pseudonymKeyFile' | 'timeZone'> & {
    readonly timeZone: string;
    /** Undefined if names of users are shown unchanged. */
    readonly pseudonymKey: Secret | undefined;
  };
  readonly rightsizing: Omit<Section<'rightsizing'>, 'enabled' | 'priceFile'> & { readonly isEnabled: boolean };
  /** The owners, with those of `owners_file` after those of `own`. */
  readonly owners: NamedEntries<OwnerEntry> & {
    /** The entries of the configuration file. */
    readonly own: readonly OwnerEntry[];
  };
  /** The prices of `rightsizing.price_file`. */
  readonly prices: NamedEntries<PriceEntry>;
  readonly shard: Section<'shard'>;
  readonly log: Section<'log'>;
  readonly embeddedAnalyzer: Omit<
    Embedded,
    'listenAddress' | 'usersFile' | 'tls' | 'site' | 'timeZone' | 'sources' | 'sourceDefaults' | 'sourceFiles'
  > &
    Embedded['site'] & {
      readonly listen: Embedded['listenAddress'];
      readonly users: readonly AnalyzerAccount[] | undefined;
      readonly tls: { readonly cert: string; readonly key: Secret } | undefined;
      readonly timeZone: string;
      /** Empty for the simulated site. */
      readonly sources: readonly SourceConfig[];
    };
  /** The settings that a reload does not change. */
  readonly restartValues: ReadonlyMap<SettingKey, unknown>;
  /** Messages to the operator that are not errors. */
  readonly warnings: readonly string[];
}
