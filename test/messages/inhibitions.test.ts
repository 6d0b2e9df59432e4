import { describe, expect, it } from 'vitest';
import type { Labels } from '../../src/alerts/alert.ts';
import { createRules } from '../../src/alerts/rules.ts';
import { createInhibitor, inhibitions } from '../../src/messages/inhibitions.ts';
import { identityLabels } from '../../src/model/alert-labels.ts';
import { settingsOf } from '../support/alert-views.ts';
import { example } from '../support/example-alertmanager.ts';

/** The inhibitions of messages are those of the example for Alertmanager. */

const kinds = createRules(settingsOf()).map(({ name, severity }) => ({ alertname: name, severity }));

/** A matcher such as `alertname=~"A|B"`. */
function matches(matcher: string, labels: Labels): boolean {
  const [, name = '', operator, value = ''] = /^(\w+)(=~|=)"(.*)"$/.exec(matcher) ?? [];
  const actual = labels[name] ?? '';
  return operator === '=' ? actual === value : new RegExp(`^(?:${value})$`).test(actual);
}

/** Which kind of alert inhibits which other kind, and with which labels. */
const expected = new Set(
  example.inhibit_rules.flatMap(({ source_matchers, target_matchers, equal }) =>
    kinds.flatMap((source) =>
      kinds
        .filter((target) => {
          const isCause = source_matchers.every((matcher) => matches(matcher, source));
          const isSame = equal.includes('alertname') && source.alertname !== target.alertname;
          return isCause && !isSame && target_matchers.every((matcher) => matches(matcher, target));
        })
        .map((target) => {
          const labels = equal.filter((name) => !['analyzer', 'shard'].includes(name));
          return JSON.stringify([source, target, labels.sort()]);
        }),
    ),
  ),
);

const ours = new Set(
  inhibitions.flatMap(({ source, target, equal }) =>
    kinds.flatMap((cause) =>
      kinds
        .filter(
          (effect) =>
            [
              [source, cause],
              [target, effect],
            ].every(([selector, kind]) =>
              Object.entries(selector as Record<string, RegExp>).every(([name, expression]) =>
                expression.test((kind as Labels)[name] ?? ''),
              ),
            ) && !(equal.includes('alertname') && cause.alertname !== effect.alertname),
        )
        .map((effect) => JSON.stringify([cause, effect, [...equal].sort()])),
    ),
  ),
);

describe('inhibitions', () => {
  it('are those of deploy/alertmanager/alertmanager.yml, for the alerts of the engine', () => {
    expect(expected.size).toBeGreaterThan(10);
    expect([...ours].sort()).toEqual([...expected].sort());
  });

  it('compare the labels of cause and effect', () => {
    const down = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: 'a;b' };
    const saturated = {
      alertname: 'LicenseFeatureSaturated',
      severity: 'warning',
      vendor_license: 'a;b',
      feature: 'f',
    };
    const isInhibited = createInhibitor([down, saturated]);
    expect(isInhibited(saturated)).toBe(true);
    expect(isInhibited({ ...saturated, vendor_license: 'c;d' })).toBe(false);
    expect(isInhibited(down)).toBe(false);
    expect(createInhibitor([saturated])(saturated)).toBe(false);
  });

  it('compare labels that alerts have', () => {
    expect(
      inhibitions.flatMap(({ equal }) => equal).filter((name) => !identityLabels.some((own) => own === name)),
    ).toEqual([]);
  });
});
