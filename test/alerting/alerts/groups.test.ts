import { describe, expect, it } from 'vitest';
import {
  type AlertState,
  type AlertStates,
  keyOf,
  type Labels,
  labelsKey,
} from '../../../src/alerting/alerts/alert.ts';
import { changesOf, type SentAlerts, shownAlerts, sumUpAlerts } from '../../../src/alerting/alerts/groups.ts';
import { alertOf } from '../../support/alert-page.ts';
import { ruleOf } from '../../support/alert-views.ts';
import { NOW } from '../../support/scenario.ts';

/** What is sent of the alerts of single features. */

const queued = ruleOf('LicenseRequestsQueued/warning');
const soon = (['critical', 'warning'] as const).map((severity) => ruleOf(`LicenseExpiringSoon/${severity}`));
const expired = ruleOf('LicenseExpired/critical');
const rules = [queued, ...soon, expired];

/** The alert of a feature of `lic1;d`. */
function of(rule: (typeof rules)[number], name: string, more: Partial<AlertState> & { labels?: Labels } = {}) {
  const { labels = {}, ...fields } = more;
  const own = { alertname: rule.name, severity: rule.severity, feature: name, version: '1.0', ...labels };
  return alertOf(own, { rule: rule.id, annotations: { summary: `About ${name}.`, figure: `${name}!` }, ...fields });
}

const statesOf = (...alerts: readonly AlertState[]): AlertStates =>
  new Map(alerts.map((alert) => [keyOf(alert), alert]));
const sumUp = (states: AlertStates, before: SentAlerts = new Map()): SentAlerts =>
  sumUpAlerts(states, before, { rules, linksOf: () => ({}) });

