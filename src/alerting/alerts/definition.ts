import type { FeatureRecord, ProductRecord } from '../../base/model/records.ts';
import type { Finding, Labels } from './alert.ts';
import type { Adjustable, Adjusted, Lookup, Shape, Values } from './alert-settings.ts';
import type { MessageClass } from './message-classes.ts';
import type { Evaluation, Forecast, RecordingState, Severity, SourceState, View } from './rule.ts';
import type { About } from './texts.ts';

/**
 * Everything that is said about an alert: each has a folder in `definitions`, and one row in `definitions.ts`. The settings, the
 * rules of the engine and those for Prometheus, the list of what needs attention, documentation and tests are made from these.
 */

/** What GetProducts, GetFeatures and the others have said. Fields that are left out have usual values. */
export interface ExampleSite {
  /** One vendor license without it. `failed`: no answer. */
  readonly products?: readonly Partial<ProductRecord>[] | 'failed';
  /** Those whose server is down. */
  readonly down?: readonly string[];
  readonly features?: readonly Partial<FeatureRecord>[];
  /** Whether the expiries of one more vendor license cannot be polled. */
  readonly isPartial?: boolean;
  /** Fields that GetProducts lacks. */
  readonly missingFields?: readonly string[];
  /** Records of GetProducts that cannot be used. */
  readonly badRecords?: number;
  /** Denials of yesterday, in the history of the first feature. */
  readonly denials?: number;
}

/** A site on which an alert fires. What is left out is as on a site without problems. */
export interface Example extends ExampleSite {
  /** The site of a day ago, if it was another one. */
  readonly before?: ExampleSite;
  /** `alerting.rules` as in the file. */
  readonly settings?: unknown;
  readonly authenticated?: boolean;
  readonly sources?: readonly Partial<SourceState>[];
  readonly recording?: RecordingState;
  readonly forecasts?: readonly Partial<Forecast>[];
  readonly isSeriesLimited?: boolean;
  readonly isReloadRefused?: boolean;
}

/** The order of what needs attention: the site is not known; nobody can work; users are denied; waits; soon; parts are not known; full; later. */
export const attentionClasses = {
  site: 0,
  unusable: 1,
  denied: 2,
  waits: 3,
  soon: 4,
  partly: 5,
  full: 6,
  later: 7,
} as const;

type AttentionClass = keyof typeof attentionClasses;

/** What a finding says of its own. The rest of the texts is that of the alert. */
export interface Told {
  readonly summary?: string;
  /** Sentences that begin the description. */
  readonly facts?: string | undefined;
  /** Who is hit, if this finding knows it better than its alert. Not of features, which are summed up. */
  readonly impact?: string;
  /** A few words for lists, such as `3 wait`. */
  readonly figure?: string | undefined;
  /** The number of licenses, for lists. */
  readonly licenses?: string | undefined;
  /** When it is, such as `on Thursday 2026-12-03, in 4d`, for a summary of several features that all say the same. */
  readonly when?: string;
}

/** What the condition of a rule needs in addition to the data. */
export interface RuleContext<P> {
  readonly severity: Severity;
  readonly settings: Adjustable<P>;
  readonly parametersOf: Lookup<P>;
  /** The values of another alert. */
  readonly settingsOf: <S extends Shape>(other: EngineAlert<S>) => Adjustable<Values<S>>;
  /**
   * A finding of this rule.
   *
   * @param subject labels in addition to `alertname` and `severity`; empty ones are removed
   * @param isRaised see `Finding`
   */
  finding(subject: Labels, told?: Told, value?: number, isRaised?: boolean): Finding;
}

/**
 * Begins to evaluate the condition of one rule. It says for each finding that it is met, and of all else when it is unknown, both
 * required by its result. A result depends on the views up to now, and on nothing else.
 */
export type Condition<S extends Shape> = (
  context: RuleContext<Values<S>>,
) => (view: View) => Evaluation | Generator<void, Evaluation>;

interface Texts {
  /** What has happened: one sentence. It names no figures, because Prometheus has none. */
  summary(about: About): string;
  /** Who is hit, and how: one or two sentences. */
  readonly impact: string;
  /** What to do first, as the runbook says it. */
  readonly step: string;
}

/** Alerts of features are summed up by vendor license and owner: the worst one is the first by its `time`, or has the largest value. */
type Summed =
  | { readonly subject: 'feature'; readonly worst: 'first' | 'largest' }
  | { readonly subject: 'vendor_license' | 'analyzer'; readonly worst?: never };

/** What a site has only if it is configured. */
export type Subject = 'logons' | 'denials' | 'forecasts' | 'sources' | 'recording' | 'archive';

/** What a condition compares with. */
interface ThresholdOf<V> {
  value(values: V, severity: Severity): number;
  /** With its unit. */
  text(value: number): string;
}

export type EngineAlert<S extends Shape> = Adjusted<S> &
  Summed & {
    /** How people are told of it. */
    readonly messages: MessageClass;
    /** A rule for each. */
    readonly severities: readonly Severity[];
    /** What the condition compares with, in the unit of its value; `'none'` if it compares nothing. */
    readonly threshold: ThresholdOf<Values<S>> | 'none';
    /**
     * It ends when its value, which is the time since it is so, is this long, seconds: not because it is over, but because people
     * know it by then. Without it, it ends when it is over.
     */
    endsAfter?(values: Values<S>): number;
    /** How long it keeps firing, seconds. Without it, that is the setting. */
    keepFiring?(values: Values<S>, severity: Severity): number;
    /** What not every site has configured. Without it, there is nothing to be unknown about. */
    readonly needs?: Subject;
    readonly condition: Condition<S>;
    /** Whether what is known of a finding stays the same while it fires, see `steady-facts.ts`. */
    readonly areFactsSteady?: boolean;
    /** What it means in a few words, and its place among what needs attention. */
    readonly attention: {
      readonly what: string;
      /** @param due when it happens, epoch seconds; `undefined` for what is so already */
      readonly class: AttentionClass | ((due: number | undefined, now: number, severity: Severity) => AttentionClass);
      /** Since when it is so, or when it will be, if that is not when it was seen first: what the value of a finding says of it. */
      readonly time?: 'value is time since' | 'value is time until' | 'value is due time';
    };
    readonly texts: Texts;
    /** A site on which it fires, for tests. */
    readonly example: (now: number) => Example;
  };

/** What the expression of an alert of Prometheus needs. */
interface PrometheusContext<S extends Shape> {
  readonly values: Values<S>;
  /** The job under which Prometheus scrapes the exporter, as a string literal. */
  readonly job: string;
}

/** An alert that only Prometheus can evaluate. */
export type PrometheusAlert<S extends Shape> = Adjusted<S> & {
  readonly subject: 'analyzer';
  /** How people are told of it. What always fires goes to a receiver of its own. */
  readonly messages: MessageClass | 'watchdog';
  readonly severity: 'critical' | 'warning' | 'none';
  /** What the engine does not have. */
  readonly needs: string;
  expr(context: PrometheusContext<S>): string;
  readonly texts: Texts;
};

/** Checks the definition of an alert of the engine. */
export const engineAlert = <const S extends Shape>(alert: EngineAlert<S>): EngineAlert<S> => alert;

/** Checks the definition of an alert of Prometheus. */
export const prometheusAlert = <const S extends Shape>(alert: PrometheusAlert<S>): PrometheusAlert<S> => alert;
