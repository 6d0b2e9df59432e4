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

/** An expiry as the engine and the rules report it. */
function expiry(owner: string, feature: string, days: number, more: PostedAlert['annotations'] = {}): PostedAlert {
  const severity = days < 7 ? 'critical' : days < 30 ? 'warning' : 'info';
  return {
    labels: {
      alertname: days < 0 ? 'LicenseExpired' : 'LicenseExpiringSoon',
      severity,
      analyzer: 'lic:80',
      vendor_license: 'lic01;cdslmd',
      feature,
      version: '23.1',
      expires: dateIn(days),
      ...(owner !== '' && { owner }),
    },
    annotations: {
      summary: `License ${feature} expires in ${days}d.`,
      licenses: '28',
      runbook_url: 'http://exporter/runbooks#licenseexpiringsoon',
      ...more,
    },
  };
}

/** One hundred expiries of each owner, by default none of them within 7 days. Their order is not the order of the dates. */
const ofSite = (from = 7): PostedAlert[] =>
  ['cad-team', 'eda', ''].flatMap((owner) =>
    Array.from({ length: 100 }, (_, i) => expiry(owner, `feature_${i}`, from + ((i * 37) % (60 - from)))),
  );

const recipients = ({ mails }: RunningExample): string[] => mails.map(({ to }) => to).sort();
const owners = ['cad-team@example.com', 'eda@example.com', 'licenses@example.com'];

describe.runIf(peer('prometheus-alertmanager'))('the expiry digest', () => {
  it('of 300 expiries is one message for each of three owners, and another one only after a change', async () => {
    const running = await startExample(cleanup, 'always');
    await running.post(ofSite());
    await eventually('a digest for each owner', () => running.mails.length >= 3);
    // groups are sent again after one second: by the time of another digest, that of each owner would have been
    await running.post([expiry('another', 'spice', 20)]);
    await eventually('another digest', () => running.mails.length >= 4);
    expect(recipients(running)).toEqual(['another@example.com', ...owners]);
    const [digest] = running.mails.filter(({ to }) => to === 'cad-team@example.com');
    const subject = 'Expiring licenses of cad-team: 44 within 30 days, 56 within 60 days';
    expect(digest).toMatchObject({ subject, text: expect.stringContaining(subject) });
    const [withoutOwner] = running.mails.filter(({ to }) => to === 'licenses@example.com');
    expect(withoutOwner?.subject).toBe(subject.replace(' of cad-team', ''));

    // a license of one owner moves from 60 to 30 days
    await running.post([expiry('cad-team', 'feature_1', 29)]);
    await eventually('a digest after the change', () => running.mails.length >= 5);
    expect(recipients(running)).toEqual(['another@example.com', 'cad-team@example.com', ...owners]);
    expect(running.mails.at(-1)?.subject).toBe('Expiring licenses of cad-team: 45 within 30 days, 55 within 60 days');
  });

  it('is sent in its hour only, but what needs action within 7 days is sent at once', async () => {
    const running = await startExample(cleanup, 'never');
    await running.post([...ofSite(2), expiry('eda', 'old', -3)]);
    await eventually('a message for each owner', () => running.mails.length >= 3);
    await running.post([expiry('another', 'spice', 1)]);
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
    const { version: _, ...aggregated } = expiry('cad-team', '', 12).labels;
    const { expires: __, ...undated } = expiry('cad-team', 'undated', 8).labels;
    await running.post([
      expiry('cad-team', 'later', 50),
      expiry('cad-team', 'soon', 9, { licenses: 'uncounted' }),
      { labels: undated, annotations: { summary: 'License undated expires in 8d.' } },
      expiry('cad-team', 'sooner', 8, { silence_url: 'http://alertmanager/#/silences/new?filter=%7Ba%3D%22b%22%7D' }),
      expiry('cad-team', '<b>', 59),
      { labels: aggregated, annotations: { summary: 'Licenses of lic01 expire: 12.' } },
    ]);
    await eventually('the digest', () => running.mails.length > 0);
    const [{ text, html } = { text: '', html: '' }] = running.mails;
    expect(text.split('\n').slice(0, -1)).toEqual([
      'Expiring licenses of cad-team: 4 within 30 days, 2 within 60 days',
      '',
      'expires      licenses  feature                               vendor license',
      '',
      'within 30 days:',
      '2026-11-30         28  sooner 23.1                           lic01;cdslmd',
      '2026-12-01  uncounted  soon 23.1                             lic01;cdslmd',
      '2026-12-04  Licenses of lic01 expire: 12.',
      'License undated expires in 8d.',
      '',
      'within 60 days:',
      '2027-01-11         28  later 23.1                            lic01;cdslmd',
      '2027-01-20         28  <b> 23.1                              lic01;cdslmd',
      '',
    ]);
    expect(text).toMatch(/\nAlertmanager: http:\S+$/);
    const rows = [...html.matchAll(/^ *<tr>.*$/gm)].map(([row]) => row.replace(/<[^>]*>/g, ' ').replace(/ +/g, ' '));
    expect(rows.map((row) => row.trim())).toEqual([
      'within 30 days licenses',
      '2026-11-30 sooner 23.1 lic01;cdslmd · silence 28',
      '2026-12-01 soon 23.1 lic01;cdslmd uncounted',
      '2026-12-04 Licenses of lic01 expire: 12.',
      'License undated expires in 8d.',
      'within 60 days licenses',
      '2027-01-11 later 23.1 lic01;cdslmd 28',
      '2027-01-20 &lt;b&gt; 23.1 lic01;cdslmd 28',
    ]);
    expect(html).toContain('<a href="http://alertmanager/#/silences/new?filter=%7Ba%3D%22b%22%7D">silence</a>');
  });

  it('has an hour as long as the interval of its group, so that each group is sent once in it', () => {
    const route = example.route.routes?.find(({ active_time_intervals: [name] = [] }) => name === 'digest-hour');
    const hour = example.time_intervals.find(({ name }) => name === 'digest-hour');
    expect(route).toMatchObject({ group_by: ['owner'], group_interval: '1h', repeat_interval: '5d' });
    expect(hour).toMatchObject({ time_intervals: [{ times: [{ start_time: '07:00', end_time: '08:00' }] }] });
  });
});
