import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint, type Labels } from '../../../src/alerting/alerts/alert.ts';
import type { Evaluation, Rule } from '../../../src/alerting/alerts/rule.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import type { ExpirationRecord, FeatureRecord, ProductRecord } from '../../../src/base/model/records.ts';
import { evaluateRule, settingsOf, viewOf } from '../../support/alert-views.ts';
import { isLong } from '../../support/extent.ts';
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
import { examples, historyOf } from './examples.ts';

/** A value that the source cannot know fires nothing, and resolves nothing: absent is not 0. */

const DAY = 86_400;

const rulesOf = (settings: unknown): readonly Rule[] => createRules(settingsOf(settings));

type Condition = 'raised' | 'not cleared' | 'false' | 'unknown';

function conditionOf({ findings, isUnknown }: Evaluation, labels: Labels): Condition {
  const finding = findings.find((candidate) => fingerprint(candidate.labels) === fingerprint(labels));
  if (finding !== undefined) return finding.isRaised ? 'raised' : 'not cleared';
  return isUnknown(labels) ? 'unknown' : 'false';
}

describe('every rule', () => {
  it('about features has no data where no feature has the value that it needs', () => {
    const needed: Readonly<Record<string, Partial<FeatureRecord>>> = {
      LicenseFeatureSaturated: { inUse: undefined },
      LicenseRequestsQueued: { maxQueued: undefined },
      LicenseExpired: { licenseExpiration: undefined },
      LicenseExpiringSoon: { licenseExpiration: undefined },
    };
    for (const [name, nothing] of Object.entries(needed)) {
      const evaluations = (...features: readonly FeatureRecord[]) => {
        const view = viewOf(
          createSnapshot({ products: good(answer([product()])), features: { '': good(answer(features)) } }),
          NOW,
          true,
        );
        return rulesOf({})
          .filter((rule) => rule.name === name)
          .map((rule) => evaluateRule(rule, view).hasNoData);
      };
      const unknown = [feature(nothing), feature({ ...nothing, feature: 'b' })];
      expect([name, new Set(evaluations(...unknown))]).toEqual([name, new Set([true])]);
      expect([name, new Set(evaluations(...unknown, feature({ feature: 'c' })))]).toEqual([name, new Set([false])]);
    }
  });

  it.each(['LicenseFeatureSaturated', 'LicenseRequestsQueued'])(
    '%s has no data where the only other features are not reported, only their expiry is known',
    (name) => {
      const unknown = feature({ inUse: undefined, maxQueued: undefined });
      const hasNoData = (...features: readonly FeatureRecord[]) => {
        const snapshot = createSnapshot({
          products: good(answer([product()])),
          features: { '': good(answer(features)) },
          expirations: { 'lic01;cdslmd': good(answer([expiration({ feature: 'expiry only' })])) },
        });
        const view = viewOf(snapshot, NOW, true);
        expect(view.inventory.features.length).toBe(features.length + 1);
        const rules = rulesOf({}).filter((rule) => rule.name === name);
        return new Set(rules.map((rule) => evaluateRule(rule, view).hasNoData));
      };
      expect(hasNoData(unknown)).toEqual(new Set([true]));
      expect(hasNoData(unknown, feature({ feature: 'known' }))).toEqual(new Set([false]));
    },
  );

  it.each(Object.entries(examples))('%s fires on its example, and knows nothing without data', (name, example) => {
    const { scenario, settings, authenticated, sources, recording, forecasts, ...more } = example;
    const rules = rulesOf(settings).filter((rule) => rule.name === name);
    const view = viewOf(createSnapshot(scenario), NOW, authenticated ?? true, {
      sources,
      recording,
      forecasts,
      ...more,
    });
    const firing = rules.filter((rule) => evaluateRule(rule, view).findings.length > 0);
    // a site has one of the severities of a full pool, and its feature one of those of denials
    expect(firing.length).toBe(['LicenseFeatureSaturated', 'LicenseDenials'].includes(name) ? 1 : rules.length);
    for (const rule of firing) {
      const [finding] = evaluateRule(rule, view).findings;
      expect({ id: rule.id, isRaised: finding?.isRaised }).toEqual({ id: rule.id, isRaised: true });
      expect(finding?.labels).toMatchObject({ alertname: name, severity: rule.severity });
      const lost = viewOf(
        createSnapshot({
          products: failed(),
          down: failed(),
          features: { '': failed() },
          expirations: { 'lic01;cdslmd': failed() },
        }),
        NOW,
        true,
        {
          sources: sources?.map((source) => ({ ...source, failedReadings: undefined })),
          recording: recording && {
            ...recording,
            lastRecordedAt: undefined,
            since: NOW,
            archive: recording.archive && { ...recording.archive, problem: undefined, lastSuccessAt: undefined },
          },
          forecasts,
          before: more.before,
          isSeriesLimited: undefined,
          isReloadRefused: more.isReloadRefused === true,
        },
      );
      const condition = conditionOf(evaluateRule(rule, { ...lost, authenticated: undefined }), finding?.labels ?? {});
      const isAlwaysKnown: Readonly<Record<string, Condition>> = {
        // that the polls fail is known, and what the exporter itself did
        LicenseAnalyzerUnreachable: 'raised',
        LicensePollPartial: 'false',
        LicenseExporterConfigReloadFailed: 'raised',
      };
      const expected = isAlwaysKnown[name] ?? 'unknown';
      expect({ id: rule.id, condition }).toEqual({ id: rule.id, condition: expected });
    }
  });

  it.each(Object.entries(examples))('%s does not resolve when one value of its example is unknown', (name, example) => {
    const { scenario, settings, authenticated = true, ...surroundings } = example;
    const evaluate = (rule: Rule, site: Scenario) =>
      evaluateRule(rule, viewOf(createSnapshot(site), NOW, authenticated, surroundings));
    for (const rule of rulesOf(settings).filter((candidate) => candidate.name === name)) {
      const [finding] = evaluate(rule, scenario).findings;
      if (finding === undefined) continue;
      for (const { field, scenario: changed } of withOneUnknownIn(scenario)) {
        // what may be in use is: the critical alert takes over
        if (rule.id === 'LicenseExpired/warning' && field === 'inUse') continue;
        const condition = conditionOf(evaluate(rule, changed), finding?.labels ?? {});
        expect({ id: rule.id, field, isResolved: condition === 'false' }).toEqual({
          id: rule.id,
          field,
          isResolved: false,
        });
      }
    }
  });
});

