import type { Log } from '../model/log.ts';
import type { StoredAnswer } from '../model/records.ts';
import { lastGood, type Reading, WHOLE } from '../model/snapshot.ts';
import type { Parts } from './endpoint-poll.ts';
import { featuresRefusals } from './endpoint-requests.ts';
import { checkAllFeatures, type Known, splitAnswer } from './plausibility.ts';

/** Which form of GetFeatures is configured, and what the analyzer has shown so far. */
export interface FeaturesFormOptions {
  readonly configured: 'auto' | 'all' | 'per_vendor_license';
  /** Whether GetProducts is good. */
  readonly isServing: () => boolean;
  readonly known: () => Known;
  readonly log: Log;
}

/** How GetFeatures is requested: all features at once, or per vendor license. */
export interface FeaturesForm {
  readonly isPerVendorLicense: boolean;
  /** Decides from the readings of a pass whether another pass in the other form is needed. */
  review(readings: Parts<'GetFeatures'>): 'accept' | 'again';
  /** The reading of one vendor license, taken from the last good answer for all of them. */
  derive(part: string, parts: Parts<'GetFeatures'>): Reading<StoredAnswer> | undefined;
}

/**
 * With `auto`, all features are first requested at once. If the server cannot answer that, they are requested per vendor
 * license permanently. While GetProducts fails too, the server as a whole has a problem, and the form does not change.
 */
export function createFeaturesForm({ configured, isServing, known, log }: FeaturesFormOptions): FeaturesForm {
  let isPerVendorLicense = configured === 'per_vendor_license';
  return {
    get isPerVendorLicense() {
      return isPerVendorLicense;
    },
    review: (readings) => {
      const reading = readings.get(WHOLE);
      if (configured !== 'auto' || reading === undefined || !isServing()) return 'accept';
      const reason = reading.ok ? checkAllFeatures(reading.value, known()) : reading.failure.message;
      if (reason === undefined || (!reading.ok && !featuresRefusals.has(reading.failure.kind))) return 'accept';
      isPerVendorLicense = true;
      log.info({ endpoint: 'GetFeatures', reason }, 'requesting per vendor license from now on');
      return 'again';
    },
    derive: (part, parts) => {
      const whole = lastGood(parts.get(WHOLE));
      const value = whole === undefined ? undefined : splitAnswer(part, whole.value);
      return whole && value && { at: whole.at, seconds: 0, ok: true, value };
    },
  };
}
