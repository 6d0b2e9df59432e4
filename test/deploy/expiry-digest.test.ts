import { afterEach, describe, expect, it } from 'vitest';
import { example, type PostedAlert, type RunningExample, startExample } from '../support/example-alertmanager.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { peer } from '../support/peers.ts';

/** Licenses that expire are sent as one digest for each owner. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const DAY_MS = 86_400_000;
const today = Date.UTC(2026, 10, 22);
const dateIn = (days: number): string => new Date(today + days * DAY_MS).toISOString().slice(0, 10);

/** The expiry of one vendor license on one day, as the engine sends it. */
function expiry(
  owner: string,
  vendorLicense: string,
  days: number,
  features = 'spice 23.1 (28 licenses)',
): PostedAlert {
  const severity = days < 7 ? 'critical' : days < 30 ? 'warning' : 'info';
  return {
    labels: {
      alertname: days < 0 ? 'LicenseExpired' : 'LicenseExpiringSoon',
      severity,
      analyzer: 'lic:80',
      vendor_license: vendorLicense,
      expires: dateIn(days),
      ...(owner !== '' && { owner }),
    },
    annotations: {
      summary: `2 features of ${vendorLicense} expire on ${dateIn(days)}.`,
      features,
      runbook_url: 'http://exporter/runbooks#licenseexpiringsoon',
    },
  };
}

/** One hundred expiries of each owner, by default none of them within 7 days. Their order is not the order of the dates. */
const ofSite = (from = 7): PostedAlert[] =>
  ['cad-team', 'eda', ''].flatMap((owner) =>
    Array.from({ length: 100 }, (_, i) => expiry(owner, `lic${i};cdslmd`, from + ((i * 37) % (60 - from)))),
  );

const recipients = ({ mails }: RunningExample): string[] => mails.map(({ to }) => to).sort();
const owners = ['cad-team@example.com', 'eda@example.com', 'licenses@example.com'];

