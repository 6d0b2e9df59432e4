import type { Member } from '../../base/model/observation/observation.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { WaitedPeople } from '../../base/people.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { Finding, Labels } from './alert.ts';
import type { Durations } from './alert-settings.ts';
import type { Past } from './past.ts';

/** How urgent an alert is, by the label `severity`. */
export type Severity = 'critical' | 'warning' | 'info';

/** How reading a source goes. */
export type SourceState = Pick<
  SourceHealth,
  'name' | 'manager' | 'failedReadings' | 'isServerDown' | 'vendorLicenses'
> & {
  /** Its servers. Redundant ones are several; `up` is `undefined` if the last reading did not show it. */
  readonly members: readonly Pick<Member, 'up'>[];
};

/** How an analyzer in this process records history. */
export type RecordingState = Pick<RecordingHealth, 'since' | 'interval' | 'lastRecordedAt' | 'archive'>;

/** When the licenses of a feature run out. Days are local days of the analyzer, counted from 1970-01-01. */
export interface Forecast {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
  /** What the advice amounts to. With `not enough data`, it is not known whether licenses run out. */
  readonly state: string;
  /** Licenses that the advice is about; `undefined` if that is not known. */
  readonly bought: number | undefined;
  /** How many of them could go, or are missing. */
  readonly count: number | undefined;
  /** What covered the last year, and what is enough for the coming one with a chance of 9 in 10. */
  readonly needed: number | undefined;
  readonly enough: number | undefined;
  /** The most in use on the last 90 days; `undefined` if too few of them are recorded. */
  readonly recentPeak: number | undefined;
  /** The day that was computed on several nights; `undefined` if they do not run out, or if that is not proven. */
  readonly confirmedRunsOut: number | undefined;
  /** The day that was computed last, with its range. `latest` is `undefined` if the range has no end. */
  readonly runsOut:
    | { readonly day: number; readonly earliest: number; readonly latest: number | undefined }
    | undefined;
  /** The first day without any use; `undefined` if it was used lately, or if that is not known. */
  readonly unusedSince: number | undefined;
  /** Whether it was never used as far as the recorded days go. */
  readonly isNeverUsed: boolean;
  /** Recorded days. */
  readonly days: number;
}

/** What right-sizing expects, as of its last pass. */
export interface Forecasts {
  /** When the pass was finished, epoch seconds. */
  readonly computedAt: number;
  readonly rows: readonly Forecast[];
  /** When a day begins, epoch seconds. */
  startOf(day: number): number;
}

/** Without a good pass for this long, what right-sizing expects is not known, seconds. */
const MAX_AGE = 2 * 86_400;

/** What right-sizing expects, if the last good pass is not too old. @param now epoch seconds */
export const currentForecasts = ({ forecasts, now }: Pick<View, 'forecasts' | 'now'>): Forecasts | undefined =>
  forecasts !== undefined && now - forecasts.computedAt < MAX_AGE ? forecasts : undefined;

/** Requests for a feature that were denied on the newest local day on which it matters, today or the day before. */
export interface DeniedFeature {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
  readonly denials: number;
  /** `undefined` if the people whose requests were denied are not known. */
  readonly waited: WaitedPeople | undefined;
  readonly day: 'today' | 'yesterday';
}

/** People who waited, or denials where people are not known. */
export const deniedCount = ({ denials, waited }: Pick<DeniedFeature, 'denials' | 'waited'>): number =>
  waited?.people ?? denials;

/** The input of rules: the newest data, the state of the logon and of the sources, and what is expected. */
export interface View {
  /** Epoch seconds. */
  readonly now: number;
  readonly inventory: Inventory;
  /** Whether the analyzer accepted the last logon; `undefined` before the first. */
  readonly authenticated: boolean | undefined;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources: readonly SourceState[] | undefined;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly recording: RecordingState | undefined;
  /** `undefined` before the first pass of right-sizing, and without right-sizing. */
  readonly forecasts: Forecasts | undefined;
  /** Requests that an analyzer in this process has recorded as denied today; `undefined` without one, and if they cannot be read. */
  readonly denied: readonly DeniedFeature[] | undefined;
  /** What was listed before, compared with this inventory. */
  readonly past: Past;
  /** Whether series are left out because of `metrics.max_series`; `undefined` while no page of metrics is rendered. */
  readonly isSeriesLimited: boolean | undefined;
  /** Whether the last reload of the configuration was refused. */
  readonly isReloadRefused: boolean;
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
}

/** The result of one evaluation of a rule. */
export interface Evaluation {
  readonly findings: readonly Finding[];
  /** For an alert without a finding: whether its condition is unknown, because data is missing, or false. */
  isUnknown(labels: Labels): boolean;
  /** How an alert without a finding has ended that is not over, see `AlertState`. */
  endingOf?(labels: Labels): string | undefined;
  /** What it is not known for: vendor licenses, and an empty name for what is about none of them. */
  readonly unknownAbout: ReadonlySet<string>;
  /** Whether there was no data. */
  readonly hasNoData: boolean;
}

/** `unknownAbout` of a condition about the site as a whole, or of all vendor licenses. */
export const aboutSite = (isUnknown: boolean): ReadonlySet<string> => new Set(isUnknown ? [''] : []);

/** The result of a condition about which nothing is known. */
export const nothingKnown: Evaluation = {
  findings: [],
  isUnknown: () => true,
  unknownAbout: aboutSite(true),
  hasNoData: true,
};

/** How the alerts of the features of a vendor license and an owner are summed up. */
export interface Grouping {
  /** Whose alert is the worst one: that with the largest value, or that whose moment of harm is first. */
  readonly worst: 'first' | 'largest';
  /** A sentence about several features. */
  summarize(labels: Labels, count: number, when: string | undefined): string;
  /** Who is hit, and what to do first, of any of them. */
  readonly impact: string;
  readonly step: string;
}

/** What a condition compares with. */
export interface Threshold {
  readonly value: number;
  /** With its unit. */
  readonly text: string;
}

/** Rules of one name may differ in their severity. The result of `evaluate` depends on its views up to now, and on nothing else. */
export interface Rule {
  /** Name and severity. */
  readonly id: string;
  /** The `alertname` of its alerts. */
  readonly name: string;
  readonly severity: Severity;
  /** What its alerts are about. */
  readonly subject: 'analyzer' | 'vendor_license' | 'feature';
  /** Settings if no override matches. */
  readonly parameters: Durations;
  /** What the condition compares with if no override matches, in the unit of its value; `undefined` if it compares nothing. */
  readonly threshold: number | undefined;
  /** `undefined` for a rule that is not about features. */
  readonly grouping: Grouping | undefined;
  /** The longest time for which a condition must hold before an alert fires, seconds. */
  readonly longestFor: number;
  durations(labels: Labels): Durations;
  /** The value with which an alert ends although it is not over, seconds; infinite if it does not. */
  endsAfter(labels: Labels): number;
  /** What the condition compares with for an alert; `undefined` if it compares nothing. */
  thresholdOf(labels: Labels): Threshold | undefined;
  /** Yields between slices of work. */
  evaluate(view: View): Generator<void, Evaluation>;
}

/** A rule with the result of its evaluation. */
export interface EvaluatedRule {
  readonly rule: Rule;
  readonly evaluation: Evaluation;
}
