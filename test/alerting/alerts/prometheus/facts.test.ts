import { describe, expect, it } from 'vitest';
import type { SeriesOf } from '../../../support/exporter-series.ts';
import { peer } from '../../../support/peers.ts';
import { outcome } from '../../../support/rule-timeline.ts';

/** What the rules for Prometheus say of expiries and servers from the series of the exporter. */

const LIC = 'lic01;cdslmd';
/** The last second of 5 February 1970 in Berlin, in Hawaii and in Auckland in summer, and its first in Berlin. */
const lastOf = { berlin: '05T22:59:59', hawaii: '06T09:59:59', auckland: '05T10:59:59' };
const firstInBerlin = '04T23:00:00';

const at = (day: string): number => Date.parse(`1970-02-${day}Z`) / 1000;
const labelsOf = (feature: string, vendorLicense = LIC): string =>
  `vendor_license="${vendorLicense}",feature="${feature}",version="1.0",package="",feature_type="feature"`;

/** A feature that ends then. */
const ending = (name: string, day: string, licenses?: number, owner = 'cad'): SeriesOf => ({
  [`license_feature_expiration_timestamp_seconds{${labelsOf(name)}}`]: at(day),
  [`license_feature_info{${labelsOf(name)},owner="${owner}"}`]: 1,
  ...(licenses !== undefined && { [`license_feature_max_available{${labelsOf(name)}}`]: licenses }),
});

const firing = (alertname: string, more = ''): SeriesOf => ({
  [`license_alert_firing{alertname="${alertname}",severity="critical",vendor_license="${LIC}",analyzer="a1"${more}}`]: 1,
});

/** The description of the alert after ten minutes, without what is the same for all. */
async function factsAbout(alert: string, more: string, series: SeriesOf): Promise<string | undefined> {
  const timeline = { minutes: 12, exporters: [{ series: { ...firing(alert, more), ...series } }] };
  const { texts } = await outcome({ ...timeline, texts: [[alert, 10]] });
  const description = Object.values(texts)[0]?.description;
  return description === undefined ? undefined : /^(.*?)(?:Users|Nobody) /.exec(description)?.[1];
}

const expires = ',owner="cad",expires="1970-02-05"';

describe.runIf(peer('promtool'))('the rules for Prometheus', () => {
  it('name the features of the owner that end on the day, with their numbers, in any time zone', async () => {
    const series: SeriesOf = {
      ...ending('berlin', lastOf.berlin, 28),
      ...ending('first', firstInBerlin, 1),
      ...ending('hawaii', lastOf.hawaii),
      ...ending('uncounted', lastOf.auckland),
      // the days before and after, another owner, and one that never ends
      ...ending('before', '04T22:59:59', 5),
      ...ending('after', '06T22:59:59', 5),
      ...ending('first-after', '05T23:00:00', 5),
      ...ending('foreign', lastOf.berlin, 5, 'eda'),
      [`license_feature_expiration_timestamp_seconds{${labelsOf('permanent')}}`]: Number.POSITIVE_INFINITY,
      [`license_feature_expiration_timestamp_seconds{${labelsOf('elsewhere', 'lic02;x')}}`]: at(lastOf.berlin),
    };
    const features = 'berlin 1.0 (28 licenses), first 1.0 (1 license), hawaii 1.0, uncounted 1.0';
    expect(await factsAbout('LicenseExpiringSoon', expires, series)).toBe(
      `On Thursday 1970-02-05, these licenses end: ${features}. `,
    );
    expect(await factsAbout('LicenseExpired', expires, series)).toBe(
      `On Thursday 1970-02-05, these licenses ended: ${features}. `,
    );
  });

  it('name five features, and count them', async () => {
    const many = Array.from({ length: 7 }, (_, i) => ending(`f${i}`, lastOf.berlin, 2));
    expect(await factsAbout('LicenseExpiringSoon', expires, Object.assign({}, ...many))).toBe(
      'On Thursday 1970-02-05, these licenses end: f0 1.0 (2 licenses), f1 1.0 (2 licenses), f2 1.0 (2 licenses), f3 1.0 (2 licenses), f4 1.0 (2 licenses) and others, 7 in all. ',
    );
  });

  it('name nothing that is not known, with any name', async () => {
    expect(await factsAbout('LicenseExpiringSoon', expires, {})).toBe('');
    expect(await factsAbout('LicenseExpiringSoon', '', ending('a', lastOf.berlin))).toBe('');
    expect(await factsAbout('LicenseServerDown', '', {})).toBe('');
  });

  it('say for how long there is no data from a server that is down', async () => {
    const collected = { [`license_vendor_license_last_collection_timestamp_seconds{vendor_license="${LIC}"}`]: -2400 };
    expect(await factsAbout('LicenseServerDown', '', collected)).toBe(
      `The analyzer has received no data from ${LIC} for 50m 0s. `,
    );
  });
});