describe.runIf(peer('prometheus-alertmanager'))('the expiry digest', () => {
  it('of 300 expiries is one message for each of three owners, and another one only after a change', async () => {
    const running = await startExample(cleanup, 'always');
    await running.post(ofSite());
    await eventually('a digest for each owner', () => running.mails.length >= 3);
    // groups are sent again after one second: by the time of another digest, that of each owner would have been
    await running.post([expiry('another', 'lic01;cdslmd', 20)]);
    await eventually('another digest', () => running.mails.length >= 4);
    expect(recipients(running)).toEqual(['another@example.com', ...owners]);
    const [digest] = running.mails.filter(({ to }) => to === 'cad-team@example.com');
    const subject = 'Licenses of cad-team: 44 expiring soon, 56 expiring later';
    expect(digest).toMatchObject({ subject, text: expect.stringContaining(subject) });
    const [withoutOwner] = running.mails.filter(({ to }) => to === 'licenses@example.com');
    expect(withoutOwner?.subject).toBe(subject.replace(' of cad-team', ''));

    // another license of one owner moves to 30 days
    await running.post([expiry('cad-team', 'lic01;x', 29)]);
    await eventually('a digest after the change', () => running.mails.length >= 5);
    expect(recipients(running)).toEqual(['another@example.com', 'cad-team@example.com', ...owners]);
    expect(running.mails.at(-1)?.subject).toBe('Licenses of cad-team: 45 expiring soon, 56 expiring later');
  });

  it('is sent in its hour only, but what needs action within 7 days is sent at once', async () => {
    const running = await startExample(cleanup, 'never');
    await running.post([...ofSite(2), expiry('eda', 'old;x', -3)]);
    await eventually('a message for each owner', () => running.mails.length >= 3);
    await running.post([expiry('another', 'lic01;cdslmd', 1)]);
    await eventually('another message', () => running.mails.length >= 4);
    expect(recipients(running)).toEqual(['another@example.com', ...owners]);
    const more = (days: number, count: number) =>
      `critical: 2 features of lic0;cdslmd expire on ${dateIn(days)}. And ${count} more alerts.`;
    const subjects = new Map(running.mails.map(({ to, subject }) => [to.split('@')[0], subject]));
    expect(subjects.get('another')).toBe(`critical: 2 features of lic01;cdslmd expire on ${dateIn(1)}.`);
    expect([subjects.get('cad-team'), subjects.get('licenses')]).toEqual([more(2, 8), more(2, 8)]);
    expect(subjects.get('eda')).toMatch(/^critical: .* And 9 more alerts\.$/);
  });

  it('lists what expires by urgency and date, as text and as HTML', async () => {
    const running = await startExample(cleanup, 'always');
    const unused = expiry('cad-team', 'lic04;x', -2);
    const [ofPrometheus, undated, silenced] = [12, 8, 8].map((days) => expiry('cad-team', 'lic01;cdslmd', days));
    const { expires: _, ...withoutDay } = undated?.labels ?? {};
    const summary = 'Licenses of features of lic01;cdslmd expire on 2026-12-04.';
    const silenceUrl = 'http://alertmanager/#/silences/new?filter=%7Ba%3D%22b%22%7D';
    await running.post([
      expiry('cad-team', 'lic01;cdslmd', 50, 'later 1.0 (1 license), <b> 2.0 (uncounted)'),
      expiry('cad-team', 'lic02;x', 9),
      expiry('cad-team', 'lic03;x', 9, 'a 1.0 (5 licenses), b 1.0 (5 licenses) and 3 more'),
      { labels: withoutDay, annotations: { summary: 'License undated expires in 8d.' } },
      { labels: silenced?.labels ?? {}, annotations: { ...silenced?.annotations, silence_url: silenceUrl } },
      { labels: ofPrometheus?.labels ?? {}, annotations: { summary } },
      { ...unused, labels: { ...unused.labels, severity: 'warning' } },
      // in a message of its own
      expiry('cad-team', 'lic05;x', -1),
    ]);
    await eventually('the digest', () => running.mails.some(({ subject }) => subject.includes('later')));
    const { text, html } = running.mails.find(({ subject }) => subject.includes('later')) ?? { text: '', html: '' };
    const of = (vendorLicense: string, days: number, features: string): string[] => [
      `- 2 features of ${vendorLicense} expire on ${dateIn(days)}.`,
      `  ${features}`,
    ];
    const usual = 'spice 23.1 (28 licenses)';
    const link = 'What to do: http://exporter/runbooks#licenseexpiringsoon';
    expect(text.split('\n').slice(0, -1)).toEqual([
      'Licenses of cad-team: 1 expired, 5 expiring soon, 1 expiring later',
      '',
      'expired:',
      ...of('lic04;x', -2, usual),
      ...[link, '', 'expiring soon:'],
      ...of('lic01;cdslmd', 8, usual),
      ...of('lic02;x', 9, usual),
      ...of('lic03;x', 9, 'a 1.0 (5 licenses), b 1.0 (5 licenses) and 3 more'),
      `- ${summary}`,
      '- License undated expires in 8d.',
      ...[link, '', 'expiring later:'],
      ...of('lic01;cdslmd', 50, 'later 1.0 (1 license), <b> 2.0 (uncounted)'),
      ...[link, ''],
    ]);
    expect(text).toMatch(/\nAll alerts: http:\S+$/);
    const rows = [...html.matchAll(/<(?:h2|li)>(.*?)<\/(?:h2|li)>/g)].map(([, row = '']) =>
      row.replace(/<[^>]*>/g, '|'),
    );
    expect(rows.slice(0, 4)).toEqual([
      'expired',
      `2 features of lic04;x expire on ${dateIn(-2)}.||${usual}|`,
      'expiring soon',
      `2 features of lic01;cdslmd expire on ${dateIn(8)}.||${usual}| ||silence||`,
    ]);
    expect(rows.at(-1)).toContain('later 1.0 (1 license), &lt;b&gt; 2.0 (uncounted)');
    expect(html).toContain(`<a href="${silenceUrl}">silence</a>`);
  });

  it('has an hour as long as the interval of its group, so that each group is sent once in it', () => {
    const route = example.route.routes?.find(({ active_time_intervals: [name] = [] }) => name === 'digest-hour');
    const hour = example.time_intervals.find(({ name }) => name === 'digest-hour');
    expect(route).toMatchObject({ group_by: ['owner'], group_interval: '1h', repeat_interval: '5d' });
    expect(hour).toMatchObject({ time_intervals: [{ times: [{ start_time: '07:00', end_time: '08:00' }] }] });
  });
});
