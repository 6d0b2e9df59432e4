import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../src/alerting/alerts/alert.ts';
import type { DeniedFeature, View } from '../../../src/alerting/alerts/rule.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import type { EndedWaits, WaitingPeople } from '../../../src/base/model/observation/observation.ts';
import type { Answer } from '../../../src/base/model/records.ts';
import { historyPart, type PolledEndpoint, type Snapshot } from '../../../src/base/model/snapshot.ts';
import { waitedPeople } from '../../../src/base/people.ts';
import { durationText } from '../../../src/base/texts.ts';
import { evaluate, evaluateRule, ruleOf, settingsOf, viewOf } from '../../support/alert-views.ts';
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
  scenario,
} from '../../support/scenario.ts';
import { trendOf } from '../../support/trend.ts';

const DAY = 86_400;
const LIC = 'lic01;cdslmd';

/** All rules over one site that has something of everything. */
describe('the rules together', () => {
  it('give every alert labels of its own', () => {
    const view = viewOf(createSnapshot(scenario));
    const findings = createRules(settingsOf()).flatMap((rule) => evaluateRule(rule, view).findings);
    expect(findings.length).toBeGreaterThan(5);
    expect(new Set(findings.map(({ labels }) => fingerprint(labels))).size).toBe(findings.length);
    for (const { labels, annotations } of findings) {
      for (const value of Object.values(labels)) expect(value).not.toBe('');
      expect(annotations.summary).toMatch(/\.$/);
      expect(annotations.description).toMatch(/\.$/);
    }
  });

  it('have tests of their thresholds', () => {
    const texts = globSync('test/{alerting/alerts,exporter/inventory}/**/*.test.ts').map((path) =>
      readFileSync(path, 'utf8'),
    );
    const names = new Set(createRules(settingsOf()).map(({ name }) => name));
    expect([...names].filter((name) => !texts.some((text) => text.includes(`'${name}/`)))).toEqual([]);
  });

  it('can be switched off one by one', () => {
    const rules = createRules(settingsOf({ LicenseExpired: { enabled: false } }));
    expect(rules.map(({ name }) => name)).not.toContain('LicenseExpired');
    // off, but on for some
    const some = { LicenseExpired: { enabled: false, overrides: [{ vendor_license: '^lic01', enabled: true }] } };
    expect(createRules(settingsOf(some)).map(({ name }) => name)).toContain('LicenseExpired');
    const expired = { 'lic01;cdslmd': good(answer([expiration({ licenseExpiration: NOW - 5 })])) };
    const other = { 'lic02;mgcld': good(answer([expiration({ licenseExpiration: NOW - 5 })])) };
    const { labels } = evaluate(
      'LicenseExpired/critical',
      { expirations: { ...expired, ...other } },
      { settings: some },
    );
    expect(labels.map(({ vendor_license }) => vendor_license)).toEqual([LIC]);
  });
});

describe('LicenseServerDown', () => {
  const id = 'LicenseServerDown/critical';
  const products = good(answer([product(), product({ product: 'lic02;mgcld', mappingIcon: 'ServerDown' })]));
  const about = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: LIC };

  it('is about what GetServerDown lists, and names the parts', () => {
    const down = good(answer([{ label: 'LIC01;cdslmd;east' }, { label: 'lic01;cdslmd;west' }]));
    const { findings, isUnknown } = evaluate(id, { products, down });
    expect(findings.map(({ labels }) => labels)).toEqual([about]);
    expect(findings[0]?.annotations.description).toContain(
      'no data from lic01;cdslmd (east, west) since Friday 2027-01-15 08:59 CET.',
    );
    expect(isUnknown({ ...about, vendor_license: 'lic02;mgcld' })).toBe(false);
  });

  it('says that there never was data where the analyzer says so, and else only what GetServerDown means', () => {
    const never = good(answer([product({ collectionTime: undefined })]));
    const factsOf = (listed: typeof never): unknown =>
      evaluate(id, { products: listed, down: good(answer([{ label: LIC }])) }).findings[0]?.annotations.description;
    expect(factsOf(never)).toMatch(/^The analyzer has never received data from lic01;cdslmd\. /);
    expect(factsOf(good(answer([product({ product: 'lic02;mgcld' })])))).toMatch(
      /^The analyzer has received no data from lic01;cdslmd for at least 30 minutes\. /,
    );
  });

  it('does not know without a fresh answer', () => {
    const old = answer([{ label: LIC }]);
    const aged = evaluate(id, { products, down: failed({ at: NOW - 301, value: old }) });
    expect([aged.findings, aged.isUnknown(about), aged.hasNoData]).toEqual([[], true, true]);
    const held = evaluate(id, { products, down: failed({ at: NOW - 299, value: old }) });
    expect([held.labels, held.hasNoData]).toEqual([[about], false]);
  });

  it('does not know of the others while some records cannot be read', () => {
    const down = good(answer([{ label: 'lic02;mgcld' }], { bad_record: 1 }));
    const { labels, isUnknown } = evaluate(id, { products, down });
    expect(labels.map(({ vendor_license }) => vendor_license)).toEqual(['lic02;mgcld']);
    expect(isUnknown(about)).toBe(true);
  });

  it('takes an icon for the same, where that is said', () => {
    const settings = { LicenseServerDown: { icon_pattern: '^ServerDown$' } };
    const { labels } = evaluate(id, { products, down: good(answer([])) }, { settings });
    expect(labels.map(({ vendor_license }) => vendor_license)).toEqual(['lic02;mgcld']);
  });

  it('can be off for some vendor licenses', () => {
    const down = good(answer([{ label: LIC }, { label: 'lic02;mgcld' }]));
    const settings = { LicenseServerDown: { overrides: [{ vendor_license: '^lic02;', enabled: false }] } };
    expect(evaluate(id, { products, down }, { settings }).labels).toEqual([about]);
  });
});

