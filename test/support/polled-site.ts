import type { DeniedFeature } from '../../src/alerting/alerts/rule.ts';
import { createCollector } from '../../src/analyzer/history/collector.ts';
import type { DeniedSeries } from '../../src/analyzer/history/recorded-denials.ts';
import { endpointBodies } from '../../src/analyzer/server/query-answers.ts';
import { createSimulatedSite, type SimulatedSiteOptions } from '../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { type VendorLicenseObservation, vendorLicenseName } from '../../src/base/model/observation/observation.ts';
import type { Source } from '../../src/base/model/observation/source.ts';
import type { Snapshot } from '../../src/base/model/snapshot.ts';
import type { EndpointName } from '../../src/base/query-api/endpoints.ts';
import { type Answers, decodeAnswer } from '../../src/exporter/inventory/decoding/decode.ts';
import { newestOf } from '../../src/program/app/recorded.ts';
import { hostileNames } from './hostile-names.ts';
import { createSnapshot, good } from './scenario.ts';

/** The simulated site of the demo with 200 features, collected and polled without a daemon. History is not polled. */

/** IANA name. */
export const SITE_ZONE = 'Europe/Berlin';
const HOUR = 3600;
/** As in the demo, where a server is down at the start. */
const DOWN_BEFORE = 40 * 60;

export interface PolledSiteOptions {
  /** Epoch seconds of the first collection. */
  readonly from: number;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds between collections. */
  readonly interval: number;
  readonly site?: Partial<SimulatedSiteOptions>;
  /** Instead of the simulated site. */
  readonly sources?: readonly Source[] | undefined;
  /** What is read instead of what the site has. */
  readonly change?: (observed: readonly VendorLicenseObservation[], at: number) => readonly VendorLicenseObservation[];
}

export interface PolledSite {
  /** Collects, and polls everything; expiries every hour. */
  poll(): Promise<Snapshot>;
  /** The requests that were denied today or on the day before. */
  denied(): readonly DeniedFeature[];
}

export function createPolledSite({ from, now, interval, site, sources, change }: PolledSiteOptions): PolledSite {
  const localTime = createLocalTime(SITE_ZONE);
  const source = createSimulatedSite({
    seed: 1,
    vendorLicenses: 10,
    featuresPerVendorLicense: 20,
    timeZone: SITE_ZONE,
    now,
    interval,
    downSince: from - DOWN_BEFORE,
    names: hostileNames,
    ...site,
  });
  const denials = new Map<string, DeniedSeries>();
  let before: readonly DeniedSeries[] = [];
  let today = localTime.dayOf(from);
  const collector = createCollector({
    sources: sources ?? [
      change === undefined ? source : { ...source, read: async (aborted) => change(await source.read(aborted), now()) },
    ],
    localTime,
    now,
    onProblem: (error) => {
      throw error;
    },
    onCollected: async ({ at, reached }) => {
      const day = localTime.dayOf(at);
      if (day !== today) {
        before = [...denials.values()];
        denials.clear();
      }
      today = day;
      for (const { observation } of reached) {
        for (const { feature, package: pkg, featureType, denials: more = 0 } of observation.pools) {
          const one = {
            vendorLicense: vendorLicenseName(observation),
            feature,
            package: pkg,
            featureType,
            waits: undefined,
          };
          const key = JSON.stringify(one);
          denials.set(key, { ...one, denials: (denials.get(key)?.denials ?? 0) + more });
        }
      }
    },
  });
  const { signal } = new AbortController();

  const ask = async <E extends EndpointName>(
    endpoint: E,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Answers[E]> => {
    const recorded = (): never => {
      throw new Error('there is no history');
    };
    const context = { current: collector.current(), now: now(), identity: '', signal, recorded };
    const { body } = await endpointBodies[endpoint](context, parameters);
    return decodeAnswer(endpoint, Buffer.concat(body), Number.POSITIVE_INFINITY);
  };

  let expiries: Snapshot['endpoints']['GetExpirationFeatures'];
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    poll: async () => {
      await collector.collect();
      const at = now();
      const isDue = at - askedAt >= HOUR;
      const products = await ask('GetProducts', {});
      const { endpoints } = createSnapshot({
        products: good(products, at),
        down: good(await ask('GetServerDown', {}), at),
        users: good(1, at),
        features: { '': good(await ask('GetFeatures', { product: '%' }), at) },
      });
      if (isDue) {
        const parts: Record<string, ReturnType<typeof good<Answers['GetExpirationFeatures']>>> = {};
        for (const { product } of products.records)
          parts[product] = good(await ask('GetExpirationFeatures', { product }), at);
        expiries = createSnapshot({ expirations: parts }).endpoints.GetExpirationFeatures;
        askedAt = at;
      }
      return { at, endpoints: { ...endpoints, ...(expiries !== undefined && { GetExpirationFeatures: expiries }) } };
    },
    denied: () => newestOf([...denials.values()], before, []),
  };
}
