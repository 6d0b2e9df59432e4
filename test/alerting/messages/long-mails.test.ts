import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../src/alerting/alerts/alert.ts';
import type { NoticeState } from '../../../src/alerting/messages/ledger.ts';
import { groupOf } from '../../../src/alerting/messages/message-group.ts';
import { writingChannel } from '../../support/writing-channel.ts';

/** Mails about hundreds of alerts can be read: mail programs cut what is longer than 102 KB. */

const AT = Date.UTC(2026, 10, 18, 9, 30) / 1000;
const DAY = 86_400;
/** Bytes of both texts together. */
const MAX_SIZE = 60_000;
const vendorLicense = 'lic01.example.com;cdslmd';
const ALERTS = 'https://licenses.example.com/alerts';

const dateIn = (days: number): string => new Date((AT + days * DAY) * 1000).toISOString().slice(0, 10);

/** Three hundred of something. */
const listOf = <T>(one: (i: number) => T): readonly T[] => Array.from({ length: 300 }, (_, i) => one(i));

const expiry = (i: number, days: number, more: Labels = {}) => ({
  labels: {
    alertname: 'LicenseExpiringSoon',
    severity: 'warning',
    vendor_license: vendorLicense,
    feature: `Virtuoso_Layout_Suite_${`${i}`.padStart(3, '0')}`,
    version: '23.10',
    expires: dateIn(days),
    owner: 'eda-team',
    ...more,
  },
  annotations: {
    summary: `License Virtuoso_Layout_Suite_${i} 23.10 of ${vendorLicense} expires in ${days}d.`,
    licenses: '28',
    runbook_url: 'https://licenses.example.com/runbooks#licenseexpiringsoon',
  },
});

async function read(draft: { readonly body: string } | undefined) {
  const { subject = '', html = '', text = '' } = await PostalMime.parse(draft?.body ?? '');
  return { subject, html, text, size: Buffer.byteLength(html) + Buffer.byteLength(text) };
}

async function digestOf(alerts: readonly ReturnType<typeof expiry>[]) {
  const notices = alerts.map(({ labels, annotations }, i) => ({
    key: `${i}`,
    labels,
    annotations,
    isNew: false,
    alert: undefined,
    episodes: [{ startsAt: AT - 60, state: 'firing' as const, at: AT - 60, dueSince: AT }],
  }));
  const group = { key: 'digest', labels: {}, kind: 'digest' } as const;
  return read(await writingChannel().writeGroup({ group, notices, isReminder: false }, 'id', AT));
}

async function mailAbout(
  alerts: readonly { readonly labels: Labels; readonly annotations: Labels }[],
  states: readonly NoticeState[],
) {
  const channel = writingChannel();
  const notices = alerts.map(({ labels, annotations }, i) => ({
    key: `${i}`,
    labels,
    annotations,
    isNew: true,
    alert: undefined,
    episodes: Array.from({ length: 4 }, (_, k) => ({
      startsAt: AT - 900 * (4 - k),
      state: k < 3 ? ('resolved' as const) : (states[i % states.length] as NoticeState),
      at: AT - 900 * (3 - k),
      dueSince: AT,
    })),
  }));
  const group = groupOf(alerts[0]?.labels ?? {}, {
    analyzer: 'lic:80',
    hasDigest: false,
    ownerOf: () => undefined,
  });
  return read(await channel.writeGroup({ group, notices, isReminder: false }, 'id', AT));
}

