import { describe } from 'vitest';
import { during, exceptDuring, feature, featureLabels, only, vendorLicense } from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';

/** Alerts about license servers and features: when they are silent, when they fire and end, and their texts. */

const scenario = createScenarios();

const UP = 'license_server_up{vendor_license="v;d"}';
const COLLECTED = 'license_vendor_license_last_collection_timestamp_seconds{vendor_license="v;d"}';
const DAY = 86_400;
const A = featureLabels('a');
const B = featureLabels('b');

describe.runIf(peer('promtool'))('LicenseServerDown', () => {
  const down = 'LicenseServerDown severity=critical vendor_license=v;d';

  scenario(
    'case 7: fires at once, is kept for 5 minutes, and says since when',
    one(
      40,
      {
        ...vendorLicense('w;d'),
        [UP]: exceptDuring(5, 15),
        [COLLECTED]: 120,
        'license_server_up{vendor_license="w;d"}': 1,
      },
      { texts: [['LicenseServerDown', 10]] },
    ),
    { [down]: '5-20' },
    {
      [down]: {
        summary: 'License server v;d is down.',
        description:
          'The analyzer last received data from v;d at 1970-01-01 00:02 UTC. Users cannot check out its licenses while it is down. Check the license server and its vendor daemon.',
        runbook_url: 'http://e1/runbooks#licenseserverdown',
      },
    },
  );

  scenario(
    'does not name a time that is not known',
    one(20, { [UP]: 0 }, { texts: [['LicenseServerDown', 10]] }),
    { [down]: '0-20' },
    {
      [down]: {
        description:
          'The analyzer has received no data from v;d for at least 30 minutes. Users cannot check out its licenses while it is down. Check the license server and its vendor daemon.',
      },
    },
  );

  scenario('is not ended by a recovery for 4 minutes', one(40, { [UP]: exceptDuring(14, 40) }), { [down]: '14-40' });
  scenario('is one alert over a short recovery', one(40, { [UP]: (minute) => Number(during(10, 13)(minute)) }), {
    [down]: '0-40',
  });
  scenario(
    'is not ended by one failed scrape',
    {
      minutes: 40,
      exporters: [
        { isScraped: (minute) => minute !== 14, series: { ...vendorLicense('v;d'), [UP]: exceptDuring(2, 20) } },
      ],
    },
    { [down]: '2-25' },
  );
});

describe.runIf(peer('promtool'))('LicenseCollectionStale', () => {
  const stale = 'LicenseCollectionStale severity=warning vendor_license=v;d';

  scenario(
    'fires 10 minutes after the data is older than 1 h, and is kept for 10 minutes',
    one(
      120,
      { [UP]: 1, [COLLECTED]: (minute) => (minute < 90 ? 0 : 5400) },
      { texts: [['LicenseCollectionStale', 75]] },
    ),
    // after exactly 1 h, the data is not stale
    { [stale]: '71-99' },
    {
      [stale]: {
        summary: 'Data of v;d is 1h 15m 0s old.',
        description:
          'The server is not reported down, but its last collection was at 1970-01-01 00:00 UTC. Check the collector of the analyzer for this server.',
      },
    },
  );
  scenario(
    'fires if GetProducts contradicts an empty GetServerDown',
    one(100, {
      [COLLECTED]: 0,
      'license_vendor_license_data_known{vendor_license="v;d",data="server"}': 0,
      'license_poll_success{endpoint="GetServerDown"}': 1,
    }),
    { [stale]: '71-100' },
  );
  scenario('is silent for a server that is down', one(100, { [UP]: 0, [COLLECTED]: 0 }), {
    'LicenseServerDown severity=critical vendor_license=v;d': '0-100',
  });
  scenario(
    'is not ended by one failed scrape',
    {
      minutes: 100,
      exporters: [
        { isScraped: (minute) => minute !== 80, series: { ...vendorLicense('v;d'), [UP]: 1, [COLLECTED]: 0 } },
      ],
    },
    { [stale]: '71-100' },
  );
});

describe.runIf(peer('promtool'))('LicenseExpired', () => {
  const expired = 'LicenseExpired feature=a owner=ann severity=critical vendor_license=v;d version=1';

  scenario(
    'fires 10 minutes after the expiry, and says when that was',
    one(150, feature(A, { expires: -DAY, owner: 'ann' }), { texts: [['LicenseExpired', 120]] }),
    { [expired]: '10-150' },
    {
      [expired]: {
        summary: 'License a 1 of v;d has expired.',
        description:
          'It expired at 1969-12-31 00:00 UTC, 1d 2h 0m 0s ago. Install the renewed license file. If it is not needed any more, remove it from the license file, or silence this alert.',
        expires: '1969-12-31',
      },
    },
  );
  scenario(
    'ends 14 days after the expiry, and 10 minutes',
    one(90, feature(A, { expires: -14 * DAY + 1800, owner: 'ann' })),
    {
      [expired]: '10-39',
    },
  );
  scenario(
    'is silent for permanent licenses, and for those that expired more than 14 days ago',
    one(60, {
      ...feature(A, { expires: -15 * DAY }),
      ...feature(B),
      ...feature(featureLabels('c'), { expires: 9e15 }),
    }),
    {},
  );
  scenario(
    'ends 10 minutes after a renewal',
    one(90, feature(A, { expires: (minute) => (minute < 50 ? -DAY : 9e9), owner: 'ann' })),
    {
      [expired]: '10-59',
    },
  );
});

