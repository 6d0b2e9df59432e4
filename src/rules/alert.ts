/** The texts of an alert, as templates of Prometheus. They read labels only: a query for each alert would cost too much. */
export interface Texts {
  readonly summary: string;
  readonly description: string;
}

/** An alert that the exporter evaluates. */
export interface RelayedAlert extends Texts {
  readonly alert: string;
}

/** An alert that only Prometheus can evaluate. */
export interface OwnAlert extends Texts {
  readonly alert: string;
  readonly severity: 'critical' | 'warning' | 'none';
  readonly expr: string;
}

/** The settings of an alert that only Prometheus evaluates. Durations are seconds. */
export interface OwnSettings {
  readonly enabled: boolean;
  readonly for: number;
  readonly keepFiringFor: number;
  /** The alert ends this long after it was last seen. */
  readonly within?: number;
}

/** Label names of owners that rules keep even if the configuration does not use them. */
export const usualOwners: readonly string[] = ['owner', 'team', 'site'];

/** What makes the rules. */
export interface RuleOptions {
  /** Those that are enabled. */
  readonly relayed: readonly RelayedAlert[];
  /** Settings of the others, by alert. */
  readonly settings: Readonly<Record<string, OwnSettings>>;
  /** Label names of owners. */
  readonly owners: readonly string[];
  /** Labels of the target of Prometheus that alerts keep. */
  readonly targetLabels: readonly string[];
  /** The job under which Prometheus scrapes the exporter. */
  readonly job: string;
  /** Where the runbooks are published, without a trailing slash; `undefined` if that is not known. */
  readonly runbookBaseUrl: string | undefined;
}

/** The settings of one alert. @throws Error for an alert that has none */
export const settingsOf = ({ settings }: RuleOptions, alert: string): OwnSettings => {
  const found = settings[alert];
  if (found === undefined) throw new Error(`there are no settings of ${alert}`);
  return found;
};

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** A duration of Prometheus in the largest unit that gives a whole number, for example `90m`. @param seconds 0 or more */
export function durationOf(seconds: number): string {
  const unit = units.find(([, size]) => seconds >= size && seconds % size === 0);
  if (unit !== undefined) return `${seconds / unit[1]}${unit[0]}`;
  return seconds === 0 ? '0s' : `${Math.round(seconds * 1000)}ms`;
}
