import { describe, expect, it } from 'vitest';
import { noOwners } from '../../../src/base/model/owners.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import { createSelection, type Selection } from '../../../src/exporter/inventory/selection.ts';
import { figuresOf } from '../../../src/site/grafana/answers/site-figures.ts';
import { type AttentionItem, attentionListHtml } from '../../../src/site/pages/alert-list.ts';
import { type StatusPageData, statusContent } from '../../../src/site/pages/status/route.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { answer, createSnapshot, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

/** The figures at the top of the status page. */

async function htmlOf(
  scenario: Scenario,
  more: Partial<StatusPageData> = {},
  selection: Partial<Selection> = {},
): Promise<string> {
  const policy = { ...everything, ...selection, usageWhenNotCurrent: 'withhold' } as const;
  const inventory = deriveInventoryNow(createSnapshot(scenario), NOW, policy);
  const data: StatusPageData = {
    inventory,
    figures: await figuresOf(inventory, isSaturated),
    isSaturated,
    analyzer: 'lic:80',
    owners: noOwners,
    sources: undefined,
    notRecorded: undefined,
    denied: undefined,
    people: true,
    interfaces: undefined,
    series: [],
    attention: { value: [] },
    alerts: { critical: 0, warning: 0, info: 0, pending: 0, withoutData: 0, isZeroKnown: true },
    filter: '',
    words: [],
    found: undefined,
    ...more,
  };
  return String(statusContent(data, { now: NOW, timeZone: 'UTC' }));
}