/** A record with one value made unknown, once for each value that a source may not know. */
function* recordsWithOneUnknown<R extends object>(records: readonly R[]): Generator<readonly [string, readonly R[]]> {
  for (const [i, record] of records.entries()) {
    for (const [field, value] of Object.entries(record)) {
      // texts are names and attributes; whether a record is current decides if its usage is shown at all
      if (value === undefined || typeof value === 'string' || field === 'isCurrent') continue;
      yield [field, records.with(i, { ...record, [field]: undefined })];
    }
  }
}

/** The same of a scenario, in its features and vendor licenses. */
function* withOneUnknownIn(scenario: Scenario): Generator<{ readonly field: string; readonly scenario: Scenario }> {
  const { products, features = {} } = scenario;
  if (products?.ok === true) {
    for (const [field, records] of recordsWithOneUnknown(products.value.records)) {
      yield { field, scenario: { ...scenario, products: good({ ...products.value, records }) } };
    }
  }
  for (const [part, reading] of Object.entries(features)) {
    if (!reading.ok) continue;
    for (const [field, records] of recordsWithOneUnknown(reading.value.records)) {
      yield {
        field,
        scenario: { ...scenario, features: { ...features, [part]: good({ ...reading.value, records }) } },
      };
    }
  }
}

interface Site {
  readonly products: readonly ProductRecord[];
  readonly features: readonly FeatureRecord[];
  readonly expirations: readonly ExpirationRecord[];
  readonly denials: number | undefined;
  readonly isDown: boolean;
}

const viewOfSite = ({ products, features, expirations, denials, isDown }: Site) =>
  viewOf(
    createSnapshot({
      products: good(answer(products)),
      down: good(answer(isDown ? [{ label: 'lic01;cdslmd' }] : [])),
      features: { '': good(answer(features)) },
      expirations: { 'lic01;cdslmd': good(answer(expirations)) },
      history: historyOf(denials),
    }),
  );

/** The site with one value made unknown, once for each value that a source may not know. */
function* withOneUnknown(site: Site): Generator<{ readonly field: string; readonly site: Site }> {
  for (const list of ['products', 'features', 'expirations'] as const) {
    for (const [field, records] of recordsWithOneUnknown<object>(site[list])) {
      yield { field, site: { ...site, [list]: records } };
    }
  }
  yield { field: 'denials', site: { ...site, denials: undefined } };
}

/** How the condition changes of every alert that one of the evaluations may be about. */
function* changes(before: Evaluation, after: Evaluation) {
  const features = ['a', 'b', 'c'].map((name) => ({ feature: name, version: '1.0', feature_type: 'feature' }));
  const possible = [{}, ...features].map((labels) => ({ ...labels, vendor_license: 'lic01;cdslmd' }));
  const found = [...before.findings, ...after.findings].map(({ labels }) => labels);
  for (const labels of [...found, ...possible]) {
    yield { labels, from: conditionOf(before, labels), to: conditionOf(after, labels) };
  }
}

const maybe = <T>(...values: T[]) => fc.constantFrom<T | undefined>(undefined, ...values);
const names = fc.constantFrom('a', 'b', 'c');
const expiries = maybe(NOW - DAY, NOW + DAY, NOW + 20 * DAY, NOW + 90 * DAY, Number.POSITIVE_INFINITY);
const siteArbitrary: fc.Arbitrary<Site> = fc.record({
  products: fc
    .record({ collectionTime: maybe(NOW - 60, NOW - DAY), maxAvailable: maybe(0, 40), isCurrent: maybe(true, false) })
    .map((fields) => [product(fields)]),
  // the same feature twice is merged
  features: fc.array(
    fc
      .record({
        feature: names,
        inUse: maybe(0, 5, 9, 10, 20),
        maxAvailable: maybe(0, 10, 20),
        maxQueued: maybe(0, 3),
        licenseExpiration: expiries,
      })
      .map((fields) => feature(fields)),
    { maxLength: 4 },
  ),
  expirations: fc.array(
    fc.record({ feature: names, licenseExpiration: expiries }).map((fields) => expiration(fields)),
    { maxLength: 2 },
  ),
  denials: maybe(0, 3),
  isDown: fc.boolean(),
});

