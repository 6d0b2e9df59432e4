import type { RuleSettings, Selection } from './thresholds.ts';

/** Which data decides whether the condition of an alert is known. See `license:held`. */
export type Data =
  | 'server'
  | 'collection'
  | 'usage'
  | 'features'
  | 'expirations'
  | 'history'
  | 'rightsizing'
  | 'poll'
  | 'source';

/** The texts of an alert, as templates of Prometheus. */
export interface Texts {
  readonly summary: string;
  readonly description: string;
  /** Further annotations. */
  readonly more?: Readonly<Record<string, string>>;
}

/** An alert whose condition becomes a finding: it is kept while its data is unknown. */
export interface HeldAlert extends Texts {
  readonly alert: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly data: Data;
  /** Its labels identify the alert, without owners; its value is that of the alert. */
  readonly condition: string;
  /** Whether the engine of the exporter evaluates this alert too. */
  readonly isEngines: boolean;
  /** Replaces the setting, seconds. */
  readonly keepFiringFor?: number;
}

/** An alert about the monitoring itself, which is evaluated as it is. */
export interface PlainAlert extends Texts {
  readonly alert: string;
  readonly severity: 'critical' | 'warning' | 'none';
  readonly selection: Selection;
}

/** Label names of owners that rules keep even if the configuration does not use them. */
export const usualOwners: readonly string[] = ['owner', 'team', 'site'];

/** A matcher of a label, as in Alertmanager. */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** What makes the rules. */
export interface RuleOptions {
  /** Settings by alert. */
  readonly rules: Readonly<Record<string, RuleSettings>>;
  /** Alerts that match all matchers of a group are ignored. */
  readonly ignore: readonly (readonly Matcher[])[];
  /** How long an alert is kept while there is no data about it, seconds. */
  readonly unknownHold: number;
  /** Label names of owners. */
  readonly owners: readonly string[];
  /** The IANA name of the zone of the analyzer. */
  readonly timeZone: string;
  /** The job under which Prometheus scrapes the exporter. */
  readonly job: string;
  /** Where the runbooks are published, without a trailing slash. Without it, alerts link to `/runbooks` of the exporter. */
  readonly runbookBaseUrl: string | undefined;
  /** URL of Alertmanager for people. Without it, alerts have no link to silence them. */
  readonly alertmanagerUrl: string | undefined;
}

/** The settings of one alert. */
export const settingsOf = ({ rules }: RuleOptions, alert: string): RuleSettings => {
  const settings = rules[alert];
  if (settings === undefined) throw new Error(`there are no settings of ${alert}`);
  return settings;
};
