import { describe } from 'vitest';
import {
  during,
  exceptDuring,
  feature,
  featureLabels,
  only,
  onlyWhile,
  type SeriesOf,
  vendorLicense,
} from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';
import type { Timeline } from '../support/rule-timeline.ts';

/** Alerts are kept while their data is unknown, end when it is known again, and never come back for what is gone. */

const scenario = createScenarios();

const UP = 'license_server_up{vendor_license="v;d"}';
const DAY = 86_400;
const A = featureLabels('a');
const down = 'LicenseServerDown severity=critical vendor_license=v;d';
const expired = 'LicenseExpired feature=a severity=critical vendor_license=v;d version=1';
const expiring = (severity: string, name: string) =>
  `LicenseExpiringSoon feature=${name} severity=${severity} vendor_license=v;d version=1`;
const known = (data: string, name = 'v;d') =>
  `license_vendor_license_data_known{vendor_license="${name}",data="${data}"}`;
const KNOWN = 'license_data_known{data="vendor_licenses"}';

/** The exporter is not running from minute 20 on, for some minutes. */
const gone = (minutes: number, length: number, series: SeriesOf): Timeline => ({
  minutes,
  exporters: [
    { isScraped: (minute) => !during(20, 19 + length)(minute), series: { ...vendorLicense('v;d'), ...series } },
  ],
});
const exporterDown = 'LicenseExporterDown instance=e1 severity=critical';

describe.runIf(peer('promtool'))('while the exporter is gone', () => {
  scenario(
    'case 1: for 3 minutes, an outage of the server stays one alert',
    gone(60, 3, { [UP]: exceptDuring(5, 40) }),
    {
      [down]: '5-45',
    },
  );
  scenario(
    'case 1: for 6 minutes, an outage of the server stays one alert',
    gone(60, 6, { [UP]: exceptDuring(5, 40) }),
    {
      [down]: '5-45',
      [exporterDown]: '25-25',
    },
  );
  scenario(
    'case 1: for 20 minutes, an outage of the server stays one alert',
    gone(90, 20, { [UP]: exceptDuring(5, 60) }),
    {
      [down]: '5-65',
      [exporterDown]: '25-39',
    },
  );
  scenario(
    'case 1: for 55 minutes, an outage of the server stays one alert',
    gone(120, 55, { [UP]: exceptDuring(5, 90) }),
    {
      [down]: '5-95',
      [exporterDown]: '25-74',
    },
  );
  scenario(
    'case 1: for 55 minutes, alerts with a pending time are kept too',
    gone(120, 55, {
      [UP]: 1,
      'license_vendor_license_last_collection_timestamp_seconds{vendor_license="v;d"}': -DAY,
      ...feature(A, { expires: -DAY }),
      ...feature(featureLabels('b'), { expires: DAY, inUse: 10 }),
      ...feature(featureLabels('c'), { queued: 2 }),
    }),
    {
      'LicenseCollectionStale severity=warning vendor_license=v;d': '10-120',
      [expired]: '10-120',
      [expiring('critical', 'b')]: '15-120',
      'LicenseFeatureSaturated feature=b severity=warning vendor_license=v;d version=1': '5-120',
      'LicenseRequestsQueued feature=c severity=warning vendor_license=v;d version=1': '10-120',
      [exporterDown]: '25-74',
    },
  );
  scenario(
    'case 1: a server that is up when the exporter is back ends the alert',
    gone(90, 20, { [UP]: (minute) => Number(minute < 5 || minute > 39) }),
    { [down]: '5-44', [exporterDown]: '25-39' },
  );
  scenario(
    'for more than 1 h, alerts end an hour after they were seen last',
    gone(150, 100, { [UP]: exceptDuring(5, 150) }),
    {
      [down]: '5-84, 120-150',
      [exporterDown]: '25-119',
    },
  );
  scenario(
    'a server that went down meanwhile is reported when the exporter is back',
    gone(60, 20, { [UP]: exceptDuring(30, 60) }),
    { [down]: '40-60', [exporterDown]: '25-39' },
  );
});

/** What the exporter serves in the minutes before its first poll: that nothing is known. */
const starting = (from: number, to: number, series: SeriesOf): SeriesOf => ({
  ...onlyWhile((minute) => !during(from, to)(minute), { ...vendorLicense('v;d'), ...series }),
  ...onlyWhile((minute) => !during(from, to)(minute), {
    'license_poll_success{endpoint="GetProducts"}': 1,
    'license_poll_success{endpoint="GetServerDown"}': 1,
    'license_poll_success{endpoint="GetFeatures"}': 1,
    'license_poll_success{endpoint="GetExpirationFeatures"}': 1,
    'license_poll_records{endpoint="GetProducts"}': 1,
    license_up: 1,
    license_upstream_authenticated: 1,
  }),
  [KNOWN]: exceptDuring(from, to),
});