async function textOf(scenario: Scenario, more: Partial<StatusPageData> = {}): Promise<string> {
  return (await htmlOf(scenario, more)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

const site: Scenario = {
  products: good(answer([product(), product({ product: 'lic02;mlm', collectionTime: undefined, isCurrent: false })])),
  down: good(answer([])),
  features: { [WHOLE]: good(answer([feature({ inUse: 10 }), feature({ feature: 'b', inUse: undefined })])) },
};

const waiting = (severity: AttentionItem['severity'], state: AttentionItem['state']): AttentionItem => ({
  severity,
  state,
  what: 'Requests wait',
  product: null,
  feature: null,
  details: '',
  noticed: (NOW - 8) * 1000,
  since: null,
  alerts_at: null,
});

it('says how old a collection is by the clock of the analyzer', async () => {
  const products = good({ ...answer([product({ collectionTime: NOW + 7200 - 60 })]), clockAhead: 7200 });
  expect(await textOf({ ...site, products })).toContain('collected 1m ago');
});

describe('the figures at the top', () => {
  it('say what they leave out: features without usage, and vendor licenses without features', async () => {
    const text = await textOf(site);
    expect(text).toContain('Servers 1 up of 2 vendor licenses, 1 not known');
    expect(text).toContain('Saturated 1 of 2 features, 1 not known, without 1 vendor license');
    expect(text).toContain('Expired 0 of 2 features, without 1 vendor license');
  });

  it('leave out nothing when everything is known', async () => {
    const features = { [WHOLE]: good(answer([feature()])) };
    const text = await textOf({ ...site, products: good(answer([product()])), features });
    expect(text).toContain('Servers 1 up of 1 vendor license ');
    expect(text).toContain('Saturated 0 of 1 feature ');
  });

  it('are not known where nothing of it is known, and never 0 or good', async () => {
    const nothing = { inUse: undefined, maxAvailable: undefined, maxQueued: undefined, licenseExpiration: undefined };
    const text = await textOf({
      products: good(answer([product({ isCurrent: undefined })])),
      features: { [WHOLE]: good(answer([feature(nothing), feature({ ...nothing, feature: 'b' })])) },
    });
    expect(text).toContain('Servers not known of 1 vendor license ');
    for (const title of ['Saturated', 'Requests wait', 'Expired', 'Expire in 30 days']) {
      expect(text).toContain(`${title} not known of 2 features `);
    }
    expect(text).toContain(
      'The share in use is not known of 2 features. Whether requests wait is not known of 2 features.',
    );
    expect(text).toContain('The expiry is not known of 2 features.');
    expect(text).toContain('usage not known');
    expect(text).toContain('expiry not known');
    expect(text).not.toContain('No feature is saturated');
  });

  it('says none, which is bad, where nothing is listed or selected', async () => {
    const nothing = createSelection({ shard: { index: 0, total: 1 }, include: [/^x/], exclude: [] });
    const tile = (about: string): string =>
      `<li class="is-bad"><a href="#vendor-licenses">Servers</a><strong>none</strong><small>${about}</small></li>`;
    expect(await htmlOf(site, {}, nothing)).toContain(tile('no vendor license is selected'));
    expect(await htmlOf({ ...site, products: good(answer([])) })).toContain(
      tile('the analyzer lists no vendor license'),
    );
  });

  it('says that a shard has none, which is neither good nor bad', async () => {
    const of = (index: number) => createSelection({ shard: { index, total: 64 }, include: [], exclude: [] });
    const pages = await Promise.all(Array.from({ length: 64 }, (_, index) => htmlOf(site, {}, of(index))));
    const tile =
      '<li class="is-unknown"><a href="#vendor-licenses">Servers</a><strong>none</strong><small>of this shard</small></li>';
    expect(pages.filter((page) => page.includes(tile)).length).toBeGreaterThanOrEqual(62);
  });

  it('are partly known where a source does not know the queue', async () => {
    const features = [feature({ maxQueued: undefined }), feature({ feature: 'b', maxQueued: undefined })];
    const text = await textOf({ ...site, features: { [WHOLE]: good(answer(features)) } });
    expect(text).toContain('Saturated 0 of 2 features');
    expect(text).toContain('Requests wait not known of 2 features');
  });

  it('name kinds of alerts without data, with which no alert does not mean that all is well', async () => {
    const alerts = { critical: 0, warning: 0, info: 0, pending: 0, withoutData: 1, isZeroKnown: true };
    const text = await textOf(site, { alerts });
    expect(text).toContain('Alerts 0 0 critical, 0 warning, 0 info, 1 kind without data');
    expect(text).toContain(
      'No alert fires or is pending of those that have data. Whether 1 other kind of alerts applies is not known.',
    );
  });

  it('count the alerts that fire, and name those that are pending', async () => {
    const alerts = { critical: 2, warning: 1, info: 3, pending: 4, withoutData: 0, isZeroKnown: true };
    const text = await textOf(site, { alerts });
    expect(text).toContain('Alerts 6 2 critical, 1 warning, 3 info, 4 pending');
    expect(text).toContain('No alert fires or is pending.');
    expect(await textOf(site, { alerts: undefined })).toContain('Alerts not known not evaluated yet');
  });

  it('count in the link below a list that is cut what the list has', async () => {
    const attention = { value: Array.from({ length: 14 }, () => waiting('critical', 'pending')) };
    const alerts = { critical: 2, warning: 5, info: 3, pending: 4, withoutData: 0, isZeroKnown: true };
    expect(await textOf(site, { alerts, attention })).toContain('All 14 alerts');
  });
});

describe('the list of what needs attention', () => {
  it('shows what is pending as pending, not in the color of its severity', () => {
    const markup = (...of: Parameters<typeof waiting>) =>
      String(attentionListHtml([waiting(...of)], { now: NOW, timeZone: 'UTC' })).split('</div>')[0];
    expect(markup('critical', 'critical')).toContain(
      '<li class="is-bad"><div><span class="bad">Requests wait</span> <small>critical</small>',
    );
    expect(markup('critical', 'pending')).toContain(
      '<li class="is-pending"><div><span class="soft">Requests wait</span> <small>pending, critical</small>',
    );
  });
  it('says since when it is so where the data says that, and else when it was noticed', () => {
    const textOfItem = (since: number) => {
      const item = { ...waiting('critical', 'critical'), since: since * 1000 };
      return String(attentionListHtml([item], { now: NOW, timeZone: 'UTC' })).replace(/<[^>]*>/g, '');
    };
    expect(textOfItem(NOW - 3600)).toContain('for 1h');
    expect(textOfItem(NOW - 8)).toContain('noticed 8s ago');
  });
});

it('says which families of metrics have the most series, and how many the others have', async () => {
  const series = [
    ...Array.from({ length: 12 }, (_, i) => ({ metric: `license_${'abcdefghijkl'[i]}_up`, series: 100 - i })),
    { metric: 'license_feature_in_use', series: 900 },
    { metric: 'license_feature_info', series: 901 },
    { metric: 'license_vendor_license_info', series: 7 },
    { metric: 'process_open_fds', series: 1 },
  ];
  const text = await textOf(site, { series });
  expect(text).toContain('2,943 series for Prometheus');
  expect(text).toContain('1,801 license_feature_… 2 metrics 100 license_a_up 1 metric 99 license_b_up');
  expect(text).toContain('92 license_i_up 1 metric 278 all others 5 metrics');
});
