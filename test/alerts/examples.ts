import type { SourceState, View } from '../../src/alerts/rule.ts';
import type { RuleSettings } from '../../src/alerts/rules.ts';
import { historyPart } from '../../src/model/snapshot.ts';
import { forecast, forecasts } from '../support/forecasts.ts';
import { answer, expiration, failed, feature, good, NOW, product, type Scenario } from '../support/scenario.ts';
import { trendOf } from '../support/trend.ts';

/** For each rule a site on which it fires. A rule without an example does not compile. */

const DAY = 86_400;

/** A day of history: denials, or a gap where they are unknown. */
export function historyOf(denials: number | undefined): NonNullable<Scenario['history']> {
  const day = (NOW - DAY) * 1000;
  const part = historyPart({ product: 'lic01;cdslmd', feature: 'base', package: '', featureType: 'feature' });
  const series = [
    trendOf('Elapsed Time', [[day, 12.5]]),
    trendOf('Denials', denials === undefined ? [] : [[day, denials]]),
  ];
  return { interval: 3600, maxAge: 10_800, parts: new Map([[part, good(series)]]) };
}

export interface Example {
  readonly scenario: Scenario;
  /** Below `alerting.rules`. */
  readonly settings?: unknown;
  readonly authenticated?: boolean;
  readonly sources?: View['sources'];
  readonly recording?: View['recording'];
  readonly forecasts?: View['forecasts'];
  /** The site of a day ago. */
  readonly before?: Scenario;
  readonly isSeriesLimited?: boolean;
  readonly isReloadRefused?: boolean;
}

/** A source whose only server answers. */
export const source = (fields: Partial<SourceState> = {}): SourceState => ({
  name: 'site',
  manager: 'flexnet',
  failedReadings: 0,
  isServerDown: false,
  members: [{ up: true }],
  vendorLicenses: ['lic01;cdslmd'],
  ...fields,
});

const products = good(answer([product()]));
const down = good(answer([]));

export const examples: { readonly [Name in keyof RuleSettings]: Example } = {
  LicenseServerDown: { scenario: { products, down: good(answer([{ label: 'lic01;cdslmd' }])) } },
  LicenseCollectionStale: { scenario: { products: good(answer([product({ collectionTime: NOW - DAY })])), down } },
  LicenseExpired: {
    scenario: {
      products,
      features: {
        '': good(
          answer([
            feature({ licenseExpiration: NOW - DAY }),
            feature({ feature: 'unused', inUse: 0, licenseExpiration: NOW - DAY }),
          ]),
        ),
      },
    },
    forecasts: forecasts([forecast({ feature: 'unused', isNeverUsed: true })]),
  },
  LicenseExpiringSoon: {
    scenario: {
      products,
      features: {
        '': good(
          answer([
            feature({ feature: 'in two months', licenseExpiration: NOW + 50 * DAY }),
            feature({ feature: 'soon', licenseExpiration: NOW + 20 * DAY }),
            feature({ feature: 'very soon', licenseExpiration: NOW + DAY }),
          ]),
        ),
      },
    },
  },
  LicenseFeatureSaturated: {
    scenario: { products, features: { '': good(answer([feature({ inUse: 10, maxAvailable: 10 })])) } },
  },
  LicenseRequestsQueued: { scenario: { products, features: { '': good(answer([feature({ maxQueued: 3 })])) } } },
  LicenseDenials: { scenario: { products, history: historyOf(3) } },
  LicenseRunsOut: { scenario: { products }, forecasts: forecasts([forecast()]) },
  LicenseSourceDown: {
    scenario: { products, down },
    sources: [source({ failedReadings: 2, members: [{ up: false }] })],
  },
  LicenseRedundancyLost: {
    scenario: { products, down },
    sources: [source({ members: [{ up: true }, { up: false }] })],
  },
  LicenseHistoryNotRecorded: {
    scenario: { products, down },
    recording: { since: NOW - DAY, interval: 300, lastRecordedAt: NOW - 1801 },
  },
  LicenseProductsEmpty: { scenario: { products: good(answer([])), down } },
  LicenseAnalyzerUnreachable: { scenario: { products: failed(), down } },
  LicenseAnalyzerAuthFailing: { scenario: {}, authenticated: false },
  LicensePollPartial: {
    scenario: { products, expirations: { 'lic01;cdslmd': good(answer([expiration()])), 'lic02;mgcld': failed() } },
  },
  LicenseFieldMissing: {
    scenario: {
      products: good({ ...answer([product()]), fields: [{ owner: 'lic01;cdslmd', names: ['Product'] }] }),
      down,
    },
  },
  LicenseVendorLicenseVanished: {
    before: { products: good(answer([product(), product({ product: 'lic02;mgcld' })])), down },
    scenario: { products, down },
  },
  LicenseFeatureVanished: {
    before: { products, features: { '': good(answer([feature(), feature({ feature: 'gone' })])) } },
    scenario: { products, features: { '': good(answer([feature()])) } },
  },
  LicenseCapacityDropped: {
    before: { products, features: { '': good(answer([feature({ maxAvailable: 28 })])) } },
    scenario: { products, features: { '': good(answer([feature({ maxAvailable: 26 })])) } },
  },
  LicenseExporterSeriesLimit: { scenario: { products }, isSeriesLimited: true },
  LicenseExporterConfigReloadFailed: { scenario: { products }, isReloadRefused: true },
  LicenseRecordsDiscarded: { scenario: { products: good(answer([product()], { bad_record: 9 })) } },
};