describe.runIf(peer('promtool'))('after a start of the exporter', () => {
  scenario(
    'alerts are kept until the first poll, and nothing is missed',
    {
      minutes: 60,
      exporters: [
        {
          isScraped: (minute) => minute !== 20,
          series: starting(21, 25, {
            [UP]: exceptDuring(5, 40),
            ...feature(A, { expires: -DAY }),
          }),
        },
      ],
    },
    { [down]: '5-45', [expired]: '10-60' },
  );
  scenario(
    'features that are polled later than the vendor licenses keep their alerts',
    one(60, {
      ...onlyWhile((minute) => !during(20, 30)(minute), feature(A, { expires: -DAY, inUse: 10 })),
      [UP]: exceptDuring(5, 40),
      [known('features')]: exceptDuring(20, 30),
      [known('usage')]: exceptDuring(20, 30),
      [known('expirations')]: exceptDuring(20, 30),
    }),
    {
      [down]: '5-45',
      [expired]: '10-60',
      'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1': '5-60',
    },
  );
});

/** Polls fail from minute 20 to 59. Data ages out after minute 24, and vendor licenses are not known after minute 29. */
const outage = (up: (minute: number) => number): SeriesOf => ({
  ...onlyWhile((minute) => !during(30, 59)(minute), vendorLicense('v;d')),
  ...onlyWhile((minute) => !during(25, 59)(minute), {
    [UP]: up,
    ...feature(A, { expires: (minute) => (minute < 60 ? -DAY : 9e9) }),
  }),
  [known('server')]: only((minute) => !during(30, 59)(minute), exceptDuring(25, 59)),
  [known('features')]: only((minute) => !during(30, 59)(minute), exceptDuring(25, 59)),
  [known('expirations')]: only((minute) => !during(30, 59)(minute), exceptDuring(25, 59)),
  [KNOWN]: exceptDuring(30, 59),
  license_up: exceptDuring(20, 59),
  'license_poll_success{endpoint="GetProducts"}': exceptDuring(20, 59),
  'license_poll_success{endpoint="GetServerDown"}': exceptDuring(20, 59),
  'license_poll_success{endpoint="GetFeatures"}': exceptDuring(20, 59),
  'license_poll_success{endpoint="GetExpirationFeatures"}': exceptDuring(20, 59),
});
const unreachable = 'LicenseAnalyzerUnreachable severity=critical';

describe.runIf(peer('promtool'))('while the analyzer is unreachable', () => {
  scenario(
    'alerts are kept, and end when it is back and says so',
    one(
      100,
      outage((minute) => Number(minute > 59)),
    ),
    {
      [down]: '0-64',
      [expired]: '10-69',
      [unreachable]: '30-64',
    },
  );
  scenario(
    'an outage of the server stays one alert',
    one(
      100,
      outage(() => 0),
    ),
    {
      [down]: '0-100',
      [expired]: '10-69',
      [unreachable]: '30-64',
    },
  );
  scenario(
    'alerts are kept for one hour without data, then for 5 minutes',
    one(120, {
      ...onlyWhile(during(0, 29), vendorLicense('v;d')),
      [UP]: only(during(0, 29), 0),
      [KNOWN]: exceptDuring(30, 120),
    }),
    // the last finding is of minute 29
    { [down]: '0-94' },
  );
});

