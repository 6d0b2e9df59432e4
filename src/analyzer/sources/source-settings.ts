import type { ClientTls } from '../../base/model/client-tls.ts';
import type { VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { Secret } from '../../base/settings/secret.ts';

type Patterns = Pick<FeatureSettings, 'include' | 'exclude'>;

/** Whether `features.include` and `features.exclude` select a feature. */
export function isSelected(feature: string, { include, exclude }: Patterns): boolean {
  const isIn = (patterns: readonly RegExp[]): boolean => patterns.some((pattern) => feature.search(pattern) !== -1);
  return (include.length === 0 || isIn(include)) && !isIn(exclude);
}

/** Leaves out the features that the settings do not select. */
export function selectFeatures(observation: VendorLicenseObservation, patterns: Patterns): VendorLicenseObservation {
  if (patterns.include.length === 0 && patterns.exclude.length === 0) return observation;
  return { ...observation, pools: observation.pools.filter(({ feature }) => isSelected(feature, patterns)) };
}

/**
 * The settings that sources of every manager have. Durations are seconds, sizes bytes, paths absolute.
 *
 * @typeParam Key a private key, as PEM or as a secret
 */
export interface SourceSettings<Key = string> {
  /** `[a-z0-9_-]{1,40}`, unique. */
  readonly name: string;
  /** A name of `managers`. */
  readonly manager: string;
  /** `port@host` in lower case. Three of FlexNet are redundant; of other managers, they are tried in order. */
  readonly servers: readonly string[];
  /** Third part of the names of its vendor licenses, empty without one. */
  readonly part: string;
  /** Daemons that exist, shown as down before the server was ever reached. */
  readonly daemons: readonly string[];
  /** Undefined for a source of license files alone. */
  readonly via: CommandSettings | FileSettings | HttpSettings<Key> | AnalyzerSettings | undefined;
  readonly interval: number;
  readonly timeout: number;
  readonly maxOutput: number;
  /** A label of the WHATWG encoding standard; UTF-8, else Latin-1, without one. */
  readonly encoding: string | undefined;
  /** IANA name of the zone in which the output has its times; UTC for commands that run here. */
  readonly timeZone: string;
  /** IANA name of the zone of the analyzer. Dates without a time are its days: expiries. */
  readonly calendarZone: string;
  readonly features: FeatureSettings;
  readonly users: UserSettings;
  /** A license with a linger time of at least this many seconds is borrowed. */
  readonly borrow: { readonly lingerAtLeast: number };
}

/** The settings of a source, whose secrets do not show. */
export type SourceConfig = SourceSettings<Secret>;

/** A source that runs a tool. */
export interface CommandSettings {
  readonly kind: 'command';
  /** The tool and its first arguments. The arguments of the manager follow. */
  readonly command: readonly string[];
  /** Added to the environment of the tool. */
  readonly env: Readonly<Record<string, string>>;
}

/** A source that reads a file. */
export interface FileSettings {
  readonly kind: 'file';
  readonly file: string;
  readonly maxAge: number;
}

/** A source that asks a URL. */
export interface HttpSettings<Key = string> {
  readonly kind: 'http';
  readonly url: string;
  /** It is read for each request. */
  readonly tokenFile: string | undefined;
  readonly tls: ClientTls<Key>;
}

/** A source that asks another analyzer. */
export interface AnalyzerSettings {
  readonly kind: 'analyzer';
  readonly url: string;
  /** The account and the connection, for what makes the client. */
  readonly client: object;
}

/** A log in which a license manager writes denials. */
export interface LogSettings {
  readonly path: string;
  readonly timeZone: string;
  readonly encoding: string | undefined;
}

/** Which features of a source are reported. */
export interface FeatureSettings {
  /** Empty for all. */
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
  /** Whether features that the license server does not support are left out. */
  readonly dropUnsupported: boolean;
}

/** What is reported of users, and how their names are read. */
export interface UserSettings {
  readonly names: 'keep' | 'pseudonym' | 'drop';
  /** How user and host are distinguished in lines with more than three words: see `splitLeft`. */
  readonly split: 'auto' | 'first_word' | 'longest';
}
