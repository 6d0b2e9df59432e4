import type { Matcher } from './alert-labels.ts';
import type { RulesConfig } from './alert-rules.ts';
import type { AlertmanagerEntry } from './alertmanagers.ts';
import type { Secret } from './secret.ts';
import type { AnalyzerAccount } from './users-file.ts';
import type { HistoryFeature, ListenAddress } from './values.ts';
import type { WebConfig } from './web-config.ts';

/** How a server is trusted, and a certificate shown to it. Contents of files, in PEM. */
interface TlsClientConfig {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: Secret | undefined;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/** The analyzer to poll. Durations are seconds, sizes bytes. */
export interface AnalyzerConfig {
  readonly url: string;
  readonly username: string;
  readonly domain: string;
  readonly workstation: string;
  readonly password: Secret;
  /** Where the password comes from, when it is a file that can be read again. */
  readonly passwordFile: string | undefined;
  readonly authRetry: number;
  readonly maxFailedLogons: number;
  readonly logonFile: string | undefined;
  readonly timeout: number;
  readonly maxResponseSize: number;
  readonly maxChartSize: number;
  readonly concurrency: number;
  readonly tls: TlsClientConfig;
}

/** An Alertmanager to tell. Durations are seconds; secrets stay in their files, which are read again. */
export interface AlertmanagerConfig extends Omit<AlertmanagerEntry, 'tls'> {
  readonly tls: TlsClientConfig;
}

/** The alert engine, which is off without an Alertmanager. Durations are seconds. */
export interface AlertingConfig {
  readonly alertmanagers: readonly AlertmanagerConfig[];
  readonly externalLabels: Readonly<Record<string, string>>;
  readonly evaluationInterval: number;
  readonly resendDelay: number;
  readonly resolve: 'explicit' | 'expire';
  readonly unknownHold: number;
  readonly ignore: readonly (readonly Matcher[])[];
  readonly rules: RulesConfig;
  readonly runbookBaseUrl: string | undefined;
}

/** The whole configuration, checked. Made by `loadConfig` alone. Durations are seconds. */
export interface Config {
  /** Absent only where it is not required. */
  readonly analyzer: AnalyzerConfig | undefined;
  /** Schedules are cron expressions, or `off`. */
  readonly poll: {
    readonly products: string;
    readonly serverDown: string;
    readonly concurrentUsers: string;
    readonly features: string;
    readonly expirations: string;
    readonly history: string;
    readonly maxDataAge: number | 'auto';
    readonly startOffset: number;
  };
  readonly featuresRequest: 'auto' | 'all' | 'per_vendor_license';
  readonly select: { readonly include: readonly RegExp[]; readonly exclude: readonly RegExp[] };
  readonly historyFeatures: readonly HistoryFeature[];
  readonly metrics: {
    readonly collectors: Readonly<
      Record<'borrow' | 'reserve' | 'icons' | 'log' | 'activity' | 'token' | 'users' | 'history', boolean>
    >;
    readonly usageWhenNotCurrent: 'withhold' | 'export';
    readonly maxSeries: number;
  };
  /** Search level sent to GetExpirationFeatures. */
  readonly expirationSearch: 'none' | '0' | '1' | '2';
  /** Epoch seconds. */
  readonly permanentAfter: number;
  readonly storagePath: string | undefined;
  readonly web: {
    readonly listen: readonly ListenAddress[];
    readonly telemetryPath: string;
    /** Where `access` was read from, to be read again when it changes. */
    readonly configFile: string | undefined;
    readonly access: WebConfig | undefined;
    /** Where people reach the daemon, where that is said. */
    readonly externalUrl: string | undefined;
  };
  readonly alerting: AlertingConfig;
  readonly datasource: {
    readonly path: string;
    readonly cacheTtl: number;
    readonly deadline: number;
    readonly users: boolean | 'auto';
    /** Undefined where names of users are shown as they are. */
    readonly pseudonymKey: Secret | undefined;
    readonly timeZone: string | undefined;
  };
  readonly shard: { readonly index: number; readonly total: number };
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly format: 'json' | 'pretty' | undefined };
  readonly embeddedAnalyzer: {
    readonly listen: ListenAddress;
    readonly domain: string;
    readonly users: readonly AnalyzerAccount[] | undefined;
    readonly tls: { readonly cert: string; readonly key: Secret } | undefined;
    readonly channelBinding: 'off' | 'allow' | 'require';
    readonly limits: {
      readonly connections: number;
      readonly requestsPerSecond: number;
      readonly requestTimeout: number;
    };
    readonly collectionInterval: number;
    readonly timeZone: string;
    readonly retention: { readonly samples: number; readonly history: number };
    readonly storeMaxSize: number;
    readonly seed: number;
    readonly vendorLicenses: number;
    readonly features: number;
    readonly historyDays: number;
    readonly knowledge: 'full' | 'flexnet';
  };
  /** Things to tell the operator that are no errors. */
  readonly warnings: readonly string[];
}
