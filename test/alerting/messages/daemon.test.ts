import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { describe, expect } from 'vitest';
import { createCertificate } from '../../support/certificate.ts';
import { evaluations, startSite } from '../../support/end-to-end.ts';
import { type Cleanup, eventually, sampleOf, startAnalyzer } from '../../support/harness.ts';
import { createMessageDaemon } from '../../support/message-daemon.ts';
import { it } from '../../support/side-by-side.ts';
import { type ReceivedMail, type SmtpSink, startSmtpServer } from '../../support/start-smtp-server.ts';

/** The daemon as a process, with a real analyzer and a real mail server. */

const DAY = 86_400;

/** A mail server without a logon. */
const plainMail = (sink: SmtpSink) => ({
  smarthost: `127.0.0.1:${sink.port}`,
  from: 'licenses@example.com',
  to: ['team@example.com'],
  require_tls: false,
});

const subjects = (mails: readonly ReceivedMail[]): readonly string[] =>
  mails.map(({ subject = '' }) => subject.replace('[license-exporter] ', ''));

const textOf = (mail: ReceivedMail | undefined): string => mail?.text ?? '';

async function startPlain(cleanup: Cleanup) {
  const [site, sink] = await Promise.all([startSite(cleanup), startSmtpServer(cleanup)]);
  const daemon = createMessageDaemon(cleanup, site, { email: plainMail(sink) });
  return { site, sink, daemon };
}

