import { describe, expect, it } from 'vitest';
import type { AlertStates } from '../../../src/alerting/alerts/alert.ts';
import { Listed, type Owned } from '../../../src/alerting/alerts/listed.ts';
import type { Rule, View } from '../../../src/alerting/alerts/rule.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import { step } from '../../../src/alerting/alerts/state-machine.ts';
import { CONTRADICTION } from '../../../src/base/model/failure.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { keepFeatures } from '../../../src/exporter/poll/incomplete-lists.ts';
import { evaluateRule, policy, settingsOf, viewOf } from '../../support/alert-views.ts';
import { deriveInventoryNow } from '../../support/derived-inventory.ts';
import {
  answer,
  createSnapshot,
  expiration,
  failed,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../support/scenario.ts';

/** What vanished, and lost licenses, over successive answers of the analyzer. */

const HOUR = 3600;
const DAY = 24 * HOUR;
const LIC = 'lic01;cdslmd';
const OTHER = 'lic02;mgcld';

const down = good(answer([]));
const all = good(answer([product(), product({ product: OTHER })]));
const featuresOf = (...features: readonly Partial<Parameters<typeof feature>[0]>[]) => ({
  '': good(answer(features.map((fields) => feature({ licenseExpiration: Number.POSITIVE_INFINITY, ...fields })))),
});
const both = featuresOf({ feature: 'a' }, { feature: 'b', serverName: 'lic02', daemon: 'mgcld' });
const site: Scenario = { products: all, down, features: both };

/** The answers are as young as those of each scenario, whenever they are seen. Those with bad records are marked, as by a poll. */
function inventoryOf(scenario: Scenario): Inventory {
  const { endpoints, ...snapshot } = createSnapshot(scenario);
  const { GetFeatures: features } = endpoints;
  const parts = [...(features?.parts ?? [])].map(([part, reading]) => {
    const marked = reading.ok ? { ...reading, value: keepFeatures(reading.value, part, undefined, NOW) } : reading;
    return [part, marked] as const;
  });
  const marked = features && { GetFeatures: { ...features, parts: new Map(parts) } };
  return deriveInventoryNow({ ...snapshot, endpoints: { ...endpoints, ...marked } }, NOW, policy);
}

/** A memory with rules that read it. */
function start(owned: Owned = policy, listed = new Listed()) {
  const names = ['LicenseVendorLicenseVanished', 'LicenseFeatureVanished', 'LicenseCapacityDropped'];
  const rules = createRules(settingsOf()).filter(({ name }) => names.includes(name));
  let states: AlertStates = new Map();
  const see = (scenario: Scenario, at = NOW) => {
    const inventory = inventoryOf(scenario);
    const past = runAtOnce(listed.observe(inventory, at, owned));
    const view: View = { ...viewOf(createSnapshot({}), at), inventory, past };
    const evaluated = rules.map((rule) => ({ rule, evaluation: evaluateRule(rule, view) }));
    states = step(states, evaluated, at, {
      unknownHold: HOUR,
      resolvedRetention: 0,
      address: (labels) => labels,
    }).states;
    const found = evaluated.flatMap(({ evaluation }) => evaluation.findings.map(({ labels }) => nameOf(labels)));
    const firing = [...states.values()].filter(({ state }) => state === 'firing').map(({ labels }) => nameOf(labels));
    return { past, found, firing, evaluated };
  };
  return { listed, rules, see };
}

const nameOf = ({ alertname, vendor_license, feature: name }: Readonly<Record<string, string>>): string =>
  [alertname?.replace('License', ''), vendor_license, name].filter((part) => part !== undefined).join(' ');

const ruleOf = (rules: readonly Rule[], name: string): Rule => rules.find((rule) => rule.name === name) as Rule;

const vanished = `VendorLicenseVanished ${OTHER}`;
const without: Scenario = { products: good(answer([product()])), down, features: featuresOf({ feature: 'a' }) };

describe('a vendor license that GetProducts no longer lists', () => {
  it('fires after 15 minutes, explains its features, and ends after a day', () => {
    const { listed, see } = start();
    expect(see(site).found).toEqual([]);
    listed.isChanged = false;
    expect([see(without, NOW + 60).found, see(without, NOW + 900).firing]).toEqual([[vanished], []]);
    expect(listed.isChanged).toBe(true);
    expect(see(without, NOW + 960).firing).toEqual([vanished]);
    expect(see(without, NOW + 60 + DAY - 1).firing).toEqual([vanished]);
    expect(see(without, NOW + 60 + DAY).firing).toEqual([]);
    // and is not missed again
    expect(see(without, NOW + 60 + 8 * DAY).found).toEqual([]);
    expect(see(without, NOW + 61 + 8 * DAY).found).toEqual([]);
  });

  it('ends when it is back, in any case of its letters', () => {
    const { see } = start();
    see(site);
    expect([see(without, NOW + 60).found, see(without, NOW + 960).firing]).toEqual([[vanished], [vanished]]);
    const back = good(answer([product(), product({ product: 'LIC02;mgcld' })]));
    expect(see({ ...site, products: back }, NOW + 1020).firing).toEqual([]);
  });

  it('is missed from the first good answer on, however long the exporter was away', () => {
    const { listed, see } = start();
    see(site);
    const later = start(policy, listed);
    const at = NOW + 30 * DAY;
    expect(later.see({ products: failed(), down: failed(), features: { '': failed() } }, at).found).toEqual([]);
    expect(later.see(without, at + 60).found).toEqual([vanished]);
    expect(later.see(without, at + 960).firing).toEqual([vanished]);
  });

  it.each([
    ['the answer fails', failed<never>()],
    ['a record of the list cannot be used', good({ ...answer([product()], { bad_record: 1 }), incompleteSince: NOW })],
    ['the list is empty, which is another alert', good(answer<never>([]))],
  ])('is not missed while %s', (_, products) => {
    const { see } = start();
    see(site);
    const { found, evaluated } = see({ ...without, products }, NOW + 60);
    expect(found).toEqual([]);
    const [first] = evaluated;
    if (products.ok && products.value.records.length === 0) return;
    expect(first?.evaluation.isUnknown({ vendor_license: OTHER })).toBe(true);
  });

  it('is not missed while GetServerDown lists it', () => {
    const { see } = start();
    see(site);
    expect(see({ ...without, down: good(answer([{ label: OTHER }])) }, NOW + 60).found).toEqual([]);
    expect(see(without, NOW + 120).found).toEqual([vanished]);
  });

  it('is forgotten if the configuration or another shard leaves it out', () => {
    const { listed, see } = start();
    see(site);
    see(without, NOW + 60);
    expect(see(without, NOW + 960).firing).toEqual([vanished]);
    const excluded = start({ ownsVendorLicense: (name) => name !== OTHER, ownsFeature: () => true }, listed);
    const { found, evaluated } = excluded.see(without, NOW + 1020);
    expect(found).toEqual([]);
    expect(evaluated[0]?.evaluation.isUnknown({ vendor_license: OTHER })).toBe(false);
    expect(start(policy, listed).see(without, NOW + 1080).found).toEqual([]);
  });

  it('is unknown, not over, to a memory that was lost', () => {
    const { rules, see } = start();
    const { evaluated } = see(without);
    const isUnknown = (name: string, labels: Readonly<Record<string, string>>): boolean | undefined =>
      evaluated.find(({ rule }) => rule === ruleOf(rules, name))?.evaluation.isUnknown(labels);
    expect(isUnknown('LicenseVendorLicenseVanished', { vendor_license: OTHER })).toBe(true);
    expect(isUnknown('LicenseVendorLicenseVanished', { vendor_license: LIC })).toBe(false);
    expect(isUnknown('LicenseFeatureVanished', { vendor_license: LIC, feature: 'gone' })).toBe(true);
    expect(isUnknown('LicenseFeatureVanished', { vendor_license: LIC, feature: 'a' })).toBe(false);
    expect(isUnknown('LicenseCapacityDropped', { vendor_license: LIC, feature: 'a' })).toBe(true);
    // after a week, nothing can have been forgotten
    const [first] = see(without, NOW + 7 * DAY).evaluated;
    expect(first?.evaluation.isUnknown({ vendor_license: OTHER })).toBe(false);
  });
});

describe('a feature that its vendor license no longer lists', () => {
  const gone = `FeatureVanished ${LIC} a`;
  const other = { feature: 'c' };
  const before: Scenario = { products: good(answer([product()])), down, features: featuresOf({ feature: 'a' }, other) };
  const after: Scenario = { ...before, features: featuresOf(other) };

  it('fires after 15 minutes, and ends after a day or when it is back', () => {
    const { see } = start();
    expect(see(before).found).toEqual([]);
    expect([see(after, NOW + 60).found, see(after, NOW + 960).firing]).toEqual([[gone], [gone]]);
    expect([see(before, NOW + 1000).firing, see(after, NOW + 1060).found]).toEqual([[], [gone]]);
    expect(see(after, NOW + 1059 + DAY).found).toEqual([gone]);
    expect(see(after, NOW + 1060 + DAY).found).toEqual([]);
  });

  it('is not missed under a new version', () => {
    const { see } = start();
    see(before);
    expect(see({ ...before, features: featuresOf({ feature: 'a', version: '2' }, other) }, NOW + 60).found).toEqual([]);
  });

  const cases: readonly (readonly [string, Scenario, boolean])[] = [
    ['GetFeatures fails', { ...after, features: { '': failed() } }, true],
    ['GetFeatures was not asked', { ...before, features: {} }, true],
    [
      'only another vendor license was asked',
      { ...site, features: { [OTHER]: good(answer([feature({ feature: 'b' })])) } },
      true,
    ],
    [
      'a record cannot be used',
      { ...after, features: { '': good(answer([feature(other)], { bad_record: 1 })) } },
      true,
    ],
    ['its server is down', { ...after, down: good(answer([{ label: LIC }])) }, true],
    ['its vendor license has vanished', { ...after, products: good(answer([product({ product: OTHER })])) }, false],
  ];
  it.each(cases)('is not missed if %s', (_, scenario, isUnknown) => {
    const { rules, see } = start();
    see(before);
    const { found, evaluated } = see(scenario, NOW + 60);
    expect(found.filter((name) => name.startsWith('Feature'))).toEqual([]);
    const evaluation = evaluated.find(({ rule }) => rule === ruleOf(rules, 'LicenseFeatureVanished'))?.evaluation;
    expect(evaluation?.isUnknown({ vendor_license: LIC, feature: 'a' })).toBe(isUnknown);
  });

  it('is missed by the endpoint that listed it', () => {
    const { see } = start();
    const expiries = (...names: readonly string[]) => ({
      [LIC]: good(answer(names.map((name) => expiration({ feature: name })))),
    });
    see({ ...after, expirations: expiries('a', 'c') });
    const lost = { ...after, expirations: { [LIC]: failed<never>() } };
    expect(see(lost, NOW + 60).found).toEqual([]);
    expect(see({ ...after, expirations: expiries('c') }, NOW + 120).found).toEqual([gone]);
  });

  it('is missed once it is known: the answer can be older than the end of the outage', () => {
    const { listed, see } = start();
    see(before);
    // the same features, so they are not read again because of themselves
    const { features } = inventoryOf(after);
    const missedAt = (scenario: Scenario, at: number) => {
      const past = runAtOnce(listed.observe({ ...inventoryOf(scenario), features }, at, policy));
      return past.missed.map((missed) => missed.missedAt);
    };
    expect(missedAt({ ...after, down: good(answer([{ label: LIC }])) }, NOW + 60)).toEqual([]);
    expect(missedAt(after, NOW + 120)).toEqual([NOW + 120]);
  });

  it('is remembered once its vendor license is listed, also if the features are the same', () => {
    const { listed, see } = start();
    const { features } = inventoryOf(site);
    for (const products of [good(answer([product()])), all]) {
      runAtOnce(listed.observe({ ...inventoryOf({ ...site, products }), features }, NOW, policy));
    }
    const { past } = see({ ...site, features: featuresOf({ feature: 'a' }) }, NOW + 60);
    expect(past.missed).toEqual([{ vendorLicense: OTHER, feature: 'b', missedAt: NOW + 60 }]);
  });

  it('is forgotten if the configuration leaves it out', () => {
    const { listed, see } = start();
    see(before);
    const excluded = start({ ownsVendorLicense: () => true, ownsFeature: (name) => name !== 'a' }, listed);
    expect(excluded.see(after, NOW + 60).found).toEqual([]);
  });
});

describe('a feature that has expired', () => {
  const END = NOW + HOUR;
  const gone = `FeatureVanished ${LIC} a`;
  type Version = Partial<Parameters<typeof feature>[0]>;
  const others: Version = { feature: 'c' };
  const siteOf = (...versions: readonly Version[]): Scenario => ({
    products: good(answer([product()])),
    down,
    features: featuresOf(...versions.map((version) => ({ feature: 'a', ...version })), others),
  });
  const old: Version = { version: '1', licenseExpiration: END };
  const removed = siteOf();
  const missedAfter = (before: Scenario, at: number, listed = new Listed()) => {
    start(policy, listed).see(before, NOW);
    start(policy, listed).see(before, at);
    const { past, found } = start(policy, listed).see(removed, at + 60);
    return [found, past.listingOf(LIC, 'a') === 'expired'];
  };

  it('is not missed once its line is removed', () => {
    expect(missedAfter(siteOf(old), END + 900)).toEqual([[], true]);
  });

  it.each([
    ['before it expires', siteOf(old), END - 60],
    ['before anybody was told that it has expired, as some managers do it', siteOf(old), END + 899],
    ['together with a version that has not', siteOf(old, { version: '0', licenseExpiration: END + DAY }), END + 900],
    ['together with a version of which that is not known', siteOf(old, { licenseExpiration: undefined }), END + 900],
    ['and a permanent version', siteOf({ version: '2' }, old), END + 900],
  ])('is missed if it is removed %s', (_, before, at) => {
    expect(missedAfter(before, at)).toEqual([[gone], false]);
  });

  it('is missed again once it was renewed', () => {
    const listed = new Listed();
    expect(missedAfter(siteOf(old), END + 900, listed)).toEqual([[], true]);
    expect(missedAfter(siteOf({ version: '1' }), END + 1000, listed)).toEqual([[gone], false]);
  });
});

describe('fewer licenses than a day ago', () => {
  const dropped = `CapacityDropped ${LIC} a`;
  const numbers = (...versions: readonly (Partial<Parameters<typeof feature>[0]> | number)[]): Scenario => ({
    products: good(answer([product()])),
    down,
    features: featuresOf(
      ...versions.map((fields, i) => ({
        feature: 'a',
        version: String(i),
        ...(typeof fields === 'number' ? { maxAvailable: fields } : fields),
      })),
    ),
  });
  /** What is found a day after the first of these sites. */
  const dayAfter = (then: Scenario, now: Scenario, hours = 24): readonly string[] => {
    const { see } = start();
    see(then);
    see(now, NOW + (hours - 1) * HOUR);
    return see(now, NOW + hours * HOUR).found;
  };

  it.each([
    ['2 of 28', [28], [26], [dropped]],
    ['1 of 1000', [1000], [999], []],
    ['5 %', [100], [95], [dropped]],
    ['less than 5 %', [101], [96], []],
    ['none under a new version', [20], [0, 20], []],
    ['half under a new version', [20], [0, 10], [dropped]],
    ['more', [20], [21], []],
    ['those of one version', [10, 10], [10, 5], [dropped]],
  ])('%s', (_, then, now, expected) => {
    expect(dayAfter(numbers(...then), numbers(...now))).toEqual(expected);
  });

  it('ends a day after the drop, or when they are back', () => {
    const { see } = start();
    see(numbers(20));
    see(numbers(20), NOW + 24 * HOUR);
    expect(see(numbers(10), NOW + 25 * HOUR).found).toEqual([dropped]);
    expect(see(numbers(10), NOW + 47.4 * HOUR).found).toEqual([dropped]);
    expect(see(numbers(10), NOW + 50.6 * HOUR).found).toEqual([]);
    const again = start();
    again.see(numbers(20));
    expect(again.see(numbers(10), NOW + 25 * HOUR).found).toEqual([dropped]);
    expect(again.see(numbers(20), NOW + 26 * HOUR).found).toEqual([]);
  });

  it('is noticed at the first good answer after any time', () => {
    expect(dayAfter(numbers(20), numbers(10), 24 * 40)).toEqual([dropped]);
  });

  describe('on the first day', () => {
    const capacityOf = ({ evaluated }: ReturnType<ReturnType<typeof start>['see']>) =>
      evaluated.find(({ rule }) => rule.name === 'LicenseCapacityDropped')?.evaluation;
    const labels = { vendor_license: LIC, feature: 'a' };

    it('is fewer than at the first poll, and its text says so', () => {
      const { see } = start();
      see(numbers(20));
      const now = see(numbers(10), NOW + 60);
      expect([now.past.drops, see(numbers(10), NOW + 960).firing]).toEqual([
        [{ vendorLicense: LIC, feature: 'a', before: 20, licenses: 10, firstPoll: NOW }],
        [dropped],
      ]);
      expect(capacityOf(now)?.findings[0]?.annotations.summary).toBe(
        'There are fewer licenses of a of lic01;cdslmd than at its first poll at 2027-01-15 09:00 CET: 10 of 20 are missing.',
      );
      // then that is a day ago
      const later = see(numbers(10), NOW + 22.5 * HOUR);
      expect(later.past.drops).toEqual([{ vendorLicense: LIC, feature: 'a', before: 20, licenses: 10 }]);
      expect(see(numbers(10), NOW + 26 * HOUR).found).toEqual([]);
    });

    it('is over when they are back', () => {
      const { see } = start();
      see(numbers(20));
      see(numbers(10), NOW + HOUR);
      expect(see(numbers(10), NOW + 2 * HOUR).firing).toEqual([dropped]);
      const back = see(numbers(20), NOW + 3 * HOUR);
      expect([back.found, capacityOf(back)?.isUnknown(labels)]).toEqual([[], false]);
    });

    it('is nothing if a pool was only loading at the first poll', () => {
      const { see } = start();
      see(numbers(5));
      see(numbers(20), NOW + HOUR);
      expect(see(numbers(5), NOW + 2 * HOUR).found).toEqual([]);
    });

    it('does not count what has expired since', () => {
      const { see } = start();
      const old = { maxAvailable: 10, licenseExpiration: NOW + HOUR };
      see(numbers(old, 10));
      expect(see(numbers({ ...old, maxAvailable: 0 }, 10), NOW + 2 * HOUR).found).toEqual([]);
    });

    it('is not known of a number that has not changed: it may have dropped before', () => {
      const { see } = start();
      see(numbers(20));
      expect(capacityOf(see(numbers(20), NOW + HOUR))?.isUnknown(labels)).toBe(true);
    });
  });

  const unknownSites: readonly (readonly [string, Scenario])[] = [
    ['a number is unknown', numbers(10, { maxAvailable: undefined })],
    ['the features are', { ...numbers(10), features: { '': failed() } }],
    ['its server is down', { ...numbers(10), down: good(answer([{ label: LIC }])) }],
  ];
  it.each(unknownSites)('is not known while %s', (_, now) => {
    const { rules, see } = start();
    see(numbers(20));
    const { found, evaluated } = see(now, NOW + 25 * HOUR);
    const evaluation = evaluated.find(({ rule }) => rule === ruleOf(rules, 'LicenseCapacityDropped'))?.evaluation;
    expect(found).toEqual([]);
    expect(evaluation?.isUnknown({ vendor_license: LIC, feature: 'a' })).toBe(true);
    // and the number of then is remembered
    expect(see(numbers(10), NOW + 26 * HOUR).found).toEqual([dropped]);
  });

  it('does not count what a server that was down has once the analyzer has lost it, and says no more that it is down', () => {
    const { see } = start();
    const isDown: Scenario = { ...numbers(0), down: good(answer([{ label: LIC }])) };
    const products = failed({ at: NOW - 60, value: answer([product()]) }, CONTRADICTION);
    see(numbers(20));
    see(isDown, NOW + 25 * HOUR);
    expect(see({ ...isDown, products, down }, NOW + 25 * HOUR + 60).found).toEqual([]);
    see(numbers(20), NOW + 28 * HOUR);
    expect(see(numbers(10), NOW + 50 * HOUR).found).toEqual([dropped]);
  });

  it('does not count what a server that was down had', () => {
    const { see } = start();
    see(numbers(20));
    see({ ...numbers(0), down: good(answer([{ label: LIC }])) }, NOW + 25 * HOUR);
    see(numbers(20), NOW + 28 * HOUR);
    expect(see(numbers(10), NOW + 50 * HOUR).found).toEqual([dropped]);
  });

  it('is silent about uncounted licenses: that is known', () => {
    const { rules, see } = start();
    see(numbers(20));
    const { found, evaluated } = see(numbers({ licenseType: 'uncounted' }, 5), NOW + 25 * HOUR);
    const evaluation = evaluated.find(({ rule }) => rule === ruleOf(rules, 'LicenseCapacityDropped'))?.evaluation;
    expect([found, evaluation?.isUnknown({ vendor_license: LIC, feature: 'a' })]).toEqual([[], false]);
    expect(see(numbers(5), NOW + 26 * HOUR).found).toEqual([]);
  });
});

describe('a version that expires', () => {
  const END = NOW + 25 * HOUR;
  type Version = Partial<Parameters<typeof feature>[0]>;
  const old: Version = { feature: 'a', version: '1', maxAvailable: 10, licenseExpiration: END };
  const ended: Version = { ...old, maxAvailable: 0 };
  const renewal = (maxAvailable: number): Version => ({ feature: 'a', version: '2', maxAvailable });
  const versions = (...listed: readonly Version[]): Scenario => ({
    products: good(answer([product()])),
    down,
    features: featuresOf(...listed),
  });
  const name = { vendorLicense: LIC, feature: 'a', version: '1', package: '', featureType: 'feature' };
  const dropsOf = (scenario: Scenario, at: number) => (see: ReturnType<typeof start>['see']) =>
    see(scenario, at).past.drops.map(({ before, licenses }) => [before, licenses]);

  it.each([
    ['has lost nothing beside its renewal', [renewal(10)], [ended, renewal(10)], []],
    ['has lost nothing beside half of a renewal', [renewal(4)], [ended, renewal(4)], []],
    ['has lost nothing without one', [], [ended], []],
    ['has lost nothing if it is removed then', [renewal(10)], [renewal(10)], []],
    ['has lost nothing if a part of it goes on', [], [{ ...old, maxAvailable: 6 }], []],
    ['has lost nothing if the analyzer still reports its number', [], [old], []],
    ['has lost nothing if it is renewed then', [], [{ ...old, licenseExpiration: END + 365 * DAY }], []],
    ['has a renewal that has lost some', [renewal(10)], [ended, renewal(5)], [[10, 5]]],
  ])('%s', (_, beside, after, expected) => {
    const { see } = start();
    see(versions(old, ...beside));
    // soon after that, the analyzer has not collected again
    expect(dropsOf(versions(old, ...beside), END)(see)).toEqual([]);
    for (const hours of [0.02, 1, 20]) expect(dropsOf(versions(...after), END + hours * HOUR)(see)).toEqual(expected);
    expect(dropsOf(versions(...after), END + 27 * HOUR)(see)).toEqual([]);
  });

  it('has lost nothing although the exporter did not run then', () => {
    const { see } = start();
    see(versions(old, renewal(10)));
    expect(dropsOf(versions(renewal(10)), END + 20 * DAY)(see)).toEqual([]);
  });

  it('has lost its licenses if they are missing before', () => {
    const { see } = start();
    see(versions(old, renewal(10)));
    expect(dropsOf(versions(ended, renewal(10)), END - 60)(see)).toEqual([[20, 10]]);
    const removed = start();
    removed.see(versions(old, renewal(10)));
    expect(dropsOf(versions(renewal(10)), END - 60)(removed.see)).toEqual([[20, 10]]);
    expect(dropsOf(versions(renewal(10)), END)(removed.see)).toEqual([[20, 10]]);
  });

  it('keeps its number as long as it is listed, and 30 days after its expiry', () => {
    const { listed, see } = start();
    const numberOf = (scenario: Scenario, at: number) => see(scenario, at).past.licensesBefore(name);
    expect(numberOf(versions({ ...old, maxAvailable: 12 }), NOW)).toBe(12);
    expect(numberOf(versions(old), NOW + 60)).toBe(10);
    expect(numberOf({ ...versions(ended), down: good(answer([{ label: LIC }])) }, NOW + 120)).toBe(10);
    expect(numberOf(versions(ended, renewal(4)), END + 40 * DAY)).toBe(10);
    listed.isChanged = false;
    expect([numberOf(versions(renewal(4)), END + 40 * DAY), listed.isChanged]).toEqual([unknown, true]);
    const removed = start();
    removed.see(versions(old, renewal(4)));
    removed.see(versions(renewal(4)), END + 30 * DAY - 1);
    expect(removed.see(versions(ended, renewal(4)), END + 30 * DAY).past.licensesBefore(name)).toBe(10);
  });

  it('keeps its number while it is not known whether it is listed', () => {
    const { see } = start();
    see(versions(old, renewal(4)));
    const bad = good(answer([feature(renewal(4))], { bad_record: 1 }));
    see({ ...versions(), features: { '': bad } }, NOW + 60);
    expect(see(versions(ended, renewal(4)), END).past.licensesBefore(name)).toBe(10);
  });

  it('is not mistaken for one of another package or type', () => {
    const { see } = start();
    const { past } = see(versions(old, { ...old, package: 'p', maxAvailable: 3 }));
    expect([
      past.licensesBefore(name),
      past.licensesBefore({ ...name, package: 'p' }),
      past.licensesBefore({ ...name, featureType: 'component' }),
    ]).toEqual([10, 3, unknown]);
  });

  it('keeps its number also if only GetExpirationFeatures lists it then', () => {
    const { see } = start();
    see(versions(old, renewal(4)));
    const expirations = { [LIC]: good(answer([expiration({ ...name, licenseExpiration: END })])) };
    const { past } = see({ ...versions(renewal(4)), expirations }, END + 60);
    expect([past.licensesBefore(name), past.drops]).toEqual([10, []]);
  });

  it.each([
    ['its expiry is far away', { licenseExpiration: NOW + 40 * DAY }],
    ['it is permanent', { licenseExpiration: Number.POSITIVE_INFINITY }],
    ['it has expired', { licenseExpiration: NOW }],
    ['its number is not known', { maxAvailable: undefined }],
    ['it has none', { maxAvailable: 0 }],
  ])('is not remembered if %s', (_, fields) => {
    const { listed, see } = start();
    see(versions({ ...old, ...fields }));
    expect(listed.vendorLicenses.get(LIC)?.features.get('a')?.versions).toEqual([]);
  });

  it.each([NOW + 40 * DAY, Number.POSITIVE_INFINITY])('is not remembered any more once it is renewed', (renewed) => {
    const { listed, see } = start();
    see(versions(old));
    // a file cannot have an infinite number: not even while a server is down
    see({ ...versions({ ...old, licenseExpiration: renewed }), down: good(answer([{ label: LIC }])) }, NOW + 60);
    expect(listed.vendorLicenses.get(LIC)?.features.get('a')?.versions).toEqual([]);
  });
});

describe('the memory', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({ feature: `f${i}` }));
  const large: Scenario = { products: good(answer([product()])), down, features: featuresOf(...many) };

  it('reads 20,000 features in slices, and compares them again if they are the same', () => {
    const listed = new Listed();
    const inventory = inventoryOf(large);
    const stepsOf = (at: number): number => {
      let steps = 0;
      const work = listed.observe(inventory, at, policy);
      while (work.next().done !== true) steps += 1;
      return steps;
    };
    expect([stepsOf(NOW), listed.isChanged]).toEqual([40, true]);
    listed.isChanged = false;
    expect([stepsOf(NOW + 30), listed.isChanged]).toEqual([20, false]);
  });

  it('is as old as before after the clock was set', () => {
    const { listed, see } = start();
    see(site);
    see(without, NOW + 60);
    listed.move(5000);
    expect(see(without, NOW + 5120).past.missed).toEqual([{ vendorLicense: OTHER, feature: '', missedAt: NOW + 5060 }]);
    expect(listed.vendorLicenses.get(LIC)?.features.get('a')?.samples).toEqual([[NOW + 5000, 10]]);
    expect(listed.since).toBe(NOW + 5000);
  });
});
