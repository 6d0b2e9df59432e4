import { describe, expect, it } from 'vitest';
import type { AlertStates } from '../../../src/alerting/alerts/alert.ts';
import { createEvaluation } from '../../../src/alerting/alerts/engine.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import { step, type Transition } from '../../../src/alerting/alerts/state-machine.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { settingsOf, viewOf } from '../../support/alert-views.ts';
import { answer, createSnapshot, failed, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

/** GetProducts lists nothing any more: LicenseProductsEmpty says so, and until then no alert about a license ends. */

const HOUR = 3600;

function start() {
  const rules = createRules(settingsOf());
  const evaluate = createEvaluation({
    rules,
    ignore: [],
    commonLabels: {},
    address: (labels) => labels,
  });
  let states: AlertStates = new Map();
  const ends: Transition['to'][] = [];
  /** Evaluates a site whose answers are always new. @returns the names of what fires */
  const see = (scenario: Scenario, at: number): readonly string[] => {
    const evaluated = runAtOnce(evaluate({ ...viewOf(createSnapshot(scenario), NOW), now: at }));
    const after = step(states, evaluated, at, { unknownHold: HOUR, resolvedRetention: 0, address: (labels) => labels });
    states = after.states;
    const ofLicenses = after.transitions.filter(({ labels }) => labels.vendor_license !== undefined);
    ends.push(...ofLicenses.map(({ to }) => to).filter((to) => to !== 'firing' && to !== 'pending'));
    const firing = [...states.values()].filter(({ state }) => state === 'firing');
    return [...new Set(firing.map(({ labels }) => labels.alertname ?? ''))].sort();
  };
  return { see, ends };
}

const permanent = { licenseExpiration: Number.POSITIVE_INFINITY };
const site: Scenario = {
  products: good(answer([product(), product({ product: 'lic02;mgcld' })])),
  down: good(answer([{ label: 'lic02;mgcld' }])),
  features: { '': good(answer([feature({ ...permanent, inUse: 10, maxAvailable: 10 })])) },
  expirations: { 'lic01;cdslmd': good(answer([])) },
};
const all = ['LicenseFeatureSaturated', 'LicenseServerDown'];
/** Without vendor licenses, the other endpoints are not polled. */
const empty: Scenario = { products: good(answer([])), down: good(answer([])) };

describe('alerts about licenses, when GetProducts lists nothing any more,', () => {
  it('are kept until it is accepted, and until another alert says that nothing is listed', () => {
    const { see, ends } = start();
    see(site, NOW);
    expect(see(site, NOW + 600)).toEqual(all);
    // not accepted yet
    const refused = { ...site, products: failed({ at: NOW - 900, value: answer([product()]) }) };
    expect(see(refused, NOW + 660)).toEqual(all);
    for (const at of [NOW + 1500, NOW + 1800, NOW + 2099]) expect(see(empty, at)).toEqual(all);
    expect(see(empty, NOW + 2100)).toEqual([...all, 'LicenseProductsEmpty'].sort());
    expect(see(empty, NOW + 1499 + HOUR)).toEqual([...all, 'LicenseProductsEmpty'].sort());
    expect(ends).toEqual([]);
    // dropped after the hold, and not resolved
    expect(see(empty, NOW + 1500 + HOUR)).toEqual(['LicenseFeatureSaturated', 'LicenseProductsEmpty']);
    // no features are known at all: what is not seen is kept for a day
    expect(see(empty, NOW + 1500 + 24 * HOUR)).toEqual(['LicenseProductsEmpty']);
    expect(new Set(ends)).toEqual(new Set(['lapsed']));
  });

  it('go on when the list is back', () => {
    const { see, ends } = start();
    see(site, NOW);
    see(site, NOW + 600);
    see(empty, NOW + 1500);
    expect(see(site, NOW + 1800)).toEqual(all);
    expect(ends.filter((to) => to !== 'inactive')).toEqual([]);
  });

  it('end where only their vendor license is not listed any more', () => {
    const { see } = start();
    see(site, NOW);
    see(site, NOW + 600);
    const other: Scenario = { products: good(answer([product({ product: 'lic03;d' })])), down: good(answer([])) };
    see(other, NOW + 660);
    expect(see(other, NOW + 1560)).toEqual([]);
  });
});