describe('LicenseCollectionStale', () => {
  const id = 'LicenseCollectionStale/warning';
  const scenarioOf = (age: number | undefined, isDown = false) => ({
    products: good(answer([product({ collectionTime: age === undefined ? undefined : NOW - age })])),
    down: good(answer(isDown ? [{ label: LIC }] : [])),
  });
  const about = { alertname: 'LicenseCollectionStale', severity: 'warning', vendor_license: LIC };

  it.each([
    [3600, false, []],
    [3601, false, [about]],
    [3601, true, []],
  ])('%i s old, down %s', (age, isDown, labels) => {
    expect(evaluate(id, scenarioOf(age, isDown)).labels).toEqual(labels);
  });

  it.each([
    ['ahead of ours', 7200, 60, []],
    ['ahead of ours', 7200, 3601, [about]],
    ['behind ours', -7200, 60, []],
    ['behind ours', -7200, 3601, [about]],
  ])('compares with the clock of the analyzer, which is %s by %d s: %d s old', (_, clockAhead, age, labels) => {
    const listed = answer([product({ collectionTime: NOW + clockAhead - age })]);
    const found = evaluate(id, { products: good({ ...listed, clockAhead }), down: good(answer<never>([])) });
    expect(found.labels).toEqual(labels);
    expect(found.findings.map(({ value }) => value)).toEqual(labels.map(() => age));
  });

  it('fires if GetProducts contradicts an empty GetServerDown', () => {
    const contradicting = product({ collectionTime: NOW - 9000, isCurrent: false, mappingIcon: 'ServerDown' });
    const contradiction = { products: good(answer([contradicting])), down: good(answer([])) };
    expect(evaluate(id, contradiction).labels).toEqual([about]);
    // and the server may be down
    expect(evaluate('LicenseServerDown/critical', contradiction).isUnknown({ vendor_license: LIC })).toBe(true);
  });

  it('does not know without a collection time, or a fresh GetServerDown', () => {
    expect(evaluate(id, scenarioOf(undefined)).isUnknown(about)).toBe(true);
    const { products } = scenarioOf(9000);
    const lost = evaluate(id, { products, down: failed() });
    expect([lost.labels, lost.isUnknown(about), lost.hasNoData]).toEqual([[], true, true]);
  });
});

