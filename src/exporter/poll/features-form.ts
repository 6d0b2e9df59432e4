import type { Log } from '../../base/model/log.ts';
import { lastGood, type PolledAnswers, type Reading, WHOLE } from '../../base/model/snapshot.ts';
import type { Parts } from './endpoint-poll.ts';
import { featuresRefusals } from './endpoint-requests.ts';
import { checkAllFeatures, type Known, splitAnswer } from './plausibility.ts';

/** Which form of GetFeatures is configured, and what the analyzer has shown so far. */
export interface FeaturesFormOptions {
  readonly configured: 'auto' | 'all' | 'per_vendor_license';
  /** Whether GetProducts is good. */
  readonly isServing: () => boolean;
  readonly known: () => Known;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Seconds after which all features are requested at once again: at first, and at most. Each refusal doubles it. */
const FIRST_RETRY = 900;
const LONGEST_RETRY = 86_400;

/** How GetFeatures is requested: all features at once, or per vendor license. */
export interface FeaturesForm {
  readonly isPerVendorLicense: boolean;
  /** Decides from the readings of a pass whether another pass in the other form is needed. */
  review(readings: Parts<'GetFeatures'>): 'accept' | 'again';
  /** The reading of one vendor license, taken from the last good answer for all of them. */
  derive(part: string, parts: Parts<'GetFeatures'>): Reading<PolledAnswers['GetFeatures']> | undefined;
}

/**
 * With `auto`, all features are first requested at once. If the server cannot answer that, they are requested per vendor license, and
 * all at once again later: it may have been a short fault. While GetProducts fails too, the server as a whole has a problem, and the
 * form does not change.
 */
export function createFeaturesForm({ configured, isServing, known, now, log }: FeaturesFormOptions): FeaturesForm {
  let isPerVendorLicense = configured === 'per_vendor_license';
  let retryAt = Number.POSITIVE_INFINITY;
  let delay = FIRST_RETRY;
  const isRefused = (reading: Reading<PolledAnswers['GetFeatures']>): string | undefined => {
    if (reading.ok) return checkAllFeatures(reading.value, known());
    return featuresRefusals.has(reading.failure.kind) ? reading.failure.message : undefined;
  };
  return {
    get isPerVendorLicense() {
      return isPerVendorLicense && now() < retryAt;
    },
    review: (readings) => {
      const reading = readings.get(WHOLE);
      if (configured !== 'auto' || reading === undefined) return 'accept';
      const reason = isServing() ? isRefused(reading) : undefined;
      if (reason !== undefined) {
        if (!isPerVendorLicense)
          log.warn({ endpoint: 'GetFeatures', reason, retry: delay }, 'requesting features per vendor license');
        isPerVendorLicense = true;
        retryAt = now() + delay;
        delay = Math.min(2 * delay, LONGEST_RETRY);
        return 'again';
      }
      if (!isPerVendorLicense) return 'accept';
      if (reading.ok && isServing()) {
        isPerVendorLicense = false;
        delay = FIRST_RETRY;
        log.info({ endpoint: 'GetFeatures' }, 'requesting all features at once again');
        return 'accept';
      }
      // nothing says that it is whole: the other form may answer
      retryAt = now() + delay;
      return 'again';
    },
    derive: (part, parts) => {
      const whole = lastGood(parts.get(WHOLE));
      const value = whole === undefined ? undefined : splitAnswer(part, whole.value);
      return whole && value && { at: whole.at, seconds: 0, ok: true, value };
    },
  };
}