describe('a license that has expired', () => {
  const endedAt = NOW - DAY / 2;
  const ended = (maxAvailable: number | undefined) =>
    feature({ version: '1', licenseExpiration: endedAt, maxAvailable });
  const next = (maxAvailable: number) => feature({ version: '2', licenseExpiration: NOW + 365 * DAY, maxAvailable });
  const siteOf = (...features: readonly FeatureRecord[]): Scenario => ({
    products: good(answer([product()])),
    down: good(answer([])),
    features: { '': good(answer(features)) },
  });
  const expired = rulesOf({}).filter(({ name }) => name === 'LicenseExpired');
  const descriptionsOf = (scenario: Scenario, before?: Scenario) =>
    expired.flatMap((rule) =>
      evaluateRule(rule, viewOf(createSnapshot(scenario), NOW, true, { before })).findings.map(
        ({ annotations }) => annotations.description,
      ),
    );

  it.each([0, undefined])(
    'is not known to be renewed if its number before is not known, with %s licenses now',
    (now) => {
      const [description, ...others] = descriptionsOf(siteOf(ended(now), next(10)));
      expect(description).toContain(' 10 licenses are renewed, and how many there were is not known. ');
      expect(others).toEqual([]);
      expect(descriptionsOf(siteOf(ended(now), next(10)), siteOf(ended(10)))).toEqual([]);
    },
  );

  it('is renewed by uncounted ones, also if its number was not known', () => {
    expect(descriptionsOf(siteOf(ended(0), next(99_999)))).toEqual([]);
  });
});

describe('on any site', () => {
  it.each([
    ['the defaults', {}],
    [
      'the other settings',
      {
        LicenseServerDown: { icon_pattern: '^ServerDown$' },
        LicenseExpiringSoon: { info: '90d' },
        LicenseFeatureSaturated: { raise: 0.9, clear: 0.51 },
      },
    ],
  ])('a value made unknown fires nothing and resolves nothing, with %s', (_, settings) => {
    const parsed = settingsOf(settings);
    const seen = new Set<string>();
    fc.assert(
      fc.property(siteArbitrary, (site) => {
        const before = createRules(parsed).map((rule) => evaluateRule(rule, viewOfSite(site)));
        for (const { field, site: changed } of withOneUnknown(site)) {
          const view = viewOfSite(changed);
          // others, because rules remember past ratios
          for (const [i, rule] of createRules(parsed).entries()) {
            // an expiry comes from the other endpoint, or another record, where the first does not know it
            const isReplaced = field === 'licenseExpiration' && rule.name.startsWith('LicenseExpir');
            for (const { labels, from, to } of changes(before[i] as Evaluation, evaluateRule(rule, view))) {
              const isKnownElsewhere = isReplaced && !(from === 'unknown' && to === 'false');
              // without anything that says who waits, a full pool is a warning
              const isOtherSeverity = rule.id === 'LicenseFeatureSaturated/warning' && field === 'maxQueued';
              const isAllowed = to === from || to === 'unknown' || isKnownElsewhere || isOtherSeverity;
              if (!isAllowed) expect.fail(JSON.stringify({ id: rule.id, labels, field, from, to }));
              seen.add(`${rule.name} ${field} ${from} ${to}`);
            }
          }
        }
      }),
      { numRuns: isLong ? 600 : 12, seed: 12 },
    );
    for (const change of [
      'LicenseFeatureSaturated inUse raised unknown',
      'LicenseFeatureSaturated maxAvailable raised unknown',
      'LicenseRequestsQueued maxQueued raised unknown',
      'LicenseDenials denials raised unknown',
      'LicenseCollectionStale collectionTime raised unknown',
      'LicenseExpired licenseExpiration raised unknown',
      'LicenseExpiringSoon licenseExpiration raised unknown',
    ]) {
      expect(seen).toContain(change);
    }
  });

  it('a server that is down by its icon stays down while GetProducts is lost', () => {
    const [rule] = rulesOf({ LicenseServerDown: { icon_pattern: '^ServerDown$' } });
    const value = answer([product({ mappingIcon: 'ServerDown' })]);
    const down = good(answer([]));
    const conditions = [good(value), failed({ at: NOW - 4000, value })].map((products) => {
      const evaluation = evaluateRule(rule as Rule, viewOf(createSnapshot({ products, down }))) as Evaluation;
      return conditionOf(evaluation, {
        alertname: 'LicenseServerDown',
        severity: 'critical',
        vendor_license: 'lic01;cdslmd',
      });
    });
    expect(conditions).toEqual(['raised', 'unknown']);
  });
});