describe('expiries', () => {
  const expiryRules = [
    'LicenseExpiringSoon/info',
    'LicenseExpiringSoon/warning',
    'LicenseExpiringSoon/critical',
    'LicenseExpired/critical',
  ];
  const states = (left: number, settings: unknown = {}) => {
    const expirations = { [LIC]: good(answer([expiration({ licenseExpiration: NOW + left })])) };
    return expiryRules.filter(
      (id) => evaluate(id, { expirations, features: { '': good(answer([])) } }, { settings }).findings.length > 0,
    );
  };

  it.each([
    [60 * DAY, []],
    [60 * DAY - 1, ['LicenseExpiringSoon/info']],
    [30 * DAY, ['LicenseExpiringSoon/info']],
    [30 * DAY - 1, ['LicenseExpiringSoon/warning']],
    [7 * DAY, ['LicenseExpiringSoon/warning']],
    [7 * DAY - 1, ['LicenseExpiringSoon/critical']],
    [1, ['LicenseExpiringSoon/critical']],
    [0, ['LicenseExpired/critical']],
    [-14 * DAY + 1, ['LicenseExpired/critical']],
    [-14 * DAY, []],
    [-15 * DAY, []],
    [Number.POSITIVE_INFINITY, []],
  ])('%d s left', (left, expected) => {
    expect(states(left)).toEqual(expected);
  });

  it('one is kept until the next one fires', () => {
    const settings = { LicenseExpiringSoon: { for: '20m', keep_firing_for: '7m' } };
    expect(ruleOf('LicenseExpiringSoon/info', settings).durations({}).keepFiringFor).toBe(27 * 60);
    expect(ruleOf('LicenseExpiringSoon/warning', settings).durations({}).keepFiringFor).toBe(27 * 60);
    expect(ruleOf('LicenseExpiringSoon/critical', settings).durations({}).keepFiringFor).toBe(27 * 60);
    // it can become a warning
    expect(ruleOf('LicenseExpired/critical', {}).durations({}).keepFiringFor).toBe(20 * 60);
  });

  it('takes other limits for some', () => {
    const settings = {
      LicenseExpiringSoon: {
        info: '90d',
        warning: '60d',
        overrides: [
          { vendor_license: 'other', feature: 'base', warning: '1d', critical: '1d' },
          { feature: '^base$', warning: '90d' },
          { vendor_license: '.', warning: '10d', critical: '9d' },
        ],
      },
    };
    // of those that match, the first that sets a value counts
    expect(states(80 * DAY, settings)).toEqual(['LicenseExpiringSoon/warning']);
    expect(states(8 * DAY, settings)).toEqual(['LicenseExpiringSoon/critical']);
  });

  it('names the license', () => {
    const expirations = { [LIC]: good(answer([expiration({ licenseExpiration: NOW + 3 * DAY, package: 'pk' })])) };
    const { findings } = evaluate('LicenseExpiringSoon/critical', { expirations });
    expect(findings[0]?.labels).toEqual({
      alertname: 'LicenseExpiringSoon',
      severity: 'critical',
      vendor_license: LIC,
      feature: 'base',
      version: '1.0',
      package: 'pk',
      feature_type: 'feature',
      expires: '2027-01-18',
    });
    expect(findings[0]?.annotations.summary).toBe(
      'License base 1.0 (package pk) of lic01;cdslmd expires on Monday 2027-01-18, in 3d.',
    );
    expect(findings[0]?.annotations.description).toMatch(
      /^It expires at 2027-01-18 09:00 CET\. After the expiry, users .* First step: Order/,
    );
  });

  it('says when, and how many', () => {
    const described = (name: string, fields: Parameters<typeof feature>[0]) =>
      evaluate(name, { features: { '': good(answer([feature(fields)])) } }).findings[0]?.annotations.description;
    const soon = { licenseExpiration: NOW + 40 * DAY };
    const id = 'LicenseExpiringSoon/info';
    expect(described(id, { ...soon, maxAvailable: 28 })).toMatch(
      /^It expires at 2027-02-24 09:00 CET \(28 licenses\)\./,
    );
    expect(described(id, { ...soon, maxAvailable: 99_999 })).toMatch(
      /^It expires at 2027-02-24 09:00 CET \(uncounted\)\./,
    );
    const past = described('LicenseExpired/critical', { licenseExpiration: NOW - 2 * DAY });
    expect(past).toMatch(/^It expired 2d ago, at 2027-01-13 09:00 CET\./);
  });

  it('does not know where one of the two endpoints is not fresh, or the value was not usable', () => {
    const id = 'LicenseExpired/critical';
    const about = {
      alertname: 'LicenseExpired',
      severity: 'critical',
      vendor_license: LIC,
      feature: 'base',
      version: '1.0',
      feature_type: 'feature',
    };
    const fresh = good(answer([]));
    const known = evaluate(id, { expirations: { [LIC]: fresh }, features: { '': fresh } });
    expect(known.isUnknown(about)).toBe(false);
    expect(evaluate(id, { expirations: { [LIC]: failed() }, features: { '': fresh } }).isUnknown(about)).toBe(true);
    expect(evaluate(id, { expirations: { [LIC]: fresh }, features: { '': failed() } }).isUnknown(about)).toBe(true);
    // another vendor license that fails says nothing about this one
    const other = evaluate(id, { expirations: { [LIC]: fresh, 'lic02;mgcld': failed() }, features: { '': fresh } });
    expect([other.isUnknown(about), other.isUnknown({ ...about, vendor_license: 'lic02;mgcld' })]).toEqual([
      false,
      true,
    ]);
    const nonsense = good(answer([expiration({ licenseExpiration: undefined })]));
    expect(evaluate(id, { expirations: { [LIC]: nonsense }, features: { '': fresh } }).isUnknown(about)).toBe(true);
    // nothing has been asked yet
    expect(evaluate(id, { expirations: {}, features: { '': fresh } }).isUnknown(about)).toBe(true);
    // there is nothing to ask for
    expect(evaluate(id, {}).isUnknown(about)).toBe(false);
  });
});