describe('mails of the daemon', () => {
  it.concurrent('a server goes down and comes back: one mail each, over STARTTLS and with a logon', async ({
    cleanup,
  }) => {
    const certificate = createCertificate(cleanup);
    const password = 'P4ss word';
    const [site, sink] = await Promise.all([startSite(cleanup), startSmtpServer(cleanup, { certificate, password })]);
    const daemon = createMessageDaemon(cleanup, site, {
      email: {
        smarthost: `localhost:${sink.port}`,
        from: 'License monitor <licenses@example.com>',
        to: ['team@example.com', 'boss@example.com'],
        auth_username: 'monitor',
        auth_password_file: 'mail-password',
        tls_config: { ca_file: certificate.certFile },
      },
    });
    writeFileSync(join(daemon.folder, 'mail-password'), `${password}\n`, { mode: 0o600 });
    const running = await daemon.start();
    await site.setDown(true);
    await sink.received(1);
    await site.setDown(false);
    const [down, up] = await sink.received(2);
    // enough time for a third mail
    await evaluations(16, { app: running });
    expect(subjects(sink.mails)).toEqual([
      `Critical: ${site.vendorLicense}: server down`,
      `${site.vendorLicense}: resolved`,
    ]);
    expect(down?.recipients).toEqual(['team@example.com', 'boss@example.com']);
    expect(down?.from).toEqual({ name: 'License monitor', address: 'licenses@example.com' });
    expect(textOf(down)).toContain(`* License server ${site.vendorLicense} is down. (critical)`);
    expect(textOf(down)).toMatch(/Details: https:\/\/licenses\.example\.com\/alerts\?alert=(alert-[0-9a-f]{16})#\1\n/);
    expect(textOf(down)).toContain('Runbook: https://licenses.example.com/runbooks#licenseserverdown\n');
    expect(down?.html).toContain('<a href="https://licenses.example.com/runbooks#licenseserverdown">');
    expect(textOf(up)).toContain(`* No longer: License server ${site.vendorLicense} is down.`);
    expect(statSync(join(daemon.storage, 'messages.json')).mode & 0o777).toBe(0o600);

    const page = await (await fetch(`${running.url}/metrics`)).text();
    expect(sampleOf(page, 'license_exporter_messages_sent_total{receiver="email"}')).toBe(2);
    expect(sampleOf(page, 'license_exporter_messages_waiting{receiver="email"}')).toBe(0);
    // mails do not replace the rules of Prometheus
    expect(page).not.toContain('license_alerts_delivered{');
    expect(running.output()).not.toContain(password);
  });

  it.concurrent('a mail server is down, the daemon is killed, and both start again: one mail says all', async ({
    cleanup,
  }) => {
    const { site, sink, daemon } = await startPlain(cleanup);
    await sink.down();
    const first = await daemon.start();
    await site.setDown(true);
    const { reason } = await first.line('messages not delivered');
    expect(reason).toContain(`no mail accepted by 127.0.0.1:${sink.port}`);
    await site.setDown(false);
    const file = join(daemon.storage, 'messages.json');
    // no message is being sent at this moment: that one would be sent again as it is
    const isSaved = (): boolean => /"state":"resolved".*"frozen":\[\]/.test(readFileSync(file, 'utf8'));
    await eventually('the end is saved', isSaved);
    first.child.kill('SIGKILL');
    await first.exit;
    const second = await daemon.start();
    await second.line('messages not delivered');
    await sink.up();
    const [mail] = await sink.received(1);
    await second.line('messages are delivered again');
    await evaluations(16, { app: second });
    expect(subjects(sink.mails)).toEqual([`${site.vendorLicense}: server down, resolved`]);
    expect(textOf(mail)).toMatch(/ {2}from \S+ \S+ UTC to \S+ \S+ UTC\n/);
    // one line each, however often it is tried
    for (const msg of ['messages not delivered', 'messages are delivered again']) {
      expect(second.lines.filter((line) => line.msg === msg)).toHaveLength(1);
    }
  });

  it.concurrent('the daemon is killed before it knows that a mail was accepted: the very same mail is sent again', async ({
    cleanup,
  }) => {
    const { site, sink, daemon } = await startPlain(cleanup);
    sink.answer('hang');
    const first = await daemon.start();
    await site.setDown(true);
    await sink.received(1);
    first.child.kill('SIGKILL');
    await first.exit;
    // what it says is out of date now, and it must be the same all the same
    await site.setDown(false);
    sink.answer('accept');
    const second = await daemon.start();
    await sink.received(3);
    await evaluations(16, { app: second });
    expect(sink.mails[1]?.raw).toBe(sink.mails[0]?.raw);
    expect(sink.mails[0]?.messageId).toMatch(/^<[0-9a-f]{32}@example\.com>$/);
    expect(subjects(sink.mails).slice(1)).toEqual([
      `Critical: ${site.vendorLicense}: server down`,
      `${site.vendorLicense}: resolved`,
    ]);
  });

  it.concurrent('a reload replaces the mail server, and neither loses nor repeats a mail', async ({ cleanup }) => {
    const { site, sink, daemon } = await startPlain(cleanup);
    const running = await daemon.start();
    await site.setDown(true);
    await sink.received(1);
    const other = await startSmtpServer(cleanup);
    daemon.change({ email: plainMail(other) });
    running.child.kill('SIGHUP');
    await running.line('configuration reloaded');
    await evaluations(16, { app: running });
    expect(other.mails).toHaveLength(0);
    await site.setDown(false);
    await other.received(1);
    await evaluations(8, { app: running });
    expect(subjects(sink.mails)).toEqual([`Critical: ${site.vendorLicense}: server down`]);
    expect(subjects(other.mails)).toEqual([`${site.vendorLicense}: resolved`]);
  });
});

/** A site with many licenses that expire, each on a day of its own. */
async function startExpiring(cleanup: Cleanup) {
  const now = (): number => Date.now() / 1000;
  const analyzer = await startAnalyzer({ vendorLicenses: 14, featuresPerVendorLicense: 60, now });
  cleanup.add(() => analyzer.stop());
  const expirations: Record<string, number> = {};
  for (const { name, observation } of analyzer.collector.current()) {
    const features = [...new Set(observation.pools.map(({ feature }) => feature))];
    for (const [i, feature] of features.entries()) {
      expirations[`${name}/${feature}`] = now() + (i < 27 ? i + 1.5 : 400) * DAY;
    }
  }
  analyzer.site.force({ expirations });
  await analyzer.collector.collect();
  return { url: analyzer.url, names: analyzer.collector.current().map(({ name }) => name) };
}

interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

async function firingExpiries(url: string): Promise<readonly Alert[]> {
  const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as { data: { alerts: readonly Alert[] } };
  return data.alerts.filter(({ state, labels }) => state === 'firing' && /Expir/.test(labels.alertname ?? ''));
}

/** A schedule with one run at a time, by the clock of UTC. */
function onceAt(at: number): string {
  const date = new Date(at * 1000);
  return [
    date.getUTCSeconds(),
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth() + 1,
    '*',
  ].join(' ');
}

describe('the digest', () => {
  it.concurrent('lists 300 expiries in one mail for each owner, with a calendar', async ({ cleanup }) => {
    const [site, sink] = await Promise.all([startExpiring(cleanup), startSmtpServer(cleanup)]);
    const ownerOf = (i: number): string => (i < 5 ? 'cad' : i < 8 ? 'cfd' : 'nobody');
    const messagesWithDigestAt = (at: number) => ({
      group_wait: '300ms',
      rules: {
        LicenseExpiringSoon: { for: '0s', keep_firing_for: '0s' },
        // at some hours the site has features in full use, and the digest waits for an alert that is to fire
        LicenseFeatureSaturated: { enabled: false },
        LicenseRequestsQueued: { enabled: false },
        LicenseDenials: { enabled: false },
      },
      email: {
        ...plainMail(sink),
        owners: { cad: ['cad@example.com'], cfd: ['cfd@example.com'] },
        digest: onceAt(at),
      },
    });
    const daemon = createMessageDaemon(cleanup, site, messagesWithDigestAt(Date.now() / 1000 - DAY), {
      datasource: { time_zone: 'UTC' },
      owners: site.names.map((vendor_license, i) => ({ vendor_license, owner: ownerOf(i) })),
    });
    const running = await daemon.start();
    await eventually('the expiries fire', async () => (await firingExpiries(running.url)).length > 300);
    // the hour of the digest comes after the alerts and after the reload that sets it
    for (let ahead = 3, at = 0; at <= Date.now() / 1000; ahead *= 2) {
      at = Math.floor(Date.now() / 1000) + ahead;
      daemon.change(messagesWithDigestAt(at));
      const reloads = () => running.lines.filter(({ msg }) => msg === 'configuration reloaded').length;
      const before = reloads();
      running.child.kill('SIGHUP');
      await eventually('the digest is set', () => reloads() > before);
    }
    const digests = () => sink.mails.filter(({ subject = '' }) => subject.includes('] Licenses'));
    await eventually('three digests', () => digests().length === 3);
    await evaluations(8, { app: running });
    const sent = digests().map(({ recipients, text = '', attachments, subject }) => {
      const [calendar] = attachments;
      const component = new ICAL.Component(ICAL.parse(new TextDecoder().decode(calendar?.content as ArrayBuffer)));
      return {
        to: recipients.join(),
        subject,
        rows: text.match(/^\* \w+day \d{4}-\d\d-\d\d, in /gm)?.length,
        events: component.getAllSubcomponents('vevent').length,
      };
    });
    const alerts = await firingExpiries(running.url);
    expect(alerts.length).toBeGreaterThan(300);
    const expected = [
      ['cad', 'cad@example.com', ' of cad'],
      ['cfd', 'cfd@example.com', ' of cfd'],
      ['nobody', 'team@example.com', ''],
    ].map(([owner, to, name]) => {
      const own = alerts.filter(({ labels }) => labels.owner === owner && labels.severity !== 'critical');
      const sections = { warning: 'expire within 30 days', info: 'expire within 60 days' };
      const counts = Object.entries(sections).flatMap(([severity, words]) => {
        const listed = own.filter(({ labels }) => labels.severity === severity);
        // each with its number of licenses
        const count = listed.reduce((sum, { annotations: { features = '' } }) => sum + features.split('), ').length, 0);
        return count === 0 ? [] : `${count} ${words}`;
      });
      const daysOf = (listed: typeof own): number =>
        new Set(listed.map(({ labels }) => `${labels.vendor_license} ${labels.expires}`)).size;
      return {
        to,
        subject: `[license-exporter] Licenses${name}: ${counts.join(', ')}`,
        // a section has 15 rows at most
        rows: Object.keys(sections)
          .map((severity) => Math.min(15, daysOf(own.filter(({ labels }) => labels.severity === severity))))
          .reduce((a, b) => a + b, 0),
        // one for each day of a vendor license
        events: daysOf(own),
      };
    });
    expect(sent.sort((a, b) => a.to.localeCompare(b.to))).toEqual(expected);
    // those in their last seven days have not waited for it: one mail for each owner
    const urgent = () => sink.mails.filter(({ subject = '' }) => subject.includes('Urgent expiries'));
    await eventually('three mails about what is urgent', () => urgent().length >= 3);
    expect(
      urgent()
        .map(({ recipients }) => recipients.join())
        .sort(),
    ).toEqual(['cad@example.com', 'cfd@example.com', 'team@example.com']);
  });
});
