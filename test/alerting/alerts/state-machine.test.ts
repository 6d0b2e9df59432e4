import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertState, type AlertStates, fingerprint, type Labels } from '../../../src/alerting/alerts/alert.ts';
import type { Evaluation, Rule } from '../../../src/alerting/alerts/rule.ts';
import { restoreSaved } from '../../../src/alerting/alerts/state-file.ts';
import { step } from '../../../src/alerting/alerts/state-machine.ts';
import { isLong } from '../../support/extent.ts';

/** The condition of one subject. */
type Condition = 'raised' | 'not cleared' | 'false' | 'unknown';

const labelsOf = (subject: string): Labels => ({
  alertname: 'LicenseServerDown',
  severity: 'critical',
  vendor_license: subject,
});

const createRule = (pendingFor: number, keepFiringFor: number): Rule => ({
  id: 'rule',
  name: 'LicenseServerDown',
  severity: 'critical',
  parameters: { enabled: true, for: pendingFor, keepFiringFor },
  subject: 'vendor_license',
  threshold: undefined,
  grouping: undefined,
  longestFor: pendingFor,
  durations: () => ({ enabled: true, for: pendingFor, keepFiringFor }),
  thresholdOf: () => undefined,
  endsAfter: () => Number.POSITIVE_INFINITY,
  evaluate: () => {
    throw new Error('unreachable: evaluations are given');
  },
});

const evaluationOf = (conditions: Readonly<Record<string, Condition>>): Evaluation => ({
  findings: Object.entries(conditions)
    .filter(([, condition]) => condition === 'raised' || condition === 'not cleared')
    .map(([subject, condition]) => ({
      labels: labelsOf(subject),
      annotations: { summary: `${condition}` },
      value: 1,
      isRaised: condition === 'raised',
    })),
  isUnknown: ({ vendor_license: subject = '' }) => conditions[subject] === 'unknown',
  unknownAbout: new Set(Object.keys(conditions).filter((subject) => conditions[subject] === 'unknown')),
  hasNoData: false,
});

const options = { unknownHold: 3600, resolvedRetention: 900, address: (labels: Labels) => labels };