describe('a digest of 300 features', () => {
  it('that end on the same day names the first ones and their number, with a link to all of them', async () => {
    const { subject, text, html, size } = await digestOf(listOf((i) => expiry(i, 20)));
    expect(subject).toBe('[license-exporter] Licenses: 300 expire within 30 days');
    const named = [0, 1, 2, 3].map((i) => `Virtuoso_Layout_Suite_00${i} 23.10 (28 licenses)`).join(', ');
    const words = 'LicenseExpiringSoon+2026-12-08+lic01.example.com%3Bcdslmd';
    expect(text).toContain(
      `* Tuesday 2026-12-08, in 20 days: ${vendorLicense} (eda-team): 300 features: ${named} and 296 more: ${ALERTS}?q=${words}&owner=eda-team\n`,
    );
    expect(html).toContain(
      `<a href="${ALERTS}?q=${words}&amp;owner=eda-team"><bdi>300 features: ${named} and 296 more`,
    );
    expect(size).toBeLessThan(MAX_SIZE);
  });

  it('is grouped by day, vendor license and owner', async () => {
    const { text } = await digestOf([
      expiry(1, 20),
      expiry(2, 20, { owner: 'another' }),
      expiry(3, 20, { vendor_license: 'lic02;MLM' }),
      expiry(4, 21),
      expiry(5, 20),
    ]);
    const rows = text.split('\n').filter((row) => row.startsWith('* '));
    expect(rows.map((row) => row.replaceAll(/Virtuoso_Layout_Suite_00(\d) 23.10 \(28 licenses\)/g, '$1'))).toEqual([
      `* Tuesday 2026-12-08, in 20 days: ${vendorLicense} (eda-team): 1, 5`,
      `* Tuesday 2026-12-08, in 20 days: ${vendorLicense} (another): 2`,
      '* Tuesday 2026-12-08, in 20 days: lic02;MLM (eda-team): 3',
      `* Wednesday 2026-12-09, in 21 days: ${vendorLicense} (eda-team): 4`,
    ]);
  });

  it('that end on 300 days lists the first days and counts the rest', async () => {
    const { subject, text, html, size } = await digestOf(listOf((i) => expiry(i, i)));
    expect(subject).toBe('[license-exporter] Licenses: 300 expire within 299 days');
    expect(text.split('\n').filter((row) => row.startsWith('* '))).toHaveLength(15);
    expect(text).toContain(`\nand 285 more: ${ALERTS}?q=LicenseExpiringSoon+warning\n`);
    expect(html).toContain(`<a href="${ALERTS}?q=LicenseExpiringSoon+warning"><bdi>and 285 more`);
    expect(size).toBeLessThan(MAX_SIZE);
  });

  it('in each section is short enough', async () => {
    const severities = ['critical', 'warning', 'info'];
    const { size } = await digestOf([
      // four features on each day of each section
      ...severities.flatMap((severity) => listOf((i) => expiry(i, i % 75, { severity }))),
      ...listOf((i) => expiry(i, -(i % 75), { alertname: 'LicenseExpired', severity: 'critical' })),
      ...listOf((i) => expiry(i, 1, { alertname: 'LicenseRunsOut', expires: '' })),
    ]);
    expect(size).toBeLessThan(MAX_SIZE);
  });
});

describe('a message about 300', () => {
  it('urgent expiries that ended names some of them', async () => {
    const expiries = listOf((i) => expiry(i, 3, { severity: 'critical' }));
    const { text, size } = await mailAbout(expiries, ['resolved', 'no data']);
    expect(text.match(/^\* (?:Over|No data any more about): /gm)).toHaveLength(20);
    expect(text).toContain('And 280 more.');
    expect(size).toBeLessThan(MAX_SIZE);
  });

  it('alerts of a vendor license says all about five in each state, names others, and links to all', async () => {
    const alerts = listOf((i) => {
      const labels = { ...expiry(i, 0).labels, alertname: 'LicenseFeatureSaturated' };
      return {
        labels,
        annotations: {
          summary: `All licenses of ${labels.feature} 23.10 of ${vendorLicense} are in use.`,
          description: 'In the last 10 minutes, 28 of 28 licenses were in use. '.repeat(4),
          runbook_url: 'https://licenses.example.com/runbooks#licensefeaturesaturated',
          silence_url: `https://alertmanager.example.com/#/silences/new?filter=${encodeURIComponent(JSON.stringify(labels))}`,
        },
      };
    });
    const { subject, text, html, size } = await mailAbout(alerts, ['firing', 'no data', 'resolved']);
    expect(subject).toBe(`[license-exporter] Warning: ${vendorLicense}: feature saturated (100 alerts)`);
    expect(text.match(/^\* /gm)).toHaveLength(90);
    expect(text.match(/^ {2}Details: /gm)).toHaveLength(15);
    const url = `${ALERTS}?q=lic01.example.com%3Bcdslmd`;
    expect(text.split(`\nand 70 more: ${url}\n`)).toHaveLength(4);
    expect(html.split(`<a href="${url}">and 70 more</a>`)).toHaveLength(4);
    expect(size).toBeLessThan(MAX_SIZE);
  });
});
