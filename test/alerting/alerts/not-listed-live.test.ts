import { describe, expect } from 'vitest';
import { evaluations, quickEngine, quickPolls, quickRules } from '../../support/end-to-end.ts';
import { startFaulty } from '../../support/faulty-analyzer.ts';
import { type Cleanup, createConfig, eventually, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';
import { startPrometheus } from '../../support/start-prometheus.ts';
import { startSmtpServer } from '../../support/start-smtp-server.ts';

/** A server that is down and no longer listed is not said to be up: not by Prometheus, Alertmanager, a mail or a webhook. */

type Path = 'rules' | 'engine' | 'both';

type State = 'up' | 'down' | 'vendor license lost' | 'all lost';

const isListed = (state: State, isLost: boolean): boolean =>
  state !== 'all lost' && !(state === 'vendor license lost' && isLost);

/** An analyzer whose lists can lose a vendor license that is down, or all of them. */
async function startLossy(cleanup: Cleanup) {
  const analyzer = await startFaulty(cleanup, { vendorLicenses: 2, featuresPerVendorLicense: 2 });
  const lost = 'sim-lic02;sim_meshd';
  let state: State = 'up';
  analyzer.break('', (request, response, body) => {
    const { url = '' } = request;
    const text = body.toString();
    const answer = url.includes('GetServerDown')
      ? `[${state === 'down' ? JSON.stringify({ Label: lost }) : ''}]`
      : url.includes('GetProducts')
        ? // not each number of a list is one of JSON
          `[${(text.match(/\{[^{}]*\}/g) ?? []).filter((record) => isListed(state, record.includes(lost))).join()}]`
        : text;
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  return {
    url: analyzer.url,
    lost,
    become: (next: State) => {
      state = next;
    },
  };
}

async function startAll(path: Path, cleanup: Cleanup) {
  const analyzer = await startLossy(cleanup);
  const [sink, hook, mails] = await Promise.all([startSink(cleanup), startSink(cleanup), startSmtpServer(cleanup)]);
  const alertmanager = await startAlertmanager(cleanup, sink);
  const engine = quickEngine(path === 'rules' ? [] : [alertmanager.url]);
  const app = await startApp(
    createConfig(analyzer.url, {
      ...quickPolls,
      ...engine,
      'alerting.rules': { ...(engine['alerting.rules'] as object), LicenseVendorLicenseVanished: { for: '4s' } },
      'alerting.group_wait': '0s',
      'alerting.group_interval': '1s',
      'alerting.webhook.url': hook.url,
      'alerting.email.smarthost': `127.0.0.1:${mails.port}`,
      'alerting.email.from': 'licenses@example.com',
      'alerting.email.to': ['team@example.com'],
      'alerting.email.require_tls': false,
    }),
  );
  cleanup.add(() => app.stop());
  const prometheus =
    path === 'engine'
      ? undefined
      : await startPrometheus(cleanup, app.url, { rules: quickRules(cleanup), alertmanagers: [alertmanager.url] });
  const down = { alertname: 'LicenseServerDown', vendor_license: analyzer.lost };
  await eventually('a poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  analyzer.become('down');
  await eventually('firing', () => sink.of(down).includes('firing') && hook.of(down).includes('firing'));
  await mails.received(1);
  const all = [sink, hook];
  return { analyzer, all, mails, app, prometheus, down };
}

/** The names of what fires in the daemon. */
async function firingOf(url: string): Promise<readonly string[]> {
  const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
    data: { alerts: readonly { state: string; labels: { alertname: string } }[] };
  };
  return data.alerts.flatMap(({ state, labels }) => (state === 'firing' ? labels.alertname : []));
}

/** What is said of an alert, without what is said again. */
const changes = (statuses: readonly string[]): readonly string[] =>
  statuses.filter((status, i) => status !== statuses[i - 1]);

describe.runIf(peer('prometheus', 'prometheus-alertmanager'))(
  'a server that is down, when it is not listed any more,',
  () => {
    it.concurrent.for<Path>(['rules', 'engine', 'both'])(
      'is not said to be up before its vendor license is said to be gone: %s',
      async (path, { cleanup }) => {
        const { analyzer, all, mails, app, prometheus, down } = await startAll(path, cleanup);
        const gone = { ...down, alertname: 'LicenseVendorLicenseVanished' };
        analyzer.become('vendor license lost');
        await eventually('vanished', async () => {
          const ended = all.filter((sink) => sink.of(down).includes('resolved'));
          const hasVanished = (await firingOf(app.url)).includes(gone.alertname);
          if (!hasVanished) expect(ended).toEqual([]);
          return hasVanished;
        });
        await eventually('the end', () =>
          all.every((sink) => sink.of(gone).includes('firing') && sink.of(down).at(-1) === 'resolved'),
        );
        await evaluations(8, { app, prometheus });
        for (const sink of all) expect(changes(sink.of(down))).toEqual(['firing', 'resolved']);
        const texts = mails.mails.map(({ subject = '', text = '' }) => `${subject}\n${text}`).join('\n');
        expect(texts).toContain('No longer listed by the analyzer: License server');
        expect(texts).not.toMatch(/resolved|no longer: /i);
      },
    );

    it.concurrent.for<Path>(['rules', 'engine', 'both'])(
      'is one alert while nothing is listed, and when the list is back: %s',
      async (path, { cleanup }) => {
        const { analyzer, all, mails, app, prometheus, down } = await startAll(path, cleanup);
        analyzer.become('all lost');
        await evaluations(40, { app, prometheus });
        const page = await (await fetch(`${app.url}/metrics`)).text();
        expect(page).not.toMatch(/^license_server_up\{[^}]*sim_meshd[^}]*\} 1$/m);
        analyzer.become('down');
        await evaluations(16, { app, prometheus });
        for (const sink of all) expect(changes(sink.of(down))).toEqual(['firing']);
        const subjects = mails.mails.map(({ subject = '' }) => subject);
        expect(subjects.filter((subject) => subject.includes(analyzer.lost))).toHaveLength(1);
      },
    );
  },
);
