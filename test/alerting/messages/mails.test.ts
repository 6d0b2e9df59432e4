import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../src/alerting/alerts/alert.ts';
import type { EmailOptions } from '../../../src/alerting/messages/email-channel.ts';
import type { Episode, Notice } from '../../../src/alerting/messages/ledger.ts';
import { groupOf } from '../../../src/alerting/messages/message-group.ts';
import { writingChannel } from '../../support/writing-channel.ts';

/** What people read, and that names cannot change it. */

const AT = Date.UTC(2026, 10, 18, 9, 30) / 1000;

const episode = (state: Episode['state'], startsAt = AT - 600): Episode => ({ startsAt, state, at: AT, dueSince: AT });
const ended = (ending: string): Episode => ({ ...episode('resolved'), ending });
const notice = (labels: Labels, annotations: Labels, episodes: readonly Episode[], isNew = true): Notice => ({
  key: JSON.stringify(labels),
  labels,
  annotations,
  episodes,
  isNew,
});

async function mailAbout(notices: readonly Notice[], more: Partial<EmailOptions> = {}, isReminder = false) {
  const email = writingChannel(more);
  const labels = notices[0]?.labels ?? {};
  const group = groupOf(labels, 'lic:80', email.ownerOf(labels));
  const { body, to } = await email.writeGroup({ group, notices, isReminder }, 'id', AT);
  return { mail: await PostalMime.parse(body), body, to: to.map(({ address, setting }) => `${setting} ${address}`) };
}

const down: Labels = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: 'lic01;cdslmd' };
const summary = { summary: 'License server lic01;cdslmd is down.' };

describe('the subject', () => {
  it.each<[string, readonly Notice[], boolean]>([
    ['server down', [notice(down, summary, [episode('firing')])], false],
    ['still server down', [notice(down, summary, [episode('firing')], false)], true],
    ['resolved', [notice(down, summary, [episode('resolved')], false)], false],
    ['server down, resolved', [notice(down, summary, [episode('resolved')])], false],
    ['now critical', [notice(down, summary, [ended('now critical')], false)], false],
    ['server down, now with cad-team', [notice(down, summary, [ended('now with cad-team')])], false],
    [
      '1 resolved, 1 now with cad-team',
      [
        notice(down, summary, [episode('resolved')], false),
        notice({ ...down, severity: 'warning' }, summary, [ended('now with cad-team')], false),
      ],
      false,
    ],
    ['no data about 1 alert', [notice(down, summary, [episode('no data')], false)], false],
    [
      'server down (2 alerts)',
      [
        notice({ ...down, alertname: 'LicenseDenials', severity: 'warning' }, {}, [episode('firing')]),
        notice(down, summary, [episode('firing')]),
        notice({ ...down, alertname: 'LicenseRequestsQueued' }, {}, [episode('resolved')]),
      ],
      false,
    ],
  ])('says "%s"', async (words, notices, isReminder) => {
    const { mail } = await mailAbout(notices, {}, isReminder);
    expect(mail.subject).toBe(`[license-exporter] lic01;cdslmd: ${words}`);
  });

  it('names what the message is about', async () => {
    const about = async (labels: Labels) => (await mailAbout([notice(labels, {}, [episode('firing')])])).mail.subject;
    expect(await about({ alertname: 'LicenseAnalyzerUnreachable', severity: 'critical' })).toBe(
      '[license-exporter] lic:80: analyzer unreachable',
    );
    expect(await about({ ...down, alertname: 'LicenseSourceDown', license_source: 'cad' })).toBe(
      '[license-exporter] source cad: source down',
    );
    expect(await about({ ...down, alertname: 'LicenseExpired', owner: 'cad' })).toBe(
      '[license-exporter] Urgent expiries of cad: 1 expired',
    );
  });
});

describe('the text', () => {
  it('says each time of an alert, in the time zone of the daemon', async () => {
    const episodes = [episode('resolved', AT - 7200), episode('firing', AT - 600)];
    const { mail } = await mailAbout([notice(down, { ...summary, description: 'Check it.' }, episodes)]);
    expect(mail.text).toContain(`* License server lic01;cdslmd is down. (critical)
  from 2026-11-18 08:30 CET to 2026-11-18 10:30 CET
  firing since 2026-11-18 10:20 CET
  Check it.
`);
  });

  it('says that it is not known whether an alert without data is over', async () => {
    const { mail } = await mailAbout([notice(down, summary, [episode('no data')])]);
    expect(mail.text).toContain('It is not known whether these alerts are over.');
    expect(mail.text).toContain('* No data about: License server lic01;cdslmd is down.');
    expect(mail.html).toContain('It is not known whether these alerts are over.');
    expect(`${mail.subject} ${mail.text}`).not.toMatch(/resolved/i);
  });

  it('says how an alert that has ended goes on, and nowhere that it is resolved', async () => {
    const { mail } = await mailAbout([notice(down, summary, [ended('now with cad-team')])]);
    expect(mail.text).toContain(`Changed:

* Now with cad-team: License server lic01;cdslmd is down.
  from 2026-11-18 10:20 CET to 2026-11-18 10:30 CET
`);
    expect(mail.html).toContain('<bdi>Now with cad-team: License server lic01;cdslmd is down.</bdi>');
    expect(`${mail.subject} ${mail.text}`).not.toMatch(/resolved|no longer/i);
  });

  it('says of each urgent expiry that has ended what became of it', async () => {
    const about = (severity: string, last: Episode) =>
      notice({ ...down, alertname: 'LicenseExpiringSoon', severity }, { summary: `It expires (${severity}).` }, [last]);
    const { mail } = await mailAbout([
      about('critical', ended('now expired')),
      about('warning', episode('no data')),
      about('info', episode('resolved')),
    ]);
    expect(mail.subject).toBe('[license-exporter] Urgent expiries: 1 now expired, 1 resolved, no data about 1');
    expect(mail.text?.match(/^.*: It expires.*\)\./gm)).toEqual([
      'Now expired: It expires (critical).',
      'No data any more about: It expires (warning).',
      'Over: It expires (info).',
    ]);
  });

  it('is for the owner, if the owner has addresses', async () => {
    const of = async (owner: string) => (await mailAbout([notice({ ...down, owner }, {}, [episode('firing')])])).to;
    expect(await of('cad')).toEqual(['alerting.email.owners.cad[0] cad@example.com']);
    expect(await of('constructor')).toEqual(['alerting.email.to[0] team@example.com']);
  });
});

