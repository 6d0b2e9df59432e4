import type { FeatureRecord, ProductRecord } from '../../base/model/records.ts';
import type { Forecast, RecordingState, SourceState } from './rule.ts';

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