describe('endpoints that are off or absent', () => {
  const past = { licenseExpiration: NOW - 60 };
  const withUncounted = {
    products: good(answer([product()])),
    features: { '': good(answer([feature(past)])) },
    expirations: { 'lic01;cdslmd': failed<never>() },
  };
  const snapshot = createSnapshot(withUncounted);
  const without = (...off: PolledEndpoint[]): Snapshot => ({
    ...snapshot,
    endpoints: Object.fromEntries(
      Object.entries(snapshot.endpoints).filter(([name]) => !off.includes(name as PolledEndpoint)),
    ),
    off,
  });
  const { GetExpirationFeatures: failing } = snapshot.endpoints;
  const absent: Snapshot = {
    ...snapshot,
    endpoints: {
      ...snapshot.endpoints,
      ...(failing !== undefined && { GetExpirationFeatures: { ...failing, isAbsent: true } }),
    },
  };
  const isUnknown = (id: string, view: Snapshot): boolean =>
    evaluateRule(ruleOf(id), viewOf(view)).isUnknown({ vendor_license: 'lic01;cdslmd', feature: 'other' });

  it.each<[string, Snapshot, boolean, boolean]>([
    ['GetExpirationFeatures fails', snapshot, true, false],
    ['it is off', without('GetExpirationFeatures'), false, false],
    ['it is absent', absent, false, false],
    ['GetFeatures is off', without('GetFeatures'), true, true],
    ['both are off', without('GetFeatures', 'GetExpirationFeatures'), true, true],
  ])('do not hold alerts, but resolve nothing that only they know: %s', (_, view, expiry, usage) => {
    expect([isUnknown('LicenseExpired/critical', view), isUnknown('LicenseFeatureSaturated/warning', view)]).toEqual([
      expiry,
      usage,
    ]);
  });

  it('do not make the analyzer unreachable', () => {
    const { findings, isUnknown: isNotKnown } = evaluateRule(
      ruleOf('LicenseAnalyzerUnreachable/critical'),
      viewOf(absent),
    );
    expect([findings, isNotKnown({})]).toEqual([[], false]);
    expect(evaluateRule(ruleOf('LicensePollPartial/warning'), viewOf(absent)).findings).toEqual([]);
    expect(viewOf(absent).inventory.up).toBe(true);
  });
});

