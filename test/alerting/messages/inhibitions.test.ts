import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../src/alerting/alerts/alert.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import { createInhibitor, inhibitions } from '../../../src/alerting/messages/inhibitions.ts';
import { identityLabels } from '../../../src/base/model/alert-labels.ts';
import { settingsOf } from '../../support/alert-views.ts';
import { example } from '../../support/example-alertmanager.ts';

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
  example.inhibit_rules.flatMap(({ source_matchers, target_matchers, equal = [] }) =>
    kinds
      .filter((source) => source_matchers.every((matcher) => matches(matcher, source)))
      .flatMap((source) =>
        kinds
          .filter((target) => target_matchers.every((matcher) => matches(matcher, target)))
          .map((target) => {
            const labels = equal.filter((name) => !['analyzer', 'shard'].includes(name));
            return JSON.stringify([source, target, labels.sort()]);
          }),
      ),
  ),
);

const ours = new Set(
  inhibitions.flatMap(({ source, target, equal }) =>
    kinds
      .filter((cause) => source.alertname.test(cause.alertname))
      .flatMap((cause) =>
        kinds
          .filter((effect) => target.alertname.test(effect.alertname))
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
    };
    const isInhibited = createInhibitor([down, saturated]);
    expect(isInhibited(saturated)).toBe(true);
    expect(isInhibited({ ...saturated, vendor_license: 'c;d' })).toBe(false);
    expect(isInhibited(down)).toBe(false);
    expect(createInhibitor([saturated])(saturated)).toBe(false);
  });

  it('do not hide one day of an expiry, or one severity, because of another one', () => {
    const expiring = (severity: string, expires: string): Labels => ({
      alertname: 'LicenseExpiringSoon',
      severity,
      vendor_license: 'a;b',
      expires,
    });
    const all = [expiring('critical', '2026-12-01'), expiring('warning', '2026-12-20'), expiring('info', '2027-01-20')];
    expect(all.filter(createInhibitor(all))).toEqual([]);
  });

  it('compare labels that alerts have', () => {
    expect(
      inhibitions.flatMap(({ equal }) => equal).filter((name) => !identityLabels.some((own) => own === name)),
    ).toEqual([]);
  });
});
