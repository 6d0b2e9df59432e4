import { describe, expect, it } from 'vitest';
import type { AlertState, AlertStates } from '../../../src/alerting/alerts/alert.ts';
import { createEvaluation } from '../../../src/alerting/alerts/engine.ts';
import { Listed, type Owned } from '../../../src/alerting/alerts/listed.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import { step } from '../../../src/alerting/alerts/state-machine.ts';
import { CONTRADICTION } from '../../../src/base/model/failure.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { policy, settingsOf, viewOf } from '../../support/alert-views.ts';
import { answer, createSnapshot, failed, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

/** What is not listed any more is not over: no alert about it ends as if it were. */

const HOUR = 3600;
const MINUTE = 60;

function start(settings: unknown = {}) {
  const rules = createRules(settingsOf(settings));
  const address = (labels: AlertState['labels']) => labels;
  const evaluate = createEvaluation({ rules, ignore: [], commonLabels: {}, address, unknownHold: HOUR });
  const listed = new Listed();
  let states: AlertStates = new Map();
  const ends: string[] = [];
  /** Evaluates a site whose answers are always new. @returns the names of what fires */
  const see = (scenario: Scenario, at: number, owned: Owned = policy, evaluateNow = evaluate): readonly string[] => {
    const view = { ...viewOf(createSnapshot(scenario), NOW), now: at };
    const past = runAtOnce(listed.observe(view.inventory, at, owned));
    const evaluated = runAtOnce(evaluateNow({ ...view, past }, states));
    const after = step(states, evaluated, at, { unknownHold: HOUR, resolvedRetention: 900, address });
    states = after.states;
    for (const { labels, to } of after.transitions) {
      if (to === 'firing' || to === 'pending' || labels.vendor_license === undefined) continue;
      const ended = [...states.values()].find((each) => each.labels === labels);
      if (to !== 'inactive') ends.push(`${labels.alertname} ${ended?.ending ?? to}`);
    }
    const firing = [...states.values()].filter(({ state }) => state === 'firing');
    return [...new Set(firing.map(({ labels }) => labels.alertname ?? ''))].sort();
  };
  const ignoring = createEvaluation({
    ...{ rules, commonLabels: {}, address, unknownHold: HOUR },
    ignore: [[{ label: 'vendor_license', operator: '=', value: 'lic02;mgcld' }]],
  });
  return { see, ends, ignoring };
}

const permanent = { licenseExpiration: Number.POSITIVE_INFINITY };
const busy = feature({ ...permanent, inUse: 10, maxAvailable: 10 });
const site: Scenario = {
  products: good(answer([product(), product({ product: 'lic02;mgcld' })])),
  down: good(answer([{ label: 'lic02;mgcld' }])),
  features: { '': good(answer([busy])) },
  expirations: { 'lic01;cdslmd': good(answer([])) },
};
const all = ['LicenseFeatureSaturated', 'LicenseServerDown'];
/** Without vendor licenses, the other endpoints are not polled. */
const empty: Scenario = { products: good(answer([])), down: good(answer([])) };
const one = product();
/** Neither GetProducts nor GetServerDown lists the server that was down. */
const withoutIt: Scenario = { ...site, products: good(answer([one])), down: good(answer([])) };

describe('alerts about licenses, when GetProducts lists nothing any more,', () => {
  it('are kept until it is accepted, and until another alert says that nothing is listed', () => {
    const { see, ends } = start();
    see(site, NOW);
    expect(see(site, NOW + 600)).toEqual(all);
    for (const at of [NOW + 1500, NOW + 1800, NOW + 2099]) expect(see(empty, at)).toEqual(all);
    expect(see(empty, NOW + 2100)).toEqual([...all, 'LicenseProductsEmpty'].sort());
    expect(see(empty, NOW + 1499 + HOUR)).toEqual([...all, 'LicenseProductsEmpty'].sort());
    expect(ends).toEqual([]);
    // dropped after the hold, and not resolved
    expect(see(empty, NOW + 1500 + HOUR)).toEqual(['LicenseFeatureSaturated', 'LicenseProductsEmpty']);
    // no features are known at all: what is not seen is kept for a day
    expect(see(empty, NOW + 1500 + 24 * HOUR)).toEqual(['LicenseProductsEmpty']);
    expect(ends).toEqual(['LicenseServerDown lapsed', 'LicenseFeatureSaturated lapsed']);
  });

  it('are kept while that is not accepted, although GetServerDown and GetFeatures list nothing either', () => {
    const { see, ends } = start();
    see(site, NOW);
    see(site, NOW + 600);
    const before = answer([one, product({ product: 'lic02;mgcld' })]);
    const refused = (code: string): Scenario => ({
      ...empty,
      products: failed({ at: NOW - 900, value: before }, code),
      features: { '': good(answer([])) },
    });
    for (let at = NOW + 620; at < NOW + 1500; at += 30) {
      expect(see(refused(CONTRADICTION), at)).toEqual(expect.arrayContaining(all));
    }
    expect(ends).toEqual([]);
    // another failure says nothing about the list
    see(refused('ECONNREFUSED'), NOW + 1520);
    see(refused('ECONNREFUSED'), NOW + 3600);
    expect(ends).toContain('LicenseServerDown resolved');
  });

  it('go on when the list is back', () => {
    const { see, ends } = start();
    see(site, NOW);
    see(site, NOW + 600);
    see(empty, NOW + 1500);
    expect(see(site, NOW + 1800)).toEqual(all);
    expect(ends).toEqual([]);
  });
});

describe('alerts about a vendor license that is not listed any more', () => {
  it('end when it is said that it has vanished, and are not called resolved', () => {
    const { see, ends } = start();
    see(site, NOW);
    expect(see(site, NOW + 600)).toEqual(all);
    for (let at = NOW + 660; at < NOW + 660 + 15 * MINUTE; at += 30) expect(see(withoutIt, at)).toEqual(all);
    expect(see(withoutIt, NOW + 660 + 15 * MINUTE)).toEqual([...all, 'LicenseVendorLicenseVanished']);
    expect(ends).toEqual([]);
    expect(see(withoutIt, NOW + 690 + 15 * MINUTE)).toEqual([
      'LicenseFeatureSaturated',
      'LicenseVendorLicenseVanished',
    ]);
    expect(ends).toEqual(['LicenseServerDown no longer listed by the analyzer']);
  });

  it('go on if it is back before that', () => {
    const { see, ends } = start();
    see(site, NOW);
    see(withoutIt, NOW + 30);
    expect(see(site, NOW + 600)).toEqual(all);
    see({ ...site, down: good(answer([])) }, NOW + 660);
    see({ ...site, down: good(answer([])) }, NOW + 660 + HOUR);
    expect(ends).toEqual(['LicenseServerDown resolved']);
  });

  it('are dropped after the hold where no alert says that it has vanished', () => {
    const { see, ends } = start({ LicenseVendorLicenseVanished: { enabled: false } });
    see(site, NOW);
    for (let at = NOW + 30; at < NOW + 30 + HOUR; at += 300) expect(see(withoutIt, at)).toContain('LicenseServerDown');
    expect(see(withoutIt, NOW + 30 + HOUR)).not.toContain('LicenseServerDown');
    expect(ends).toEqual(['LicenseServerDown lapsed']);
  });

  it('end where the settings leave it out, and say that', () => {
    const { see, ends } = start();
    see(site, NOW);
    see(withoutIt, NOW + 30, { ...policy, ownsVendorLicense: (name) => name !== 'lic02;mgcld' });
    expect(ends).toEqual(['LicenseServerDown no longer selected by the settings']);
  });
});

it('alerts that the settings ignore now end at once, and say that', () => {
  const { see, ends, ignoring } = start();
  see(site, NOW);
  expect(see(site, NOW + 600)).toEqual(all);
  expect(see(site, NOW + 630, policy, ignoring)).toEqual(['LicenseFeatureSaturated']);
  expect(ends).toEqual(['LicenseServerDown ignored by the settings']);
});

describe('alerts about a feature that is not listed any more', () => {
  const other = feature({ ...permanent, feature: 'other', inUse: 0 });
  const ofFeatures = (...features: Parameters<typeof answer>[0][]): Scenario => ({
    products: good(answer([one])),
    down: good(answer([])),
    features: { '': good(answer(features.flat() as never)) },
    expirations: { 'lic01;cdslmd': good(answer([])) },
  });

  it('end when it is said that it has vanished', () => {
    const { see, ends } = start();
    const both = ofFeatures([busy, other] as never);
    const without = ofFeatures([other] as never);
    see(both, NOW);
    expect(see(both, NOW + 600)).toEqual(['LicenseFeatureSaturated']);
    for (let at = NOW + 630; at < NOW + 630 + 15 * MINUTE; at += 30) {
      expect(see(without, at)).toEqual(['LicenseFeatureSaturated']);
    }
    see(without, NOW + 630 + 15 * MINUTE);
    expect(see(without, NOW + 660 + 15 * MINUTE)).toEqual(['LicenseFeatureVanished']);
    expect(ends).toEqual(['LicenseFeatureSaturated no longer listed by the analyzer']);
  });

  it('end at once if its license has expired, because nobody misses it', () => {
    const { see, ends } = start();
    const old = feature({ feature: 'old', licenseExpiration: NOW - 60, inUse: 0 });
    see(ofFeatures([old, other] as never), NOW);
    expect(see(ofFeatures([old, other] as never), NOW + 900)).toEqual(['LicenseExpired']);
    expect(see(ofFeatures([other] as never), NOW + 930)).toEqual([]);
    see(ofFeatures([other] as never), NOW + 930 + HOUR);
    expect(ends).toEqual(['LicenseExpired no longer listed by the analyzer']);
  });
});
