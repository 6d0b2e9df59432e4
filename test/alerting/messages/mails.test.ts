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
  alert: undefined,
});

/** A digest for all who have none of their own. */
async function digestAbout(notices: readonly Notice[], isReminder = false) {
  const group = { key: 'digest', labels: { analyzer: 'lic:80' }, kind: 'digest' } as const;
  const { body } = await writingChannel().writeGroup({ group, notices, isReminder }, 'id', AT);
  return PostalMime.parse(body);
}

async function mailAbout(notices: readonly Notice[], more: Partial<EmailOptions> = {}, isReminder = false) {
  const email = writingChannel(more);
  const labels = notices[0]?.labels ?? {};
  const group = groupOf(labels, { analyzer: 'lic:80', hasDigest: false, ownerOf: email.ownerOf });
  const { body, to } = await email.writeGroup({ group, notices, isReminder }, 'id', AT);
  return { mail: await PostalMime.parse(body), body, to: to.map(({ address, setting }) => `${setting} ${address}`) };
}

const down: Labels = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: 'lic01;cdslmd' };
const summary = { summary: 'License server lic01;cdslmd is down.' };

describe('the subject', () => {
  it.each<[string, readonly Notice[], boolean]>([
    ['Critical: lic01;cdslmd: server down', [notice(down, summary, [episode('firing')])], false],
    ['Critical: lic01;cdslmd: still server down', [notice(down, summary, [episode('firing')], false)], true],
    ['lic01;cdslmd: resolved', [notice(down, summary, [episode('resolved')], false)], false],
    ['lic01;cdslmd: server down, resolved', [notice(down, summary, [episode('resolved')])], false],
    ['lic01;cdslmd: now critical', [notice(down, summary, [ended('now critical')], false)], false],
    ['lic01;cdslmd: server down, now with cad-team', [notice(down, summary, [ended('now with cad-team')])], false],
    [
      'lic01;cdslmd: 1 resolved, 1 now with cad-team',
      [
        notice(down, summary, [episode('resolved')], false),
        notice({ ...down, severity: 'warning' }, summary, [ended('now with cad-team')], false),
      ],
      false,
    ],
    ['lic01;cdslmd: no data about 1 alert', [notice(down, summary, [episode('no data')], false)], false],
    [
      'Critical: lic01;cdslmd: server down (2 alerts)',
      [
        notice({ ...down, alertname: 'LicenseDenials', severity: 'warning' }, {}, [episode('firing')]),
        notice(down, summary, [episode('firing')]),
        notice({ ...down, alertname: 'LicenseRequestsQueued' }, {}, [episode('resolved')]),
      ],
      false,
    ],
  ])('says "%s"', async (words, notices, isReminder) => {
    const { mail } = await mailAbout(notices, {}, isReminder);
    expect(mail.subject).toBe(`[license-exporter] ${words}`);
  });

  it('names what the message is about', async () => {
    const about = async (labels: Labels) => (await mailAbout([notice(labels, {}, [episode('firing')])])).mail.subject;
    expect(await about({ alertname: 'LicenseAnalyzerUnreachable', severity: 'critical' })).toBe(
      '[license-exporter] Critical: lic:80: analyzer unreachable',
    );
    expect(await about({ ...down, alertname: 'LicenseSourceDown', license_source: 'cad' })).toBe(
      '[license-exporter] Critical: source cad: down or cannot be read',
    );
    expect(await about({ ...down, alertname: 'LicenseExpired', owner: 'cad' })).toBe(
      '[license-exporter] Critical: Urgent expiries of cad: 1 expired',
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
      '* Now expired: It expires (critical).',
      '* No data any more about: It expires (warning).',
      '* Over: It expires (info).',
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
    const labels = {
      alertname: 'LicenseExpiringSoon',
      severity: 'warning',
      vendor_license: name,
      feature: name,
      expires: '2026-12-01',
    };
    const annotations = { summary: name, licenses: '<b>5</b>', step: name };
    const alert = { labels, annotations, state: 'firing', unknownSince: AT - 3600, members: [] } as never;
    const mail = await digestAbout([{ ...notice(labels, annotations, [episode('firing')]), alert }]);
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
  const about = (alertname: string, severity: string, feature: string, expires: string, last = episode('firing')) =>
    notice(
      {
        ...{ alertname, severity, vendor_license: 'a;b', feature, owner: 'someone' },
        ...(expires !== '' && { expires }),
      },
      {
        summary: `${feature}.`,
        impact: 'Users of it are hit.',
        step: `Do something about ${alertname}.`,
        runbook_url: `https://licenses.example.com/runbooks#${alertname.toLowerCase()}`,
        ...(expires !== '' && { licenses: '7' }),
      },
      [last],
    );

  it('lists by urgency and date, with what has no single date last, and what to do', async () => {
    const { subject, text = '' } = await digestAbout([
      about('LicenseExpiringSoon', 'info', 'far', '2027-02-10'),
      about('LicenseRunsOut', 'warning', 'Growing', ''),
      about('LicenseExpiringSoon', 'warning', 'later', '2026-12-10'),
      about('LicensePollPartial', 'warning', 'internals', ''),
      about('LicenseDenials', 'warning', 'refused', ''),
      about('LicenseExpiringSoon', 'warning', 'aggregated', ''),
      about('LicenseExpiringSoon', 'warning', 'sooner', '2026-11-28'),
      about('LicenseExpired', 'warning', 'gone', '2026-11-17'),
    ]);
    expect(subject).toBe(
      // a license with a longer threshold of its own
      '[license-exporter] Licenses: 1 expired, 3 expire within 30 days, 1 expires within 84 days, denials on 1 server, licenses run out on 1 server, 1 about the monitoring',
    );
    const listed = text.match(/gone|sooner|later|aggregated|far|Growing|refused|internals|^[A-Z].*:$/gm);
    expect(listed).toEqual([
      'Expired:',
      'gone',
      'Expire within 30 days:',
      'sooner',
      'later',
      'aggregated',
      'Expire within 84 days:',
      'far',
      'Requests were denied:',
      'refused',
      'Expected to run out of licenses:',
      'Growing',
      'Data is missing:',
      'internals',
    ]);
    expect(text).toContain('* Saturday 2026-11-28, in 10 days: a;b (someone): sooner (7 licenses) [new]\n');
    expect(text).toContain('* Tuesday 2026-11-17, 1 day ago: a;b (someone): gone (7 licenses) [new]\n');
    expect(text).toContain(`Requests were denied:
Users of it are hit.
First step: Do something about LicenseDenials.
What to do: https://licenses.example.com/runbooks#licensedenials
* refused. (someone) [new]
`);
  });

  it('names what has ended since the last one, but not what goes on in it', async () => {
    const [before] = [{ ...episode('resolved', AT - 7200), at: AT - 3600 }];
    const often = about('LicenseDenials', 'warning', 'often', '');
    const { subject, text = '' } = await digestAbout([
      about('LicenseExpiringSoon', 'warning', 'still', '2026-12-10'),
      about('LicenseExpiringSoon', 'info', 'moved', '2026-12-10', ended('now a warning')),
      about('LicenseServerDown', 'warning', 'unseen', '', ended('no longer listed by the analyzer')),
      about('LicenseDenials', 'warning', 'unknown', '', episode('no data')),
      { ...often, episodes: [before, episode('resolved')].flatMap((each) => each ?? []) },
    ]);
    expect(subject).toBe(
      '[license-exporter] Licenses: 1 expires within 30 days, 1 no longer listed by the analyzer, 1 resolved, no data about 1',
    );
    expect(text.slice(text.indexOf('Changed')).split('\n').slice(0, 4)).toEqual([
      'Changed since the last message:',
      '* No longer listed by the analyzer: unseen. (from 2026-11-18 10:20 CET to 2026-11-18 10:30 CET)',
      '* No data any more about: unknown. (firing since 2026-11-18 10:20 CET, no data any more at 2026-11-18 10:30 CET)',
      '* Over: often. (from 2026-11-18 10:20 CET to 2026-11-18 10:30 CET, and once before that)',
    ]);
    expect(text).not.toContain('moved');
  });

  it('only about what goes on in a message of its own says that', async () => {
    const { subject, text } = await digestAbout([
      about('LicenseExpiringSoon', 'warning', 'moved', '2026-12-10', ended('now critical')),
    ]);
    expect(subject).toBe('[license-exporter] Licenses: 1 now critical');
    expect(text).toContain('* Now critical: moved. (from');
  });

  it('that repeats what is known says that', async () => {
    const { subject } = await digestAbout([about('LicenseDenials', 'warning', 'refused', '')], true);
    expect(subject).toBe('[license-exporter] Licenses, nothing new: denials on 1 server');
  });
});
