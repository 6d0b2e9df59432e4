import { describe, expect } from 'vitest';
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

/** Alerts about what was there and is missing. Those about days have an evaluation in four minutes. */

const scenario = createScenarios();

const A = featureLabels('a');
const UP = 'license_server_up{vendor_license="v;d"}';
const vendorLicenseVanished = 'LicenseVendorLicenseVanished severity=warning vendor_license=v;d';
const featureVanished = 'LicenseFeatureVanished feature=a severity=warning vendor_license=v;d';
const dropped = 'LicenseCapacityDropped feature=a severity=warning vendor_license=v;d';
const known = (data: string) => `license_vendor_license_data_known{vendor_license="v;d",data="${data}"}`;
const KNOWN = 'license_data_known{data="vendor_licenses"}';
const exporterDown = 'LicenseExporterDown instance=e1 severity=critical';

/** The vendor license with a feature in these minutes; another one is always there. */
const site = (isThere: (minute: number) => boolean): SeriesOf => ({
  ...vendorLicense('w;d'),
  ...onlyWhile(isThere, { ...vendorLicense('v;d', 1, 'ann'), [UP]: 1, ...feature(A, { owner: 'ann' }) }),
});
const ofAnn = vendorLicenseVanished.replace('severity', 'owner=ann severity');

describe.runIf(peer('promtool'))('LicenseVendorLicenseVanished', () => {
  scenario(
    'case 2: fires after 15 minutes with the owner, ends after a day, and explains the features',
    {
      minutes: 1520,
      step: 4,
      exporters: [{ series: site((minute) => minute < 40) }],
      texts: [['LicenseVendorLicenseVanished', 80]],
    },
    { [ofAnn]: '56-1476' },
    {
      [ofAnn]: {
        summary: 'The analyzer no longer lists v;d.',
        description:
          'It was missed first at 1970-01-01 00:40 UTC. Its server is no longer monitored. Check the configuration of the analyzer. The alert resolves when it is back, or after a day, so silence it if the vendor license was removed on purpose.',
      },
    },
  );
  scenario(
    'ends when the vendor license is back',
    { minutes: 120, exporters: [{ series: site((minute) => !during(20, 79)(minute)) }] },
    {
      [ofAnn]: '35-79',
    },
  );
  scenario(
    'is silent about 10 minutes',
    { minutes: 60, exporters: [{ series: site((minute) => !during(20, 30)(minute)) }] },
    {},
  );
  scenario(
    'fires for a vendor license that vanishes while no exporter is running',
    {
      minutes: 130,
      exporters: [{ isScraped: (minute) => !during(70, 89)(minute), series: site((minute) => minute < 80) }],
    },
    { [ofAnn]: '105-130', [exporterDown]: '75-89' },
  );
  scenario(
    'is silent while the vendor licenses are not known',
    one(120, {
      ...onlyWhile((minute) => !during(20, 79)(minute), { ...vendorLicense('v;d'), ...feature(A) }),
      [KNOWN]: exceptDuring(20, 79),
    }),
    {},
  );
  scenario(
    'is silent when a vendor license moves to another shard',
    {
      minutes: 60,
      exporters: [
        { shard: '0', series: { license_exporter_shards: 2, ...site((minute) => minute < 20) } },
        { instance: 'e2', shard: '1', series: { license_exporter_shards: 2, ...site((minute) => minute >= 20) } },
      ],
    },
    {},
  );
});

describe.runIf(peer('promtool'))('LicenseFeatureVanished', () => {
  const owned = featureVanished.replace('severity', 'owner=ann severity');

  scenario(
    'case 2: fires after 15 minutes with the owner, and ends after a day',
    {
      minutes: 1520,
      step: 4,
      exporters: [
        {
          series: {
            ...vendorLicense('v;d'),
            [UP]: 1,
            ...feature(A, { owner: 'ann', info: only((minute) => minute < 40, 1) }),
          },
        },
      ],
      texts: [['LicenseFeatureVanished', 80]],
    },
    { [owned]: '56-1476' },
    {
      [owned]: {
        summary: 'The analyzer no longer lists a of v;d.',
        description: expect.stringContaining('It was missed first at 1970-01-01 00:40 UTC. Users may be denied it.'),
      },
    },
  );
  scenario(
    'is silent about a renewal under a new version',
    one(60, {
      [UP]: 1,
      ...feature(A, { info: only((minute) => minute < 20, 1) }),
      ...feature(featureLabels('a', '2'), { info: only((minute) => minute >= 20, 1) }),
    }),
    {},
  );
  scenario(
    'is silent while the features are not known, and while the server is down',
    {
      minutes: 80,
      exporters: [
        {
          series: {
            ...vendorLicense('v;d'),
            ...vendorLicense('w;d'),
            [UP]: 1,
            'license_server_up{vendor_license="w;d"}': exceptDuring(20, 80),
            ...feature(A, { info: only((minute) => minute < 20, 1) }),
            ...feature(featureLabels('b', '1', 'w;d'), { info: only((minute) => minute < 20, 1) }),
            [known('features')]: exceptDuring(20, 80),
          },
        },
      ],
    },
    { 'LicenseServerDown severity=critical vendor_license=w;d': '20-80' },
  );
});