/** Runs evaluations of one subject, a minute apart, and gives the state after each. */
function run(
  conditions: readonly Condition[],
  pendingFor: number,
  keepFiringFor: number,
  more: Partial<typeof options> = {},
) {
  const rule = createRule(pendingFor, keepFiringFor);
  let states: AlertStates = new Map();
  return conditions.map((condition, minute) => {
    const evaluated = [{ rule, evaluation: evaluationOf({ a: condition }) }];
    states = step(states, evaluated, minute * 60, { ...options, ...more }).states;
    return [...states.values()][0]?.state ?? 'inactive';
  });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('an alert', () => {
  it('is pending until its condition has held for long enough, then fires, and is resolved', () => {
    expect(run(['raised', 'raised', 'raised', 'false', 'false'], 120, 0)).toEqual([
      'pending',
      'pending',
      'firing',
      'resolved',
      'resolved',
    ]);
  });

  it('fires at once without a time to wait', () => {
    expect(run(['raised', 'false'], 0, 0)).toEqual(['firing', 'resolved']);
  });

  it('starts again when the condition ends while it is pending', () => {
    expect(run(['raised', 'raised', 'false', 'raised', 'raised', 'raised'], 120, 0)).toEqual([
      'pending',
      'pending',
      'inactive',
      'pending',
      'pending',
      'firing',
    ]);
  });

  it('that moves from one severity to another has waited already', () => {
    const critical = createRule(120, 0);
    const warning: Rule = { ...critical, id: 'warning', severity: 'warning' };
    const none = evaluationOf({});
    let states: AlertStates = new Map();
    /** As a license that has expired: a warning while nobody uses it. */
    const see = (severity: 'critical' | 'warning', minute: number): readonly string[] => {
      const { findings } = evaluationOf({ a: 'raised' });
      const found = { ...none, findings: findings.map((each) => ({ ...each, labels: { ...each.labels, severity } })) };
      const evaluated = [critical, warning].map((rule) => ({
        rule,
        evaluation: rule.severity === severity ? found : none,
      }));
      ({ states } = step(states, evaluated, minute * 60, options));
      return [...states.values()].map(({ labels, state }) => `${labels.severity} ${state}`);
    };
    expect(see('warning', 0)).toEqual(['warning pending']);
    expect(see('critical', 1)).toEqual(['critical pending']);
    expect(see('warning', 2)).toEqual(['warning firing']);
    // one that is sent as a warning has to be critical for as long before it is sent again
    expect(see('critical', 3)).toContain('critical pending');
  });

  it('is kept firing, and goes on when the condition is back in time', () => {
    expect(run(['raised', 'false', 'false', 'raised', 'false', 'false', 'false'], 0, 120)).toEqual([
      'firing',
      'firing',
      'firing',
      'firing',
      'firing',
      'firing',
      'resolved',
    ]);
  });

  it('neither begins nor ends between the threshold that raises and the one that clears', () => {
    expect(run(['not cleared', 'raised', 'not cleared', 'not cleared', 'false'], 0, 0)).toEqual([
      'inactive',
      'firing',
      'firing',
      'firing',
      'resolved',
    ]);
    expect(run(['raised', 'not cleared', 'raised'], 60, 0)).toEqual(['pending', 'inactive', 'pending']);
  });

  it('is held while its condition is unknown', () => {
    // two known minutes are needed; the unknown ones count for neither side
    expect(run(['raised', 'unknown', 'unknown', 'raised', 'raised', 'raised'], 120, 0)).toEqual([
      'pending',
      'pending',
      'pending',
      'pending',
      'pending',
      'firing',
    ]);
    expect(run(['raised', ...times<Condition>(30, 'unknown'), 'raised', 'false'], 0, 0).slice(-3)).toEqual([
      'firing',
      'firing',
      'resolved',
    ]);
    // kept for two minutes, of which one was before the unknown ones
    expect(run(['raised', 'false', 'false', 'unknown', 'unknown', 'false', 'false'], 0, 180)).toEqual(
      times(7, 'firing'),
    );
  });

  it('lapses after an hour in which its condition is unknown', () => {
    const states = run(['raised', ...times<Condition>(62, 'unknown')], 0, 0);
    expect(states.indexOf('inactive')).toBe(61);
    expect(states).not.toContain('resolved');
  });

  it('is kept as resolved for 15 minutes, or dropped at once with resolve: expire', () => {
    const states = run(['raised', ...times<Condition>(17, 'false')], 0, 0);
    expect(states.lastIndexOf('resolved')).toBe(15);
    expect(run(['raised', 'false'], 0, 0, { resolvedRetention: 0 })).toEqual(['firing', 'inactive']);
  });

  it('after its end neither starts again nor is dropped while its condition is only not cleared', () => {
    expect(run(['raised', 'false', 'not cleared', 'not cleared'], 0, 0)).toEqual([
      'firing',
      'resolved',
      'resolved',
      'resolved',
    ]);
  });

  it('that comes back after its end is a new one', () => {
    const rule = createRule(0, 0);
    let states: AlertStates = new Map();
    const at = (now: number, condition: Condition) => {
      states = step(states, [{ rule, evaluation: evaluationOf({ a: condition }) }], now, options).states;
      return [...states.values()][0];
    };
    expect(at(0, 'raised')?.firedAt).toBe(0);
    expect(at(60, 'false')?.resolvedAt).toBe(60);
    expect(at(120, 'raised')).toMatchObject({ state: 'firing', firedAt: 120 });
    expect(at(120, 'raised')?.resolvedAt).toBeUndefined();
  });

  it('is sent as resolved until every Alertmanager has accepted something since', () => {
    const rule = createRule(0, 0);
    const at = (before: AlertStates, now: number, condition: Condition, deliveredAt?: number) => {
      const evaluated = [{ rule, evaluation: evaluationOf({ a: condition }) }];
      return step(before, evaluated, now, { ...options, ...(deliveredAt !== undefined && { deliveredAt }) }).states;
    };
    const resolved = at(at(new Map(), 0, 'raised'), 60, 'false');
    expect(at(resolved, 959, 'false', 900).size).toBe(1);
    expect(at(resolved, 960, 'false', 900).size).toBe(0);
    expect(at(resolved, 960, 'false').size).toBe(0);
    expect(at(resolved, 960, 'false', 60).size).toBe(1);
    // by then, Alertmanager has resolved it by itself
    expect(at(resolved, 60 + 900 + 3600, 'false', 60).size).toBe(0);
  });

  it('that another threshold ends says so, also if it is kept for some time', () => {
    const ruleWith = (value: number): Rule => ({
      ...createRule(0, 120),
      thresholdOf: () => ({ value, text: `${value} requests` }),
    });
    const see = (before: AlertStates, now: number, condition: Condition, rule: Rule) =>
      step(before, [{ rule, evaluation: evaluationOf({ a: condition }) }], now, options).states;
    const firing = see(new Map(), 0, 'raised', ruleWith(0));
    const endings = (rule: Rule) =>
      [60, 180]
        .reduce((states, now) => see(states, now, 'false', rule), firing)
        .values()
        .toArray();
    expect(endings(ruleWith(5))).toMatchObject([
      { state: 'resolved', ending: 'the threshold was changed to 5 requests' },
    ]);
    expect(endings(ruleWith(0))).toMatchObject([{ state: 'resolved', ending: undefined }]);
    // what is met under the new one too has it from then on
    const met = see(firing, 60, 'raised', ruleWith(5));
    expect([...see(see(met, 120, 'false', ruleWith(5)), 240, 'false', ruleWith(5)).values()]).toMatchObject([
      { state: 'resolved', ending: undefined },
    ]);
  });

  it('that ends after some time, although it is not over, says so', () => {
    const rule: Rule = { ...createRule(0, 0), endsAfter: () => 3600 };
    const see = (before: AlertStates, now: number, value: number | undefined) => {
      const { findings, ...evaluation } = evaluationOf({ a: value === undefined ? 'false' : 'raised' });
      const found = findings.map((finding) => ({ ...finding, value: value ?? 0 }));
      return step(before, [{ rule, evaluation: { ...evaluation, findings: found } }], now, options).states;
    };
    const endOf = (value: number) => [...see(see(new Map(), 0, value), 60, undefined).values()][0]?.ending;
    expect([endOf(3590), endOf(1200)]).toEqual(['no longer reported after 1h', undefined]);
  });

  it('of a rule that no longer exists is resolved', () => {
    const rule = createRule(0, 0);
    const { states } = step(new Map(), [{ rule, evaluation: evaluationOf({ a: 'raised' }) }], 0, options);
    const after = step(states, [], 60, options);
    expect([...after.states.values()]).toMatchObject([{ state: 'resolved', resolvedAt: 60 }]);
    expect(after.transitions).toEqual([{ labels: labelsOf('a'), to: 'resolved' }]);
    const later = step(after.states, [], 960, options);
    expect([[...later.states], later.transitions]).toEqual([[], []]);
    // two daemons side by side: the other one may still have the rule
    const expired = step(states, [], 60, { ...options, resolvedRetention: 0 });
    expect([...expired.states]).toEqual([]);
    const pending = step(
      new Map(),
      [{ rule: createRule(60, 0), evaluation: evaluationOf({ a: 'raised' }) }],
      0,
      options,
    );
    expect(step(pending.states, [], 60, options)).toMatchObject({
      states: new Map(),
      transitions: [{ to: 'inactive' }],
    });
  });
});

/** Some evaluations, each some time later (a clock may be set back), of which the first may come after a restart. */
const eventArbitrary = fc.record({
  evaluations: fc.integer({ min: 1, max: 20 }),
  seconds: fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 0, max: 400 }) }, fc.integer({ min: -900, max: 5000 })),
  isFirstRestarted: fc.boolean(),
  conditions: fc.record({
    a: fc.constantFrom<Condition>('raised', 'not cleared', 'false', 'unknown'),
    b: fc.constantFrom<Condition>('raised', 'raised', 'unknown', 'false'),
  }),
});

