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
    const subject = 'Expiring licenses of cad-team: 44 within 30 days, 56 within 60 days';
    expect(digest).toMatchObject({ subject, text: expect.stringContaining(subject) });
    const [withoutOwner] = running.mails.filter(({ to }) => to === 'licenses@example.com');
    expect(withoutOwner?.subject).toBe(subject.replace(' of cad-team', ''));

    // another license of one owner moves to 30 days
    await running.post([expiry('cad-team', 'lic01;x', 29)]);
    await eventually('a digest after the change', () => running.mails.length >= 5);
    expect(recipients(running)).toEqual(['another@example.com', 'cad-team@example.com', ...owners]);
    expect(running.mails.at(-1)?.subject).toBe('Expiring licenses of cad-team: 45 within 30 days, 56 within 60 days');
  });

  it('is sent in its hour only, but what needs action within 7 days is sent at once', async () => {
    const running = await startExample(cleanup, 'never');
    await running.post([...ofSite(2), expiry('eda', 'old;x', -3)]);
    await eventually('a message for each owner', () => running.mails.length >= 3);
    await running.post([expiry('another', 'lic01;cdslmd', 1)]);
    await eventually('another message', () => running.mails.length >= 4);
    expect(recipients(running)).toEqual(['another@example.com', ...owners]);
    expect(running.mails.map(({ subject }) => subject).sort()).toEqual([
      'Expiring licenses of another: 1 within 7 days',
      'Expiring licenses of cad-team: 9 within 7 days',
      'Expiring licenses of eda: 1 expired, 9 within 7 days',
      'Expiring licenses: 9 within 7 days',
    ]);
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
    await eventually('the digest', () => running.mails.some(({ subject }) => subject.includes('60 days')));
    const { text, html } = running.mails.find(({ subject }) => subject.includes('60 days')) ?? { text: '', html: '' };
    expect(text.split('\n').slice(0, -1)).toEqual([
      'Expiring licenses of cad-team: 1 expired and not in use, 5 within 30 days, 1 within 60 days',
      '',
      'expired and not in use:',
      '2026-11-20  lic04;x: spice 23.1 (28 licenses)',
      '',
      'within 30 days:',
      '2026-11-30  lic01;cdslmd: spice 23.1 (28 licenses)',
      '2026-12-01  lic02;x: spice 23.1 (28 licenses)',
      '2026-12-01  lic03;x: a 1.0 (5 licenses), b 1.0 (5 licenses) and 3 more',
      `2026-12-04  ${summary}`,
      'License undated expires in 8d.',
      '',
      'within 60 days:',
      '2027-01-11  lic01;cdslmd: later 1.0 (1 license), <b> 2.0 (uncounted)',
      '',
    ]);
    expect(text).toMatch(/\nAlertmanager: http:\S+$/);
    const rows = [...html.matchAll(/^ *<tr>.*$/gm)].map(([row]) => row.replace(/<[^>]*>/g, ' ').replace(/ +/g, ' '));
    expect(rows.map((row) => row.trim())).toEqual([
      'expired and not in use',
      '2026-11-20 spice 23.1 (28 licenses) lic04;x',
      'within 30 days',
      '2026-11-30 spice 23.1 (28 licenses) lic01;cdslmd · silence',
      '2026-12-01 spice 23.1 (28 licenses) lic02;x',
      'a 1.0 (5 licenses), b 1.0 (5 licenses) and 3 more lic03;x',
      `2026-12-04 ${summary}`,
      'License undated expires in 8d.',
      'within 60 days',
      '2027-01-11 later 1.0 (1 license), &lt;b&gt; 2.0 (uncounted) lic01;cdslmd',
    ]);
    expect(html).toContain(`<a href="${silenceUrl}">silence</a>`);
  });

  it('has an hour as long as the interval of its group, so that each group is sent once in it', () => {
    const route = example.route.routes?.find(({ active_time_intervals: [name] = [] }) => name === 'digest-hour');
    const hour = example.time_intervals.find(({ name }) => name === 'digest-hour');
    expect(route).toMatchObject({ group_by: ['owner'], group_interval: '1h', repeat_interval: '5d' });
    expect(hour).toMatchObject({ time_intervals: [{ times: [{ start_time: '07:00', end_time: '08:00' }] }] });
  });
});
