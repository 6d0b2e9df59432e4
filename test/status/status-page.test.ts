import { describe, expect, it } from 'vitest';
import { html } from '../../src/html/html.ts';
import { noOwners } from '../../src/model/owners.ts';
import { WHOLE } from '../../src/model/snapshot.ts';
import { figuresOf } from '../../src/status/site-figures.ts';
import { type StatusPageData, statusParts } from '../../src/status/status-page.ts';
import { answer, createSnapshot, feature, good, NOW, product, type Scenario } from '../support/scenario.ts';
import { deriveInventoryNow, everything } from '../support/stored-answers.ts';

/** The figures at the top of the status page. */

async function textOf(scenario: Scenario, more: Partial<StatusPageData> = {}): Promise<string> {
  const inventory = deriveInventoryNow(createSnapshot(scenario), NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  const data: StatusPageData = {
    inventory,
    figures: await figuresOf(inventory),
    analyzer: 'lic:80',
    owners: noOwners,
    sources: undefined,
    notRecorded: undefined,
    hasDenials: false,
    interfaces: undefined,
    attention: { value: [] },
    alerts: { critical: 0, warning: 0, info: 0, pending: 0 },
    filter: '',
    words: [],
    found: undefined,
    ...more,
  };
  const parts = [...statusParts(data, { now: NOW, timeZone: 'UTC' })];
  return String(html`${parts}`)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

const site: Scenario = {
  products: good(answer([product(), product({ product: 'lic02;mlm', collectionTime: undefined, isCurrent: false })])),
  down: good(answer([])),
  features: { [WHOLE]: good(answer([feature({ inUse: 10 }), feature({ feature: 'b', inUse: undefined })])) },
};

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

  it('count the alerts that fire, and name those that are pending', async () => {
    const alerts = { critical: 2, warning: 1, info: 3, pending: 4 };
    const text = await textOf(site, { alerts });
    expect(text).toContain('Alerts 6 2 critical, 1 warning, 3 info, 4 pending');
    expect(text).toContain('No alert fires. 4 alerts are pending.');
    expect(await textOf(site, { alerts: undefined })).toContain('Alerts not known not evaluated yet');
  });
});