describe('LicenseFeatureSaturated', () => {
  const id = 'LicenseFeatureSaturated/info';
  const about = {
    alertname: 'LicenseFeatureSaturated',
    severity: 'info',
    vendor_license: LIC,
    feature: 'base',
    version: '1.0',
    feature_type: 'feature',
  };
  const of = (inUse: number | undefined, maxAvailable: number | undefined, settings: unknown = {}) =>
    evaluate(id, { features: { '': good(answer([feature({ inUse, maxAvailable })])) } }, { settings });

  it.each([
    [94, 100, [false]],
    [95, 100, [true]],
    [90, 100, [false]],
    [89, 100, []],
    [0, 0, []],
    [5, 0, []],
    [undefined, 100, []],
    [95, undefined, []],
  ])('%s of %s', (inUse, maxAvailable, raised) => {
    expect(of(inUse, maxAvailable).findings.map(({ isRaised }) => isRaised)).toEqual(raised);
  });

  it('knows what it does not know', () => {
    expect(
      [of(1, 100), of(0, 0), of(undefined, 100), of(1, undefined)].map(({ isUnknown }) => isUnknown(about)),
    ).toEqual([false, false, true, true]);
    expect(evaluate(id, { features: { '': failed() } }).isUnknown(about)).toBe(true);
  });

  it('takes usage that is withheld for unknown', () => {
    const scenarioOf = (label: string) => ({
      products: good(answer([product()])),
      down: good(answer([{ label }])),
      features: { '': good(answer([feature({ inUse: 10, maxAvailable: 10 })])) },
    });
    expect(evaluate(id, scenarioOf('other;x')).labels).toEqual([about]);
    const withheld = evaluate(id, scenarioOf(LIC));
    expect([withheld.labels, withheld.isUnknown(about)]).toEqual([[], true]);
  });

  it('is a warning of each vendor license that does not say who waits or is denied', () => {
    const others = 'lic02;mgcld';
    const full = { inUse: 10, maxAvailable: 10, maxQueued: undefined };
    const severityOf = (queued: number | undefined, denied: View['denied']) => {
      const site = {
        products: good(answer([product(), product({ product: others })])),
        features: {
          '': good(
            answer([feature(full), feature({ ...full, serverName: 'lic02', daemon: 'mgcld', maxQueued: queued })]),
          ),
        },
      };
      return Object.fromEntries(
        ['warning', 'info'].flatMap((severity) =>
          evaluate(`LicenseFeatureSaturated/${severity}`, site, { denied }).labels.map((labels) => [
            labels.vendor_license,
            severity,
          ]),
        ),
      );
    };
    const row = { feature: 'base', package: '', featureType: 'feature', waited: undefined, day: 'today' } as const;
    const [none, mixed] = [
      { [LIC]: 'warning', [others]: 'warning' },
      { [LIC]: 'warning', [others]: 'info' },
    ];
    expect([severityOf(undefined, undefined), severityOf(undefined, [])]).toEqual([none, none]);
    expect(severityOf(0, undefined)).toEqual(mixed);
    expect(severityOf(undefined, [{ ...row, vendorLicense: others, denials: 0 }])).toEqual(mixed);
  });

  it('says how many', () => {
    const [finding] = of(96, 100).findings;
    expect(finding?.annotations.summary).toBe('96 of 100 licenses of base 1.0 of lic01;cdslmd are in use.');
    expect(finding?.annotations.description).toMatch(/^On average, 96 % were in use/);
    expect(of(120, 100).findings[0]?.annotations).toMatchObject({
      summary: '120 licenses of base 1.0 of lic01;cdslmd are in use, 20 more than the 100 that there are.',
      figure: '120 in use of 100 licenses (20 over)',
    });
  });

  it('takes other thresholds for some', () => {
    const settings = { LicenseFeatureSaturated: { overrides: [{ feature: 'base', raise: 1, clear: 1 }] } };
    expect(of(99, 100, settings).findings).toEqual([]);
    expect(of(100, 100, settings).labels).toEqual([about]);
  });
});

describe('LicenseRequestsQueued', () => {
  const id = 'LicenseRequestsQueued/warning';
  const of = (maxQueued: number | undefined, settings: unknown = {}) =>
    evaluate(id, { features: { [LIC]: good(answer([feature({ maxQueued })])) } }, { settings });

  it('is about more requests than allowed', () => {
    expect([0, 1].map((queued) => of(queued).findings.length)).toEqual([0, 1]);
    const settings = { LicenseRequestsQueued: { above: 3 } };
    expect([3, 4].map((queued) => of(queued, settings).findings.length)).toEqual([0, 1]);
    expect(of(2).findings[0]?.annotations.summary).toBe('2 requests wait for base 1.0 of lic01;cdslmd.');
    expect(of(2).findings[0]?.annotations.description).toMatch(/^6 of 10 licenses are in use\. Users are waiting/);
    const { isUnknown, labels } = of(undefined);
    expect([labels, isUnknown({ ...of(1).labels[0] })]).toEqual([[], true]);
  });
});