describe.runIf(peer('promtool'))('LicenseExporterAbsent', () => {
  scenario(
    'ends after a day',
    {
      minutes: 1520,
      step: 4,
      exporters: [
        { isTarget: (minute) => minute < 40, series: vendorLicense('v;d') },
        { instance: 'e2', analyzer: 'a2', series: vendorLicense('v;d') },
      ],
    },
    { 'LicenseExporterAbsent severity=critical': '52-1476' },
  );
});

/** Numbers of licenses of the feature by version. */
const numbers = (...versions: readonly ((minute: number) => number | undefined)[]): SeriesOf =>
  Object.assign(
    {},
    ...versions.map((available, i) =>
      feature(featureLabels('a', String(i + 1)), {
        available,
        info: (minute) => (available(minute) === undefined ? undefined : 1),
      }),
    ),
  );
const DROP = 1360;
const over = (minutes: number, series: SeriesOf, more: object = {}) =>
  one(minutes, { [UP]: 1, ...series }, { step: 4, ...more });

describe.runIf(peer('promtool'))('LicenseCapacityDropped', () => {
  scenario(
    'case 8: fires when 2 of 28 licenses are missing, and ends after a day',
    over(
      2880,
      numbers((minute) => (minute < DROP ? 28 : 26)),
      { texts: [['LicenseCapacityDropped', 1600]] },
    ),
    { [dropped]: `${DROP + 20}-2724` },
    {
      [dropped]: {
        summary: 'There are fewer licenses of a of v;d than a day ago: 2 are missing.',
        description: expect.stringContaining('The alert resolves a day after the drop.'),
      },
    },
  );
  scenario(
    'case 8: is silent when 1 of 1000 licenses is missing',
    over(
      1560,
      numbers((minute) => (minute < DROP ? 1000 : 999)),
    ),
    {},
  );
  scenario(
    'case 2: fires when half of the licenses vanish under a new version',
    over(
      1560,
      numbers(
        (minute) => (minute < DROP ? 20 : undefined),
        (minute) => (minute < DROP ? undefined : 10),
      ),
    ),
    { [dropped]: `${DROP + 20}-1560` },
  );
  scenario(
    'is silent when all licenses get a new version',
    over(
      1560,
      numbers(
        (minute) => (minute < DROP ? 20 : undefined),
        (minute) => (minute < DROP ? undefined : 20),
      ),
    ),
    {},
  );
  scenario(
    'ends when the licenses are back',
    over(
      1680,
      numbers((minute) => (during(DROP, 1480)(minute) ? 10 : 20)),
    ),
    {
      [dropped]: `${DROP + 20}-1496`,
    },
  );
  scenario(
    'case 4: fires in time after the pod was replaced',
    {
      minutes: 1560,
      step: 4,
      exporters: [
        { isTarget: (minute) => minute < 1200, series: { ...vendorLicense('v;d'), [UP]: 1, ...numbers(() => 20) } },
        {
          instance: 'e2',
          isTarget: (minute) => minute >= 1200,
          series: { ...vendorLicense('v;d'), [UP]: 1, ...numbers((minute) => (minute < DROP ? 20 : 10)) },
        },
      ],
    },
    { [dropped]: `${DROP + 20}-1560` },
  );
  scenario(
    'fires despite a gap of a day ago',
    {
      minutes: 1560,
      step: 4,
      exporters: [
        {
          isScraped: (minute) => !during(80, 100)(minute),
          series: { ...vendorLicense('v;d'), [UP]: 1, ...numbers((minute) => (minute < DROP ? 20 : 10)) },
        },
      ],
    },
    { [dropped]: `${DROP + 20}-1560`, [exporterDown]: '88-100' },
  );
  scenario(
    'is silent about fewer licenses each night, also when the clocks change',
    over(
      2880,
      numbers((minute) => {
        const shifted = minute + (minute < 1500 ? 360 : 420);
        return shifted % 1440 < 720 ? 100 : 80;
      }),
    ),
    {},
  );
  scenario(
    'is silent while the server is down, and fires when it is up with fewer licenses',
    over(1680, { ...numbers((minute) => (minute < DROP ? 20 : 10)), [UP]: exceptDuring(DROP, 1479) }),
    { 'LicenseServerDown severity=critical vendor_license=v;d': `${DROP}-1484`, [dropped]: '1496-1680' },
  );
  scenario(
    'is kept while the number of one version is unknown',
    over(1680, {
      ...numbers(
        (minute) => (minute < DROP ? 20 : 10),
        () => 5,
      ),
      [`license_feature_max_available{${featureLabels('a', '2')}}`]: (minute) =>
        during(1440, 1479)(minute) ? undefined : 5,
    }),
    { [dropped]: `${DROP + 20}-1680` },
  );
  scenario(
    'ends when the licenses become uncounted: that is known',
    over(1680, {
      ...numbers((minute) => (minute < DROP ? 20 : minute < 1480 ? 10 : undefined)),
      [`license_feature_in_use{${A}}`]: 1,
      [`license_feature_info{${A},license_type="uncounted",owner=""}`]: (minute) => (minute < 1480 ? undefined : 1),
    }),
    { [dropped]: `${DROP + 20}-1492` },
  );
  scenario(
    'is silent when one version becomes uncounted',
    over(1680, {
      ...numbers(
        () => 20,
        (minute) => (minute < DROP ? 10 : undefined),
      ),
      [`license_feature_info{${featureLabels('a', '2')},license_type="uncounted",owner=""}`]: (minute) =>
        minute < DROP ? undefined : 1,
    }),
    {},
  );
  scenario(
    'is kept while the exporter is gone',
    {
      minutes: 1680,
      step: 4,
      exporters: [
        {
          isScraped: (minute) => !during(1440, 1479)(minute),
          series: { ...vendorLicense('v;d'), [UP]: 1, ...numbers((minute) => (minute < DROP ? 20 : 10)) },
        },
      ],
    },
    { [dropped]: `${DROP + 20}-1680`, [exporterDown]: '1448-1476' },
  );
});

