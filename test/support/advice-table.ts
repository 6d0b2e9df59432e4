import type { Advice } from '../../src/insight/advice/method/advice.ts';
import type { AdviceTable, KeptAdvice, PastAdvice, Rightsizing } from '../../src/insight/advice/pass/rightsizing.ts';

/** Advice that tests make by hand. */

/** The local day of every pass: 2026-11-18. */
export const TODAY = Date.UTC(2026, 10, 18) / 86_400_000;

/** Item `n`: the hours with at least `n` in use, from the hours at each number, the lowest first. */
export function curveOf(hoursAt: readonly number[]): Float64Array {
  const curve = new Float64Array(hoursAt.length + 1);
  for (let n = hoursAt.length - 1; n >= 0; n -= 1) curve[n] = (curve[n + 1] ?? 0) + (hoursAt[n] ?? 0);
  return curve;
}

/** Advice on a feature with 20 licenses, of which 16 were enough. */
export function adviceOf(fields: Partial<KeptAdvice> = {}): KeptAdvice {
  return {
    vendorLicense: 'lic01;cadd',
    feature: 'solver',
    package: '',
    featureType: 'feature',
    computed: TODAY,
    bought: 20,
    boughtAsOf: undefined,
    peak: 18,
    peakDay: TODAY - 40,
    recentPeak: 18,
    p95: 14,
    p99: 15,
    needed: 16,
    lastYear: 16,
    // more than 16 were in use for 4 h: 17 for 3 h, and 18 for 1 h
    hoursAtLeast: curveOf([4000, ...Array.from({ length: 15 }, () => 316), 9, 3, 1]),
    utilisation: 0.3,
    fullHours: 0,
    refusalDays: 0,
    refusalHours: 0,
    refusalsNow: { days: 0, recordedDays: 365 },
    otherRefusals: 2,
    denials: 9,
    deniedDays: 4,
    denialsKnownDays: 365,
    growth: { kind: 'not proven' },
    likely: 15,
    enough: 16,
    mayRise: false,
    busyWeek: 15,
    weeklyPeaks: [],
    runsOut: undefined,
    reservedUnneeded: 0,
    unusedSince: undefined,
    isNeverUsed: false,
    state: 'could go',
    count: 4,
    countRange: undefined,
    reason: '20 bought, 16 were enough but for 4 h a year, no refusals, no provable growth, 365 of 365 days recorded',
    enoughFrom: undefined,
    days: 365,
    coverage: 1,
    confidence: 'high',
    uncertainties: [],
    hasContract: true,
    applied: undefined,
    confirmedRunsOut: undefined,
    change: undefined,
    past: [],
    ...fields,
  };
}

export const pastOf = (advice: Advice, fields: Partial<PastAdvice>): PastAdvice => ({
  vendorLicense: advice.vendorLicense,
  feature: advice.feature,
  package: advice.package,
  featureType: advice.featureType,
  month: '2026-06',
  state: 'could go',
  bought: 24,
  count: 4,
  needed: 19,
  ...fields,
});

export const adviceTable = (rows: readonly KeptAdvice[], fields: Partial<AdviceTable> = {}): AdviceTable => ({
  computedAt: TODAY * 86_400 - 2400,
  day: TODAY,
  tolerance: 4,
  rows,
  leftOut: 0,
  backTest: [],
  ...fields,
});

/** A pass with this result. */
export const rightsizingOf = (
  table: AdviceTable | undefined,
  status: Partial<ReturnType<Rightsizing['status']>> = {},
): Rightsizing => ({
  latest: () => table,
  status: () => ({
    isEnabled: true,
    lastSuccess: table?.computedAt,
    durationSeconds: undefined,
    failure: undefined,
    isRunning: false,
    progress: undefined,
    ...status,
  }),
});

/** Many features of all states, as on a large site. */
export function manyAdvices(count: number): KeptAdvice[] {
  return Array.from({ length: count }, (_, i) => {
    const names = { vendorLicense: `lic${String(i % 50).padStart(2, '0')};cadd`, feature: `feature-${i}` };
    const bought = 20 + (i % 30);
    if (i % 5 === 0) return adviceOf({ ...names, bought, count: bought - 16 });
    if (i % 11 === 0) {
      return adviceOf({
        ...names,
        state: 'missing',
        count: 3,
        countRange: [2, 4],
        reason: `${bought} bought, requests refused on ${i % 90} of 365 days`,
      });
    }
    if (i % 7 === 0) {
      const reason = `only ${i % 13} of 13 weeks have data`;
      return adviceOf({ ...names, state: 'not enough data', count: undefined, days: 60, confidence: 'none', reason });
    }
    return adviceOf({ ...names, state: i % 2 === 0 ? 'fine' : 'tight', count: undefined, reason: 'enough licenses' });
  });
}