describe('alerts of features', () => {
  it('are one of their vendor license and owner, which names the worst first', () => {
    const sent = sumUp(
      statesOf(
        of(queued, 'few', { value: 1 }),
        of(queued, 'many', { value: 9 }),
        of(queued, 'other', { labels: { owner: 'ada' } }),
        of(queued, 'over', { state: 'resolved', resolvedAt: NOW }),
      ),
    );
    const about = { alertname: 'LicenseRequestsQueued', severity: 'warning', vendor_license: 'lic1;d' };
    expect([...sent.values()].map(({ labels, annotations }) => [labels, annotations.summary])).toEqual([
      [about, 'Requests wait for 2 features of lic1;d.'],
      // one says all about itself
      [{ ...about, owner: 'ada' }, 'About other.'],
    ]);
    expect(sent.get(labelsKey(about))?.annotations.features).toBe('many 1.0 (many!), few 1.0 (few!)');
  });

  it('name first what ended or ends first', () => {
    const day = { labels: { expires: '2027-01-20' } };
    const namesOf = (rule: (typeof rules)[number], ...values: readonly number[]) => {
      const alerts = values.map((value, i) => of(rule, `f${i}`, { ...day, value, knownAt: NOW, activeAt: NOW }));
      return [...sumUp(statesOf(...alerts)).values()][0]?.members.map(({ labels }) => labels.feature);
    };
    expect(namesOf(expired, 3600, 86_400, 7200)).toEqual(['f1', 'f2', 'f0']);
    expect(namesOf(soon[0] as typeof expired, 3600, 86_400, 1500)).toEqual(['f2', 'f0', 'f1']);
  });

  it('say when, if all say the same, and who is hit and what to do', () => {
    const expires = '2027-01-18';
    const textOf = (...whens: readonly string[]) => {
      const states = whens.map((when, i) => {
        const alert = of(soon[0] as (typeof rules)[number], `f${i}`, { labels: { expires } });
        return { ...alert, annotations: { ...alert.annotations, when } };
      });
      return [...sumUp(statesOf(...states)).values()][0]?.annotations;
    };
    const left = 'on Monday 2027-01-18, in 3d';
    expect(textOf(left, left)).toEqual({
      features: 'f0 1.0 (f0!), f1 1.0 (f1!)',
      summary: '2 features of lic1;d expire on Monday 2027-01-18, in 3d.',
      description: `f0 1.0 (f0!), f1 1.0 (f1!). ${soon[0]?.grouping?.impact} First step: ${soon[0]?.grouping?.step}`,
      impact: soon[0]?.grouping?.impact,
      step: soon[0]?.grouping?.step,
    });
    expect(textOf(left, 'another')?.summary).toBe('2 features of lic1;d expire on Monday 2027-01-18.');
    expect(textOf(left)).not.toHaveProperty('when');
  });

  it('name ten, and count the others', () => {
    const many = Array.from({ length: 12 }, (_, i) => of(queued, `f${i}`, { value: 100 - i }));
    const [alert] = [...sumUp(statesOf(...many)).values()];
    expect(alert?.annotations.description).toMatch(
      /^f0 1\.0 \(f0!\), .*, f9 1\.0 \(f9!\) and 2 more\. Users are waiting/,
    );
  });

  it('go on as one while one of them does, since the first of them', () => {
    const first = of(queued, 'a', { firedAt: NOW - 600 });
    const second = of(queued, 'b', { firedAt: NOW - 60 });
    const before = sumUp(statesOf(first, second));
    const after = sumUp(statesOf(second), before);
    expect([...after.values()].map(({ state, firedAt }) => [state, firedAt])).toEqual([['firing', NOW - 600]]);
    const over = { state: 'resolved', resolvedAt: NOW } as const;
    const ended = sumUp(statesOf({ ...first, ...over }, { ...second, ...over, resolvedAt: NOW - 5 }), after);
    expect([...ended.values()].map(({ state, resolvedAt }) => [state, resolvedAt])).toEqual([['resolved', NOW]]);
    expect(changesOf(after, ended).map(({ to }) => to)).toEqual(['resolved']);
    expect(changesOf(after, new Map()).map(({ to }) => to)).toEqual(['lapsed']);
  });

  it('show what is pending again, while its end is told', () => {
    const over = of(queued, 'a', { state: 'resolved', resolvedAt: NOW - 60 });
    const pending = of(queued, 'b', { state: 'pending', activeAt: NOW - 10 });
    const sent = sumUp(statesOf(over, pending));
    expect([...sent.values()].map(({ state, members }) => [state, members.length])).toEqual([['resolved', 1]]);
    const shown = shownAlerts(sent).map(({ state, activeAt, annotations }) => [state, activeAt, annotations.features]);
    expect(shown).toEqual([['pending', NOW - 10, 'b 1.0 (b!)']]);
    expect(shownAlerts(sumUp(statesOf(over))).map(({ state }) => state)).toEqual(['resolved']);
  });

  it('are not known only if none of them is', () => {
    const lost = of(queued, 'a', { unknownSince: NOW - 50 });
    const unknownSince = (...alerts: readonly AlertState[]) =>
      [...sumUp(statesOf(...alerts)).values()][0]?.unknownSince;
    expect([unknownSince(lost), unknownSince(lost, of(queued, 'b'))]).toEqual([NOW - 50, undefined]);
  });

  it('of one day end as soon as a later stage fires, and say which', () => {
    const day = { labels: { expires: '2027-01-20' } };
    const [critical, warning] = soon as [(typeof rules)[number], (typeof rules)[number]];
    const endingsOf = (...alerts: readonly AlertState[]) =>
      [...sumUp(statesOf(...alerts)).values()].map(({ labels, state, ending }) => [labels.severity, state, ending]);
    expect(endingsOf(of(warning, 'a', day), of(critical, 'a', day))).toEqual([
      ['warning', 'resolved', 'now critical'],
      ['critical', 'firing', undefined],
    ]);
    expect(endingsOf(of(critical, 'a', day), of(expired, 'a', day))[0]).toEqual([
      'critical',
      'resolved',
      'now expired',
    ]);
    // one that is only kept has become a warning, by a renewal for a part
    const kept = { ...day, keepFiringSince: NOW - 900 };
    expect(endingsOf(of(warning, 'a', day), of(critical, 'a', kept))).toEqual([
      ['warning', 'firing', undefined],
      ['critical', 'resolved', 'now a warning'],
    ]);
    expect(endingsOf(of(critical, 'a', day), of(expired, 'a', { ...day, keepFiringSince: NOW - 60 }))[1]).toEqual([
      'critical',
      'firing',
      undefined,
    ]);
    // another day is another alert
    expect(endingsOf(of(warning, 'a', { labels: { expires: '2027-02-01' } }), of(critical, 'a', day))).toEqual([
      ['warning', 'firing', undefined],
      ['critical', 'firing', undefined],
    ]);
  });
});