describe.runIf(peer('promtool'))(
  'nothing has vanished, even if the groups of rules are evaluated in another order,',
  () => {
    const reverse = { isReverse: true };
    const full: SeriesOf = { ...vendorLicense('v;d'), [UP]: 1, ...feature(A) };

    scenario(
      'when the exporter is gone for 20 minutes',
      { ...reverse, minutes: 80, exporters: [{ isScraped: (minute) => !during(20, 39)(minute), series: full }] },
      { [exporterDown]: '25-39' },
    );
    scenario(
      'when the exporter starts again, and polls the features last',
      {
        ...reverse,
        minutes: 80,
        exporters: [
          {
            series: {
              ...onlyWhile((minute) => !during(20, 39)(minute), full),
              ...onlyWhile((minute) => !during(20, 24)(minute), vendorLicense('v;d')),
              [known('features')]: only((minute) => !during(20, 24)(minute), exceptDuring(25, 39)),
              [KNOWN]: exceptDuring(20, 24),
            },
          },
        ],
      },
      {},
    );
    scenario(
      'when the server goes down with its features',
      {
        ...reverse,
        minutes: 80,
        exporters: [
          { series: { ...full, ...onlyWhile((minute) => minute < 20, feature(A)), [UP]: exceptDuring(20, 80) } },
        ],
      },
      { 'LicenseServerDown severity=critical vendor_license=v;d': '20-80' },
    );
    scenario(
      'but the vendor license: its features are no alerts of their own',
      { ...reverse, minutes: 80, exporters: [{ series: site((minute) => minute < 20) }] },
      // read from the other group one evaluation later
      { [ofAnn]: '36-80' },
    );
  },
);