describe('hostile names', () => {
  const name = 'lic\r\nBcc: victim@example.com\r\n\r\n\u202e<img src=x onerror=alert(1)>\u0000;"d"';

  const hidden = (text = '') => ['\u0000', '\u202e'].filter((character) => text.includes(character));

  it('cannot add headers, markup or lines, and do not turn the text around', async () => {
    const labels = { ...down, vendor_license: name };
    const annotations = {
      summary: `License server ${name} is down.`,
      description: `${name}\nRunbook: https://evil.example.com`,
      runbook_url: 'https://licenses.example.com/runbooks#licenseserverdown',
    };
    const { mail, body } = await mailAbout([notice(labels, annotations, [episode('firing')])]);
    expect(mail.headers.map(({ key }) => key).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
    ]);
    expect(mail.to).toEqual([{ name: '', address: 'team@example.com' }]);
    expect(mail.bcc).toBeUndefined();
    expect(hidden(mail.subject)).toEqual([]);
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(body).not.toMatch(/^Bcc:/m);
    expect(mail.html).not.toContain('<img');
    for (const text of [mail.text, mail.html]) expect(hidden(text)).toEqual([]);
    expect(mail.text).not.toMatch(/^\s*Runbook: https:\/\/evil/m);
    expect(mail.text).toMatch(/^ {2}Runbook: https:\/\/licenses\.example\.com/m);
  });

  it('do not make a subject longer than a line', async () => {
    const { mail } = await mailAbout([notice({ ...down, vendor_license: 'x'.repeat(5000) }, {}, [episode('firing')])]);
    expect(mail.subject?.length).toBeLessThan(200);
    expect(mail.subject).toContain('x…: server down');
  });

  it('are inert in a digest and its calendar', async () => {
    const email = writingChannel();
    const labels = {
      alertname: 'LicenseExpiringSoon',
      severity: 'warning',
      vendor_license: name,
      feature: name,
      expires: '2026-12-01',
    };
    const state = { labels, annotations: { summary: name, licenses: '<b>5</b>' } };
    const alerts = [{ ...state, unknownSince: AT - 3600 }] as never;
    const { body } = (await email.writeDigest?.({ owner: '', alerts }, 'id', AT)) ?? { body: '' };
    const mail = await PostalMime.parse(body);
    expect(mail.html).not.toMatch(/<img|<b>/);
    expect(mail.text?.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
    expect(mail.text).toContain(
      'There is no new data about 1 of these since 2026-11-18 09:30 CET: listed as last known.',
    );
    const calendar = new TextDecoder().decode(mail.attachments[0]?.content as ArrayBuffer);
    expect(calendar.match(/^BEGIN:VEVENT/gm)).toHaveLength(1);
    expect(calendar).toContain('DTSTART;VALUE=DATE:20261201');
  });
});

describe('a digest', () => {
  it('lists by urgency and date, with what has no single date last', async () => {
    const row = (alertname: string, severity: string, feature: string, expires: string) => ({
      labels: {
        ...{ alertname, severity, vendor_license: 'a;b', feature, owner: 'someone' },
        ...(expires !== '' && { expires }),
      },
      annotations: { summary: `${feature}.`, ...(expires !== '' && { licenses: '7' }) },
    });
    const alerts = [
      row('LicenseExpiringSoon', 'info', 'far', '2027-02-10'),
      row('LicenseRunsOut', 'warning', 'Growing', ''),
      row('LicenseExpiringSoon', 'warning', 'later', '2026-12-10'),
      row('LicenseExpiringSoon', 'warning', 'aggregated', ''),
      row('LicenseExpiringSoon', 'warning', 'sooner', '2026-11-28'),
      row('LicenseExpired', 'critical', 'gone', '2026-11-17'),
    ] as never;
    const { body } = (await writingChannel().writeDigest?.({ owner: '', alerts }, 'id', AT)) ?? { body: '' };
    const { subject, text = '' } = await PostalMime.parse(body);
    expect(subject).toBe(
      // a license with a longer threshold of its own
      '[license-exporter] Expiring licenses: 1 expired, 3 within 30 days, 1 within 84 days, 1 run out',
    );
    const listed = text.match(/gone|sooner|later|aggregated|far|Growing|^[A-Z].*:$/gm);
    expect(listed).toEqual([
      'Expired:',
      'gone',
      'Within 30 days:',
      'sooner',
      'later',
      'aggregated',
      'Within 84 days:',
      'far',
      'Expected to run out of licenses:',
      'Growing',
    ]);
    expect(text).toContain('2026-11-28  a;b (someone): sooner (7 licenses)\n');
  });
});
