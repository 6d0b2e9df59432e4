import type { Backend } from '../datasource/backend.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import type { SourceHealth } from '../model/observation/source.ts';
import type { DenialSource } from './denied.ts';

/**
 * How many alerts fire, by severity, and how many are pending. `withoutData`: the kinds of alerts of which it is not known
 * whether they apply, without those whose data is not requested.
 */
export type AlertCounts = Readonly<Record<'critical' | 'warning' | 'info' | 'pending' | 'withoutData', number>>;

/** What the pages read. A reload replaces it. */
export interface StatusInputs {
  /** The data, for the user of the request. */
  readonly backend: Backend;
  /** Host and port of the analyzer, or its configured name; `undefined` for one in this process without a name. */
  readonly analyzer: string | undefined;
  /** `undefined` until the rules have been evaluated. */
  readonly alerts: AlertCounts | undefined;
  /** IANA name of the zone of times on the pages. */
  readonly timeZone: string;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources: readonly SourceHealth[] | undefined;
  /** The history that it records; `undefined` without one. */
  readonly recording: RecordingHealth | undefined;
  readonly denials: DenialSource;
}