describe.runIf(peer('promtool'))('LicenseExpiringSoon', () => {
  const soon = (severity: string, name = 'a') =>
    `LicenseExpiringSoon feature=${name} severity=${severity} vendor_license=v;d version=1`;

  scenario(
    'case 7: has a severity for 60, 30 and 7 days, and says when that is; uncounted licenses are no number',
    one(
      60,
      {
        ...feature(A, { expires: 3 * DAY }),
        ...feature(B, { expires: 10 * DAY, isUncounted: true }),
        ...feature(featureLabels('c'), { expires: 50 * DAY }),
        ...feature(featureLabels('d'), { expires: 61 * DAY }),
      },
      { texts: [['LicenseExpiringSoon', 60]] },
    ),
    { [soon('critical')]: '15-60', [soon('warning', 'b')]: '15-60', [soon('info', 'c')]: '15-60' },
    {
      [soon('critical')]: {
        summary: 'License a 1 of v;d expires on 1970-01-04.',
        description: 'It expires at 1970-01-04 00:00 UTC. Order the renewal and install the new license file.',
        expires: '1970-01-04',
        licenses: '10',
      },
      [soon('warning', 'b')]: { expires: '1970-01-11', licenses: 'uncounted' },
      [soon('info', 'c')]: { expires: '1970-02-20' },
    },
  );
  scenario(
    'names version and package',
    one(
      20,
      feature('vendor_license="v;d",feature="a",version="2.0",package="pk",feature_type="component"', {
        expires: 3 * DAY,
      }),
      { texts: [['LicenseExpiringSoon', 15]] },
    ),
    {
      'LicenseExpiringSoon feature=a feature_type=component package=pk severity=critical vendor_license=v;d version=2.0':
        '15-20',
    },
    {
      'LicenseExpiringSoon feature=a feature_type=component package=pk severity=critical vendor_license=v;d version=2.0':
        { summary: 'License a 2.0 (package pk) of v;d expires on 1970-01-04.', licenses: '10' },
    },
  );
  scenario(
    'case 8: has no gap when its severity changes from info to warning',
    one(90, feature(A, { expires: 30 * DAY + 1800 })),
    {
      // after exactly 30 days, the alert for information is kept until the warning fires, and 10 minutes
      [soon('info')]: '15-55',
      [soon('warning')]: '46-90',
    },
  );
  scenario(
    'case 8: has no gap when its severity changes from warning to critical',
    one(90, feature(A, { expires: 7 * DAY + 1800 })),
    {
      [soon('warning')]: '15-55',
      [soon('critical')]: '46-90',
    },
  );
  scenario('has no gap to LicenseExpired', one(90, feature(A, { expires: 1800 })), {
    [soon('critical')]: '15-39',
    'LicenseExpired feature=a severity=critical vendor_license=v;d version=1': '40-90',
  });
  scenario(
    'ends after a renewal',
    one(120, {
      ...feature(A, { expires: (minute) => (minute < 50 ? 3 : 300) * DAY }),
      ...feature(B, { expires: (minute) => (minute < 50 ? 20 : 300) * DAY }),
    }),
    { [soon('critical')]: '15-59', [soon('warning', 'b')]: '15-74' },
  );
});