describe.runIf(peer('promtool'))('while a part is unknown', () => {
  scenario(
    'the alert about a server is kept while records of GetServerDown cannot be used',
    one(80, {
      [UP]: only(
        (minute) => !during(24, 59)(minute),
        (minute) => Number(minute > 59),
      ),
      [known('server')]: exceptDuring(24, 59),
    }),
    { [down]: '0-64' },
  );
  scenario(
    'the alert about a collection is kept while it is not known whether the server is down',
    one(80, {
      [UP]: only((minute) => !during(24, 59)(minute), 1),
      [known('server')]: exceptDuring(24, 59),
      'license_vendor_license_last_collection_timestamp_seconds{vendor_license="v;d"}': (minute) =>
        minute < 60 ? -DAY : 3600,
    }),
    { 'LicenseCollectionStale severity=warning vendor_license=v;d': '10-69' },
  );
  scenario(
    'alerts about expiries are kept while GetFeatures of the vendor license fails, and end after a renewal',
    one(130, {
      ...onlyWhile((minute) => !during(40, 94)(minute), {
        ...feature(A, { expires: (minute) => (minute < 90 ? -1 : 300) * DAY }),
        ...feature(featureLabels('b'), { expires: (minute) => (minute < 90 ? 3 : 300) * DAY }),
        ...feature(featureLabels('c'), { expires: (minute) => (minute < 90 ? 20 : 300) * DAY }),
      }),
      [known('features')]: exceptDuring(40, 94),
      [known('usage')]: exceptDuring(40, 94),
      [known('expirations')]: exceptDuring(40, 94),
    }),
    { [expired]: '10-104', [expiring('critical', 'b')]: '15-104', [expiring('warning', 'c')]: '15-119' },
  );
  scenario(
    'case 8: the alert of a feature that is reported without its value is kept, for one hour',
    one(150, {
      ...feature(A, { expires: (minute) => (minute < 30 ? -DAY : undefined) }),
      ...feature(featureLabels('b'), { inUse: (minute) => (minute < 30 ? 10 : undefined) }),
      ...feature(featureLabels('c'), { queued: (minute) => (minute < 30 ? 1 : undefined) }),
      [known('usage')]: exceptDuring(30, 150),
    }),
    {
      [expired]: '10-99',
      'LicenseFeatureSaturated feature=b severity=warning vendor_license=v;d version=1': '5-101',
      'LicenseRequestsQueued feature=c severity=warning vendor_license=v;d version=1': '10-99',
    },
  );
  scenario(
    'a vendor license that is known to be gone during the hold ends its alert',
    one(80, {
      ...vendorLicense('w;d'),
      ...onlyWhile(during(0, 49), vendorLicense('v;d')),
      [UP]: only(during(0, 19), 0),
      [known('server')]: only(during(0, 49), exceptDuring(20, 49)),
    }),
    { [down]: '0-54', 'LicenseVendorLicenseVanished severity=warning vendor_license=v;d': '65-80' },
  );
});

describe.runIf(peer('promtool'))('what is gone', () => {
  /** The version of the feature `a` that minute 100 replaces, with an expiry an hour after the start. */
  const renewed: SeriesOf = {
    ...feature(A, { info: only(during(0, 99), 1), expires: 3600 }),
    ...feature(featureLabels('a', '2'), { info: only(during(100, 999), 1), expires: 9e9 }),
  };
  const firing = { [expiring('critical', 'a')]: '15-69', [expired]: '70-109' };

  scenario(
    'case 3: a renewal under a new version stays resolved while GetFeatures of another vendor license fails',
    one(200, {
      ...vendorLicense('w;d'),
      ...renewed,
      'license_poll_success{endpoint="GetFeatures"}': exceptDuring(130, 200),
      [known('features', 'w;d')]: exceptDuring(140, 200),
      [known('expirations', 'w;d')]: exceptDuring(140, 200),
      [known('usage', 'w;d')]: exceptDuring(140, 200),
    }),
    { ...firing, 'LicensePollPartial endpoint=GetFeatures severity=warning': '140-200' },
  );
  scenario(
    'case 3: a renewal under a new version stays resolved while GetFeatures of its own vendor license fails',
    one(200, {
      ...renewed,
      'license_poll_success{endpoint="GetFeatures"}': exceptDuring(112, 200),
      [known('features')]: exceptDuring(112, 200),
      [known('expirations')]: exceptDuring(112, 200),
      [known('usage')]: exceptDuring(112, 200),
    }),
    { ...firing, 'LicensePollPartial endpoint=GetFeatures severity=warning': '122-200' },
  );
  scenario(
    'case 3: a renewal under a new version stays resolved over a restart of the exporter',
    {
      minutes: 200,
      exporters: [
        { isScraped: (minute) => minute < 115 || minute > 120, series: starting(121, 125, { ...renewed, [UP]: 1 }) },
      ],
    },
    { ...firing, [exporterDown]: '120-120' },
  );
  scenario(
    'case 3: a decommissioned server stays resolved after an outage of the analyzer',
    one(120, {
      ...vendorLicense('w;d'),
      ...onlyWhile(during(0, 19), vendorLicense('v;d')),
      [UP]: only(during(0, 19), exceptDuring(5, 19)),
      [KNOWN]: exceptDuring(60, 74),
      license_up: exceptDuring(55, 74),
    }),
    {
      [down]: '5-24',
      'LicenseVendorLicenseVanished severity=warning vendor_license=v;d': '35-120',
      [unreachable]: '65-79',
    },
  );
});