describe('LicenseDenials', () => {
  const id = 'LicenseDenials/warning';
  const about = {
    alertname: 'LicenseDenials',
    severity: 'warning',
    vendor_license: LIC,
    feature: 'base',
    feature_type: 'feature',
  };
  const of = (denials: number, age: number, readAt = NOW, settings: unknown = {}) => {
    const part = historyPart({ product: LIC, feature: 'base', package: '', featureType: 'feature' });
    const history: Snapshot['endpoints']['GetHistory'] = {
      interval: 3600,
      maxAge: 10_800,
      parts: new Map([[part, good([trendOf('Denials', [[(NOW - age) * 1000, denials]])], readAt)]]),
    };
    return evaluate(id, { history }, { settings });
  };

  it('is about a day of late', () => {
    expect(of(3, DAY).labels).toEqual([about]);
    expect(of(3, DAY).findings[0]?.annotations.summary).toBe(
      '3 requests for base of lic01;cdslmd were denied on Thursday 2027-01-14.',
    );
    expect([of(0, DAY), of(3, 2 * DAY), of(3, 2 * DAY - 1)].map(({ labels }) => labels.length)).toEqual([0, 0, 1]);
    expect(of(0, DAY).isUnknown(about)).toBe(false);
  });

  const told = (rule: string, given: Pick<DeniedFeature, 'denials' | 'waited' | 'day'>, now = NOW) => {
    const denied = [{ vendorLicense: LIC, feature: 'base', package: '', featureType: 'feature', ...given }];
    return evaluate(rule, {}, { denied, now }).findings[0]?.annotations;
  };

  it.each([
    ['today', 1, NOW, '1 request for base of lic01;cdslmd was denied today (Friday 2027-01-15).'],
    ['yesterday', 1200, NOW, '1,200 requests for base of lic01;cdslmd were denied yesterday (Thursday 2027-01-14).'],
    // 0:30 of a Monday, after a Sunday of 23 hours
    [
      'yesterday',
      2,
      Date.UTC(2027, 2, 28, 22, 30) / 1000,
      '2 requests for base of lic01;cdslmd were denied yesterday (Sunday 2027-03-28).',
    ],
  ] as const)('says on which day, where denials are recorded: %s, %i', (day, count, now, summary) => {
    expect(told(count < 3 ? 'LicenseDenials/info' : id, { denials: count, waited: undefined, day }, now)?.summary).toBe(
      summary,
    );
  });

  it('speaks of people and minutes where people are known', () => {
    const ended = (people: number, seconds: number): EndedWaits => ({
      cause: 'all_busy',
      ended: 'got',
      episodes: people,
      people,
      seconds,
    });
    const now: readonly WaitingPeople[] = [
      { cause: 'free_elsewhere', people: 2, fresh: 1, since: NOW - 60, seconds: 100 },
    ];
    const elsewhere = { vendorLicense: 'lic02;cdslmd', licenses: 3 };
    const many = { denials: 989, waited: waitedPeople([ended(3, 5480)], now, elsewhere), day: 'today' } as const;
    expect(told(id, many)).toMatchObject({
      summary:
        '4 people waited 93 min for base of lic01;cdslmd today (Friday 2027-01-15); 3 licenses were free on lic02;cdslmd.',
      figure: '4 people waited today',
    });
    expect(told(id, many)?.description).toContain(
      'All busy: 91 min, free on another vendor license: 2 min. 2 people wait now.',
    );
    // requests that are repeated are one person
    const one = { denials: 52, waited: waitedPeople([ended(1, 40)], []), day: 'yesterday' } as const;
    expect(told(id, one)).toBeUndefined();
    expect(told('LicenseDenials/info', one)).toMatchObject({
      summary: '1 person waited less than 1 min for base of lic01;cdslmd yesterday (Thursday 2027-01-14).',
      figure: '1 person waited yesterday',
    });
    // each of them got a license at once
    const nobody = { denials: 9, waited: waitedPeople([], []), day: 'today' } as const;
    expect([told(id, nobody), told('LicenseDenials/info', nobody)]).toEqual([undefined, undefined]);
  });

  it('is over where it is switched off', () => {
    const off = of(3, DAY, NOW, { LicenseDenials: { overrides: [{ feature: 'base', enabled: false }] } });
    expect([off.labels, off.isUnknown(about)]).toEqual([[], false]);
  });

  it('does not know without a fresh answer', () => {
    const aged = of(3, DAY, NOW - 10_801);
    expect([aged.labels, aged.isUnknown(about), aged.hasNoData]).toEqual([[], true, true]);
  });
});