describe.runIf(peer('promtool'))('LicenseFeatureSaturated', () => {
  const saturated = 'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1';

  scenario(
    'case 7: fires from 95 % on, and has the figures',
    one(
      60,
      {
        ...feature(A, { inUse: 38, available: 40 }),
        ...feature(B, { inUse: 94, available: 100 }),
        ...feature(featureLabels('zero'), { inUse: 5, available: 0 }),
        ...feature(featureLabels('uncounted'), { inUse: 99_000, isUncounted: true }),
      },
      { texts: [['LicenseFeatureSaturated', 30]] },
    ),
    { [saturated]: '5-60' },
    {
      [saturated]: {
        summary: '95% of a 1 of v;d is in use.',
        description:
          '38 of 40 licenses are in use. 95% is the average over the last minutes. Users may soon be denied a license. Look for idle checkouts and unused reservations, or buy more licenses.',
      },
    },
  );
  scenario(
    'ends when the licenses become uncounted: that is known',
    one(60, {
      ...feature(A, { inUse: 10, available: (minute) => (minute < 30 ? 10 : undefined) }),
      ...feature(A, { inUse: 10, isUncounted: true, info: (minute) => (minute < 30 ? undefined : 1) }),
      [`license_feature_in_use{${A}}`]: 10,
      [`license_feature_max_available{${A}}`]: (minute) => (minute < 30 ? 10 : undefined),
    }),
    { [saturated]: '5-39' },
  );
  scenario(
    'case 8: fires despite a dip for a moment every 14 minutes',
    one(100, feature(A, { inUse: (minute) => (minute < 10 ? 3 : minute % 14 === 0 ? 7 : 10) })),
    {
      [saturated]: '24-100',
    },
  );
  scenario(
    'case 8: once it fires, a ratio between 90 % and 95 % does not end it',
    one(150, feature(A, { inUse: (minute) => (minute < 30 ? 96 : minute < 90 ? 91 : 80), available: 100 })),
    {
      [saturated]: '5-99',
    },
  );
  scenario(
    'case 8: a ratio between 90 % and 95 % does not start it',
    one(60, feature(A, { inUse: 94, available: 100 })),
    {},
  );
  scenario(
    'case 8: is silent for features with a single license',
    one(60, { ...feature(A, { inUse: 1, available: 1 }), ...feature(B, { inUse: 2, available: 2 }) }),
    { 'LicenseFeatureSaturated feature=b severity=warning vendor_license=v;d version=1': '5-60' },
  );
  scenario(
    'is not started by 5 minutes of full use',
    one(60, feature(A, { inUse: (minute) => (during(20, 24)(minute) ? 10 : 0) })),
    {},
  );
  scenario(
    'minutes count in which the feature is missing, or has too few licenses, as if there were none',
    one(100, {
      ...feature(A, { inUse: 10, info: only((minute) => !during(40, 46)(minute), 1) }),
      ...feature(B, {
        inUse: (minute) => (during(40, 46)(minute) ? 1 : 10),
        available: (minute) => (during(40, 46)(minute) ? 1 : 10),
      }),
    }),
    {
      [saturated]: '5-100',
      'LicenseFeatureSaturated feature=b severity=warning vendor_license=v;d version=1': '5-100',
    },
  );
  scenario(
    'minutes in which the usage is not known do not count',
    one(60, {
      ...feature(A, { inUse: 10, info: only((minute) => minute >= 20, 1) }),
      'license_vendor_license_data_known{vendor_license="v;d",data="usage"}': (minute) => Number(minute >= 20),
    }),
    { [saturated]: '25-60' },
  );
  scenario(
    'minutes in which the usage of other features is known count as one half',
    one(60, feature(A, { inUse: 10, info: only((minute) => minute >= 20, 1) })),
    { [saturated]: '33-60' },
  );
  scenario(
    'is silent about features of a vendor license that is no longer listed',
    one(40, {
      ...feature(A, { inUse: 17, available: 20, info: only((minute) => minute < 26, 1) }),
      'license_vendor_license_data_known{vendor_license="v;d",data="usage"}': only((minute) => minute < 20, 1),
    }),
    {},
  );
  scenario('ends when the feature is gone', one(60, feature(A, { inUse: 10, info: only(during(0, 29), 1) })), {
    [saturated]: '5-39',
    'LicenseFeatureVanished feature=a severity=warning vendor_license=v;d': '45-60',
  });
});

describe.runIf(peer('promtool'))('LicenseRequestsQueued', () => {
  const queued = 'LicenseRequestsQueued feature=a severity=warning vendor_license=v;d version=1';

  scenario(
    'fires after 10 minutes and is kept for 10',
    one(
      70,
      { ...feature(A, { inUse: 10, queued: (minute) => (minute < 35 ? 3 : 0) }), ...feature(B) },
      { texts: [['LicenseRequestsQueued', 20]] },
    ),
    { [queued]: '10-44', 'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1': '5-70' },
    {
      [queued]: {
        summary: 'Requests are queued for a 1 of v;d: 3.',
        description:
          '10 of 10 licenses are in use. Users are waiting for a license. Look for idle checkouts and unused reservations.',
      },
    },
  );
});

describe.runIf(peer('promtool'))('LicenseDenials', () => {
  const HISTORY = 'vendor_license="v;d",feature="a",package="",feature_type="feature"';
  const denials = 'LicenseDenials feature=a severity=warning vendor_license=v;d';

  scenario(
    'fires after 5 minutes, and ends when a newer day has none',
    one(
      70,
      {
        [`license_feature_history_denials{${HISTORY}}`]: (minute) => (minute < 35 ? 4 : 0),
        [`license_feature_history_timestamp_seconds{${HISTORY}}`]: (minute) => (minute < 35 ? 0 : 1800),
      },
      { texts: [['LicenseDenials', 20]] },
    ),
    { [denials]: '5-44' },
    {
      [denials]: {
        summary: 'License requests for a of v;d were denied: 4.',
        description:
          "The requests were denied on the newest day of the analyzer's history. Compare the peak usage of the feature with its number of licenses.",
      },
    },
  );
  scenario(
    'ends when the day is 2 days old',
    one(60, {
      [`license_feature_history_denials{${HISTORY}}`]: 4,
      [`license_feature_history_timestamp_seconds{${HISTORY}}`]: -2 * DAY + 1200,
    }),
    { [denials]: '5-29' },
  );
  scenario(
    'is kept for an hour while the analyzer has no history of the feature',
    one(90, {
      [`license_feature_history_denials{${HISTORY}}`]: only(during(0, 19), 4),
      [`license_feature_history_timestamp_seconds{${HISTORY}}`]: only(during(0, 19), 0),
    }),
    { [denials]: '5-89' },
  );
});