/** What is known of a subject from the events alone. Seconds. */
interface Account {
  /** For how long the condition has been known to hold without a break. */
  held: number;
  /** For how long it has been known not to hold since. */
  cleared: number;
  /** Since when nothing is known, by the clock. */
  unknownSince: number | undefined;
  last: Condition | undefined;
}

describe('in any sequence of evaluations', () => {
  it('an alert does not fire too early, is not resolved for lack of data or too early, and never changes', () => {
    /** So that the property means something. */
    const seen = { fired: 0, resolved: 0, lapsed: 0, restarted: 0 };
    fc.assert(
      fc.property(
        fc.array(eventArbitrary, { maxLength: 12 }),
        fc.constantFrom(0, 120, 600),
        fc.constantFrom(0, 300),
        (phases, pendingFor, keepFiringFor) => {
          const rule = createRule(pendingFor, keepFiringFor);
          const accounts = new Map<string, Account>();
          let states: AlertStates = new Map();
          let now = 1_000_000;
          const events = phases.flatMap(({ evaluations, isFirstRestarted, ...event }) =>
            Array.from({ length: evaluations }, (_, i) => ({ ...event, isRestarted: isFirstRestarted && i === 0 })),
          );
          for (const { seconds, isRestarted, conditions } of events) {
            now += seconds;
            const before: AlertStates = states;
            if (isRestarted) {
              // as it comes out of a file
              const kept = JSON.parse(JSON.stringify([...states.values()])) as AlertState[];
              states = new Map(restoreSaved(kept, now).map((alert) => [fingerprint(alert.labels), alert]));
              seen.restarted += states.size;
            }
            for (const [subject, condition] of Object.entries(conditions)) {
              const account = accounts.get(subject) ?? {
                held: 0,
                cleared: 0,
                unknownSince: undefined,
                last: undefined,
              };
              accounts.set(subject, account);
              const isContinuous = account.last === condition && !isRestarted;
              if (condition === 'raised') {
                account.held += isContinuous ? seconds : 0;
                account.cleared = 0;
              } else if (condition === 'false') {
                account.cleared += isContinuous ? seconds : 0;
                account.held = 0;
              } else if (condition === 'not cleared') account.held = account.cleared = 0;
              if (condition !== 'unknown') account.unknownSince = undefined;
              else account.unknownSince ??= now;
              if (isRestarted && condition === 'unknown') account.unknownSince = now;
              account.last = condition;
            }
            const result = step(states, [{ rule, evaluation: evaluationOf(conditions) }], now, options);
            states = result.states;
            for (const { labels, to } of result.transitions) {
              const { held = 0, cleared = 0, unknownSince, last } = accounts.get(labels.vendor_license ?? '') ?? {};
              if (to === 'firing') {
                seen.fired += 1;
                expect(last).toBe('raised');
                expect(held).toBeGreaterThanOrEqual(pendingFor);
              }
              if (to === 'resolved') {
                seen.resolved += 1;
                expect(last).toBe('false');
                expect(cleared).toBeGreaterThanOrEqual(keepFiringFor);
              }
              if (to === 'lapsed') {
                seen.lapsed += 1;
                expect(last).toBe('unknown');
                expect(now - (unknownSince ?? now)).toBeGreaterThanOrEqual(options.unknownHold);
                // a new alert would start
                accounts.delete(labels.vendor_license ?? '');
              }
            }
            for (const [key, alert] of states) {
              expect(fingerprint(alert.labels)).toBe(key);
              const earlier = before.get(key);
              if (earlier?.state === 'firing' && alert.state === 'firing') expect(alert.firedAt).toBe(earlier.firedAt);
            }
          }
        },
      ),
      { numRuns: isLong ? 20_000 : 500 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
  });
});