describe('the way to the analyzer', () => {
  const fresh = good(answer([]));
  const filled = good(answer([expiration()]));
  const lost = failed<Answer<ReturnType<typeof expiration>>>();
  const unreachable = (parts: Parameters<typeof evaluate>[1]) => evaluate('LicenseAnalyzerUnreachable/critical', parts);

  it('LicenseAnalyzerUnreachable: an endpoint gave no good answer', () => {
    const { labels, findings } = unreachable({ down: failed(), expirations: { a: lost, b: filled } });
    expect(labels).toEqual([{ alertname: 'LicenseAnalyzerUnreachable', severity: 'critical' }]);
    expect(findings[0]?.annotations.description).toContain('No good answer from GetServerDown.');
    const well = unreachable({ down: fresh, expirations: { a: lost, b: filled } });
    expect([well.labels, well.isUnknown({})]).toEqual([[], false]);
    expect(unreachable({}).isUnknown({})).toBe(true);
  });

  it('LicensePollPartial: a part failed, but every endpoint gave some good answer', () => {
    const partial = (parts: Parameters<typeof evaluate>[1]) => evaluate('LicensePollPartial/warning', parts).labels;
    const some = { a: lost, b: filled };
    expect(partial({ down: fresh, expirations: some })).toEqual([
      { alertname: 'LicensePollPartial', severity: 'warning', endpoint: 'GetExpirationFeatures' },
    ]);
    expect(partial({ down: failed(), expirations: some })).toEqual([]);
    const incomplete = good(answer([product()], { bad_record: 1 }));
    expect(partial({ down: fresh, products: incomplete })).toEqual([
      { alertname: 'LicensePollPartial', severity: 'warning', endpoint: 'GetProducts' },
    ]);
  });

  it('LicenseRecordsDiscarded: more than a share of the records of an endpoint', () => {
    const id = 'LicenseRecordsDiscarded/warning';
    const records = Array.from({ length: 9 }, () => expiration());
    const about = { alertname: 'LicenseRecordsDiscarded', severity: 'warning', endpoint: 'GetExpirationFeatures' };
    const of = (bad: number, settings = {}) =>
      evaluate(
        id,
        { expirations: { a: good(answer(records, { bad_record: bad, nan: 99 })) }, down: fresh },
        { settings },
      );
    expect(of(1).labels).toEqual([]);
    expect(of(1).isUnknown(about)).toBe(false);
    expect(of(2).labels).toEqual([about]);
    expect(of(2).findings[0]?.annotations.summary).toBe(
      '18.2 % of the records of GetExpirationFeatures are discarded.',
    );
    expect(of(2, { LicenseRecordsDiscarded: { share: 0.2 } }).labels).toEqual([]);
  });

  it('LicenseRecordsDiscarded: goes on while the endpoint fails, and does not know what was never read', () => {
    const id = 'LicenseRecordsDiscarded/warning';
    const about = { alertname: 'LicenseRecordsDiscarded', severity: 'warning', endpoint: 'GetServerDown' };
    const last = { at: NOW - 900, value: answer([{ label: LIC }], { bad_record: 1 }) };
    expect(evaluate(id, { down: failed(last) }).labels).toEqual([about]);
    const never = evaluate(id, { down: failed() });
    expect([never.labels, never.isUnknown(about)]).toEqual([[], true]);
    const empty = evaluate(id, { down: fresh });
    expect([empty.labels, empty.isUnknown(about)]).toEqual([[], false]);
  });

  it('concludes nothing before every endpoint has been tried', () => {
    const { endpoints } = createSnapshot({ down: fresh, expirations: { a: lost, b: filled } });
    const untried = { interval: 60, maxAge: 300, parts: new Map() };
    const view = viewOf({ at: NOW, endpoints: { ...endpoints, GetProducts: untried } });
    for (const id of [
      'LicenseAnalyzerUnreachable/critical',
      'LicensePollPartial/warning',
      'LicenseRecordsDiscarded/warning',
    ]) {
      const { findings, isUnknown, hasNoData } = evaluateRule(ruleOf(id), view);
      expect([id, findings, isUnknown({ endpoint: 'GetProducts' }), hasNoData]).toEqual([id, [], true, true]);
    }
  });

  it('LicenseAnalyzerUnreachable is explained by a rejected logon', () => {
    const id = 'LicenseAnalyzerUnreachable/critical';
    const of = (authenticated: boolean) => evaluate(id, { products: failed() }, { authenticated });
    expect([of(true).labels.length, of(false).labels.length]).toEqual([1, 0]);
    expect(of(false).isUnknown({})).toBe(false);
  });

  it('LicenseProductsEmpty: a good answer without vendor licenses', () => {
    const id = 'LicenseProductsEmpty/critical';
    const of = (products: Scenario['products']) => {
      const { labels, isUnknown, hasNoData } = evaluate(id, products === undefined ? {} : { products });
      return [labels.length, isUnknown({}), hasNoData];
    };
    expect(of(good(answer([])))).toEqual([1, false, false]);
    expect(of(good(answer([product()])))).toEqual([0, false, false]);
    expect(of(failed({ at: NOW - 100, value: answer([]) }))).toEqual([0, true, true]);
    expect(of(undefined)).toEqual([0, true, true]);
  });

  it('LicenseAnalyzerAuthFailing: the last logon was rejected', () => {
    const rule = ruleOf('LicenseAnalyzerAuthFailing/critical');
    const of = (authenticated: boolean | undefined) =>
      evaluateRule(rule, viewOf(createSnapshot({}), NOW, authenticated));
    expect(of(false).findings.map(({ labels }) => labels)).toEqual([
      { alertname: 'LicenseAnalyzerAuthFailing', severity: 'critical' },
    ]);
    expect([of(true).findings, of(true).isUnknown({})]).toEqual([[], false]);
    const unknown = evaluateRule(rule, { ...viewOf(createSnapshot({})), authenticated: undefined });
    expect([unknown.findings, unknown.isUnknown({}), unknown.hasNoData]).toEqual([[], true, true]);
  });
});

