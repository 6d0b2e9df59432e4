import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allAlerts } from '../../../src/alerting/alerts/rules.ts';
import { tellingOf } from '../../../src/alerting/alerts/telling.ts';
import { example, exampleFile } from '../../support/example-alertmanager.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { type SentExample, startRenderer } from '../../support/rendered-messages.ts';
import { createRouter } from '../../support/routed-messages.ts';
import { compareGolden } from './golden.ts';
import { fromDaemon, fromPrometheus } from './sent-alerts.ts';

/**
 * What people read: a real Alertmanager renders every alert for every receiver of the example. The files in `golden` have the
 * messages; `UPDATE_GOLDEN=1` writes them. Read the difference as an administrator does who knows nothing of the program.
 */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const routesOf = createRouter(example.route);

const routed = (alerts: readonly SentExample[]): readonly SentExample[] =>
  alerts.filter(({ labels }) => routesOf(labels).every(({ receiver }) => receiver !== 'nobody'));

/** How many messages Alertmanager makes of them: one for each route and group. */
function groupsOf(alerts: readonly SentExample[]): number {
  const names = alerts.flatMap(({ labels }) =>
    routesOf(labels).map((route) =>
      JSON.stringify([route.receiver, route.repeat, route.groupBy, route.groupBy.map((name) => labels[name] ?? '')]),
    ),
  );
  return new Set(names).size;
}

describe.runIf(peer('prometheus-alertmanager', 'promtool'))('messages of the example for Alertmanager', () => {
  it.each([
    ['daemon', fromDaemon],
    ['prometheus', fromPrometheus],
  ])('say what, who is hit, what to do first and where to read more: alerts of %s', async (sender, alertsOf) => {
    const { post, messages } = await startRenderer(cleanup);
    const alerts = routed(await alertsOf());
    await post(alerts);
    await eventually('every message', () => messages().length >= groupsOf(alerts));
    expect(messages()).toHaveLength(groupsOf(alerts));
    const told = alerts.map(({ labels, annotations }) => {
      const { alertname = '', severity = '' } = labels;
      // the rules for Prometheus have both in the description only: each annotation costs each evaluation
      const texts = allAlerts[alertname as keyof typeof allAlerts].texts;
      const { summary = '', impact = texts.impact, step = texts.step, runbook_url: link = '' } = annotations;
      const of = [summary, impact, step, link];
      expect([alertname, of.filter((part) => part === '')]).toEqual([alertname, []]);
      const ofAlert = messages().filter(({ text }) => text.includes(summary));
      const lacking = ofAlert.flatMap(({ to, text, html = text }) =>
        of.filter((part) => !text.includes(part) || !html.includes(part)).map((part) => `${to} lacks ${part}`),
      );
      return { alertname, severity, isTold: ofAlert.length > 0, lacking };
    });
    expect(told.filter(({ isTold, lacking }) => !isTold || lacking.length > 0)).toEqual([]);
    expect(told.some(({ alertname, severity }) => tellingOf({ alertname, severity }).by === 'digest')).toBe(true);
    compareGolden(sender, messages());
  });

  it('also name alerts of others, what has ended, and what they leave out', async () => {
    const { post, messages } = await startRenderer(cleanup);
    const startsAt = '2026-01-12T07:00:00Z';
    const foreign = (instance: string, labels: SentExample['labels'] = {}): SentExample => ({
      labels: { alertname: 'AnotherAlert', analyzer: 'lic:80', vendor_license: 'lic09;x', instance, ...labels },
      ...{ annotations: {}, startsAt, generatorURL: '' },
    });
    const ended = foreign('0', { severity: 'page' });
    await post([ended]);
    await eventually('the alert', () => messages().length === 1);
    await post([ended], '2026-01-13T07:00:00Z');
    await eventually('its end', () => messages().length === 2);
    await post(Array.from({ length: 60 }, (_, i) => foreign(`${100 + i}`)));
    await eventually('many', () => messages().length === 3);
    await post([foreign('200', { owner: 'cad', alertname: 'LicenseDenials', severity: 'warning' })]);
    await eventually('the digest', () => messages().some(({ to }) => to === 'mail cad'));
    expect(messages().find(({ to }) => to === 'mail cad')?.text).toBe(
      'Subject: Licenses of cad: 1 with denials\n\nLicenses of cad: 1 with denials\n\nwith denials:\n- LicenseDenials\n\nAll alerts: http://alertmanager.example.com',
    );
    const [first, end, many] = messages()
      .filter(({ to }) => to === 'mail licenses')
      .map(({ text }) => text.split('\n'));
    const since = 'Since: Monday 2026-01-12 08:00 CET';
    const all = 'All alerts: http://alertmanager.example.com';
    const analyzer = 'Analyzer: lic:80';
    const subject = 'Subject: page: AnotherAlert';
    expect(first).toEqual([subject, '', 'page: AnotherAlert', analyzer, since, '', all]);
    expect(end).toEqual([
      ...['Subject: alert ended: AnotherAlert', ''],
      ...['alert ended Tuesday 2026-01-13 08:00 CET: AnotherAlert', all],
    ]);
    expect(many?.slice(0, 3)).toEqual(['Subject: alert: AnotherAlert And 59 more alerts.', '', 'alert: AnotherAlert']);
    // ten with all that is known, and forty by name
    expect(many?.filter((line) => line === 'alert: AnotherAlert')).toHaveLength(50);
    expect(many?.filter((line) => line === since)).toHaveLength(10);
  });

  it('in Microsoft Teams have the same title and text', () => {
    const lines = readFileSync(exampleFile, 'utf8').matchAll(/^ +## (.*)$/gm);
    const { msteamsv2_configs: teams } = parse([...lines].map(([, line]) => line).join('\n'));
    expect(teams).toEqual([
      {
        ...{ webhook_url_file: '/etc/alertmanager/teams-url', send_resolved: true },
        title: '{{ template "licenses.title" . }}',
        text: '{{ template "licenses.text" . }}',
      },
    ]);
  });
});