describe('durations for people', () => {
  it.each([
    [0, '0s'],
    [59.9, '59s'],
    [60, '1m'],
    [3661, '1h 1m'],
    [DAY - 1, '23h 59m'],
    [30 * DAY, '30d'],
    [DAY + 59, '1d'],
  ])('%d s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});

describe('what is missing', () => {
  const down = good(answer([]));
  const products = good(answer([product()]));
  const withNumber = (maxAvailable: number, ...more: readonly string[]): Scenario => ({
    products,
    down,
    features: { '': good(answer([feature({ maxAvailable }), ...more.map((name) => feature({ feature: name }))])) },
  });

  it.each([
    [{}, 95, [LIC]],
    [{}, 96, []],
    [{ ratio: 0.04 }, 96, [LIC]],
    [{ ratio: 0, licenses: 2 }, 98, [LIC]],
    [{ ratio: 0, licenses: 2 }, 99, []],
    [{ overrides: [{ vendor_license: '^lic01', enabled: false }] }, 50, []],
    [{ overrides: [{ feature: '^base$', ratio: 0.5 }] }, 51, []],
    [{ overrides: [{ feature: '^base$', ratio: 0.5 }] }, 50, [LIC]],
  ])('LicenseCapacityDropped with %j, from 100 to %i licenses', (settings, licenses, expected) => {
    const { labels } = evaluate('LicenseCapacityDropped/warning', withNumber(licenses), {
      before: withNumber(100),
      settings: { LicenseCapacityDropped: settings },
    });
    expect(labels.map(({ vendor_license }) => vendor_license)).toEqual(expected);
  });

  it.each([
    [{}, ['gone']],
    [{ overrides: [{ feature: '^gone$', enabled: false }] }, []],
  ])('LicenseFeatureVanished with %j', (settings, expected) => {
    const { labels, findings } = evaluate('LicenseFeatureVanished/warning', withNumber(100), {
      before: withNumber(100, 'gone'),
      settings: { LicenseFeatureVanished: settings },
    });
    expect(labels.map(({ feature: name }) => name)).toEqual(expected);
    if (expected.length === 0) return;
    expect(findings[0]?.annotations).toEqual({
      summary: 'The analyzer no longer lists feature gone of lic01;cdslmd.',
      description:
        'It was missed first on Friday 2027-01-15 09:00 CET. The alert ends when it is back, or 1d after that time. Programs that need such a feature may not start. First step: Compare the license file with that of the day before. If they were removed on purpose, add them to alerting.ignore.',
    });
  });

  it('LicenseVendorLicenseVanished has its own time', () => {
    const before = { products: good(answer([product(), product({ product: 'lic02;mgcld' })])), down };
    const settings = {
      LicenseVendorLicenseVanished: { within: '2d', overrides: [{ vendor_license: 'lic02', within: '3h' }] },
    };
    const { findings } = evaluate('LicenseVendorLicenseVanished/warning', { products, down }, { before, settings });
    expect(findings[0]?.annotations.description).toContain('or 3h after that time');
  });
});

describe('the exporter itself', () => {
  it.each([
    [true, 1, false],
    [false, 0, false],
    [undefined, 0, true],
  ])('LicenseExporterSeriesLimit, limited: %s', (isSeriesLimited, count, isUnknown) => {
    const found = evaluate('LicenseExporterSeriesLimit/warning', {}, { isSeriesLimited });
    expect([found.labels.length, found.isUnknown({}), found.hasNoData]).toEqual([count, isUnknown, isUnknown]);
  });

  it.each([true, false])('LicenseExporterConfigReloadFailed, refused: %s', (isReloadRefused) => {
    const found = evaluate('LicenseExporterConfigReloadFailed/warning', {}, { isReloadRefused });
    expect([found.labels.length, found.isUnknown({})]).toEqual([Number(isReloadRefused), false]);
  });
});
