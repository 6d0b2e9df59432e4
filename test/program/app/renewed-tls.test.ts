import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../src/alerting/alerts/http-client.ts';
import { createLogonHold, sendMail } from '../../../src/alerting/messages/smtp.ts';
import { createHttpTransport } from '../../../src/analyzer/sources/transport/http-transport.ts';
import { createTransportHost } from '../../../src/analyzer/sources/transport/transport-host.ts';
import { followTls, followTlsFiles } from '../../../src/base/files/followed-tls.ts';
import type { ClientTls } from '../../../src/base/model/client-tls.ts';
import { Secret } from '../../../src/base/settings/secret.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { type Certificate, createCertificate } from '../../support/certificate.ts';
import { quickPolls } from '../../support/end-to-end.ts';
import {
  createCleanup,
  createConfig,
  createTestLog,
  eventually,
  startAnalyzer,
  startApp,
} from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { startSmtpServer } from '../../support/start-smtp-server.ts';

/** Certificates that are renewed while the daemon runs. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const never = new AbortController().signal;

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-renewed-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

const KEPT = 'TLS files cannot be used, the last ones are kept';
const plain = { serverName: undefined, insecureSkipVerify: false, cert: undefined, key: undefined };

/** Trusts what a file contains. */
const trusting = (ca: string, { cert }: Certificate, log = createTestLog()): ClientTls =>
  followTls({ ...plain, ca: cert, files: { ca } }, log);

describe.runIf(peer('openssl'))('files for TLS', () => {
  it('are read again when they change, and the last ones are kept while one cannot be used', () => {
    const [old, renewed] = [createCertificate(cleanup), createCertificate(cleanup)];
    const folder = createFolder();
    const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const write = (name: keyof typeof files, text: string): void => writeFileSync(files[name], text);
    write('ca', old.cert);
    write('cert', old.cert);
    write('key', old.key);
    const log = createTestLog();
    const before = { ca: old.cert, cert: old.cert, key: old.key };
    const current = followTlsFiles(files, before, log);
    expect(current()).toEqual(before);
    expect(log.entries).toEqual([]);

    const refusals: [text: string, reason: string][] = [
      ['junk', 'is not a PEM certificate: it has no line -----BEGIN CERTIFICATE-----'],
      ['', 'is not a PEM certificate: it has no line -----BEGIN CERTIFICATE-----'],
      [old.key, 'is a key, not a certificate'],
      [old.cert.replace(/\n[^-\n]{20}/, '\n'), 'is a damaged certificate; copy it again'],
    ];
    for (const [text, reason] of refusals) {
      log.entries.length = 0;
      write('ca', text);
      expect([current(), current()]).toEqual([before, before]);
      write('ca', old.cert);
      expect(current()).toEqual(before);
      expect(log.entries).toEqual([{ level: 'warn', fields: { reason: `${files.ca} ${reason}` }, message: KEPT }]);
    }

    log.entries.length = 0;
    rmSync(files.ca);
    expect(current()).toEqual(before);
    expect(log.entries).toMatchObject([{ fields: { reason: `${files.ca} does not exist` } }]);

    log.entries.length = 0;
    write('ca', renewed.cert);
    // the certificate first, its key a moment later
    write('cert', renewed.cert);
    expect(current()).toEqual(before);
    write('key', renewed.key);
    const after = { ca: renewed.cert, cert: renewed.cert, key: renewed.key };
    expect(current()).toEqual(after);
    expect(log.entries).toEqual([
      { level: 'warn', fields: { reason: `${files.key} does not belong to the certificate` }, message: KEPT },
      { level: 'info', fields: { files: Object.values(files) }, message: 'changed TLS files are used' },
    ]);
    expect(JSON.stringify(log.entries)).not.toContain('BEGIN');
  });

  it('that changed after the configuration was read are used too', () => {
    const [old, renewed] = [createCertificate(cleanup), createCertificate(cleanup)];
    const tls = followTls(
      { ...plain, ca: old.cert, cert: old.cert, key: new Secret(old.key), files: { ca: renewed.certFile } },
      createTestLog(),
    );
    expect(tls.current?.()).toMatchObject({ ca: renewed.cert });
  });

  it('are those of the configuration, for every client', () => {
    const { certFile: ca, keyFile: key } = createCertificate(cleanup);
    const tls_config = { ca_file: ca, cert_file: ca, key_file: key };
    const source = (name: string, via: object) => ({ name, manager: 'query-api', via });
    const account = { url: 'https://h/analyzer', username: 'D\\u', password_file: key, tls: tls_config };
    const flags = new Map<SettingKey, unknown>([
      ['analyzer.tls.ca_file', ca],
      ['alerting.alertmanagers', [{ tls_config, static_configs: [{ targets: ['am:9093'] }] }]],
      [
        'embedded_analyzer.sources',
        [
          source('a', { analyzer: account }),
          { name: 'j', manager: 'json', via: { http: 'https://h/x', tls: tls_config } },
        ],
      ],
      ['alerting.webhook.url', 'https://h/x'],
      ['alerting.webhook.tls_config.ca_file', ca],
      ['alerting.email.smarthost', 'h:25'],
      ['alerting.email.from', 'a@example.com'],
      ['alerting.email.to', 'b@example.com'],
      ['alerting.email.tls_config.ca_file', ca],
    ]);
    const { alerting, embeddedAnalyzer } = loadConfig({ flags, env: {}, requireAnalyzer: false });
    const all = { ca, cert: ca, key };
    const vias = embeddedAnalyzer.sources.map(({ via }) =>
      via?.kind === 'http' ? via.tls : via?.kind === 'analyzer' ? (via.client as { tls: ClientTls }).tls : undefined,
    );
    expect(vias.map((tls) => tls?.files)).toEqual([all, all]);
    expect(alerting.alertmanagers.map(({ tls }) => tls.files)).toEqual([all]);
    expect(alerting.webhook?.tls.files).toMatchObject({ ca });
    expect(alerting.email?.tls.files).toMatchObject({ ca });
  });
});

/** Requests to a server whose certificate is renewed. */
describe.runIf(peer('openssl'))('the next connection', () => {
  /** A server on one port, with one certificate after the other. It answers only HTTP/1.1, but offers HTTP/2 too. */
  async function startRenewed({ cert, key }: Certificate) {
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      if (request.httpVersion !== '1.1') response.writeHead(505).end();
      else response.writeHead(200, { connection: 'close' }).end('x');
    });
    server.listen(0, '127.0.0.1');
    await eventually('the server listens', () => server.listening);
    cleanup.add(() => server.close());
    return {
      url: `https://localhost:${(server.address() as AddressInfo).port}/x`,
      renew: (next: Certificate) => server.setSecureContext({ cert: next.cert, key: next.key }),
    };
  }

  function createFile({ cert }: Certificate): string {
    const file = join(createFolder(), 'ca.pem');
    writeFileSync(file, cert);
    return file;
  }

  it('of Alertmanager and the webhook uses the renewed file', async () => {
    const [old, renewed] = [createCertificate(cleanup), createCertificate(cleanup)];
    const server = await startRenewed(old);
    const file = createFile(old);
    const client = createHttpClient({
      timeout: 10,
      authorization: () => undefined,
      proxy: undefined,
      tls: trusting(file, old),
      userAgent: 'test',
    });
    cleanup.add(() => client.close());
    const post = () => client.post(server.url, '{}', {}, never);
    expect(await post()).toMatchObject({ status: 200 });
    server.renew(renewed);
    expect(await post()).toMatchObject({ status: undefined });
    writeFileSync(file, renewed.cert);
    expect(await post()).toMatchObject({ status: 200 });
  });

  it('of a source uses the renewed file', async () => {
    const [old, renewed] = [createCertificate(cleanup), createCertificate(cleanup)];
    const server = await startRenewed(old);
    const file = createFile(old);
    const source = createHttpTransport(
      {
        kind: 'http',
        url: server.url,
        tokenFile: undefined,
        tls: trusting(file, old),
        label: 'test',
        timeout: 300,
        maxOutput: 1000,
        encoding: undefined,
      },
      createTransportHost({
        workFolder: join(createFolder(), 'work'),
        now: () => 0,
        analyzer: () => {
          throw new Error('no source is an analyzer');
        },
        onProblem: () => undefined,
      }),
    );
    cleanup.add(() => source.close());
    expect(await source.read([], never)).toMatchObject({ stdout: 'x' });
    server.renew(renewed);
    await expect(source.read([], never)).rejects.toThrow('unknown authority');
    writeFileSync(file, renewed.cert);
    expect(await source.read([], never)).toMatchObject({ stdout: 'x' });
  });

  it('of a mail uses the renewed file', async () => {
    const [old, renewed] = [createCertificate(cleanup), createCertificate(cleanup)];
    const file = createFile(old);
    const tls = trusting(file, old);
    const to = [{ address: 'a@example.com', setting: 'alerting.email.to[0]' }];
    const send = (port: number) =>
      sendMail(
        'Subject: test\r\nMessage-ID: <1@example.com>\r\n\r\nText\r\n',
        { from: 'licenses@example.com', to },
        {
          host: 'localhost',
          port,
          hello: 'test.example.com',
          username: undefined,
          password: () => '',
          requireTls: true,
          tls,
        },
        createLogonHold(() => 0),
        never,
      );
    const sink = await startSmtpServer(cleanup, { certificate: renewed });
    expect(await send(sink.port)).toMatchObject({ is: 'refused' });
    writeFileSync(file, renewed.cert);
    expect(await send(sink.port)).toMatchObject({ is: 'accepted' });
  });

  it('of the polled analyzer uses the renewed file, without a reload', async () => {
    const [old, renewed] = [createCertificate(cleanup), createCertificate(cleanup)];
    const file = createFile(old);
    const first = await startAnalyzer({}, { tls: old });
    const port = Number(new URL(first.url).port);
    const app = await startApp(createConfig(first.url, { ...quickPolls, 'analyzer.tls.ca_file': file }));
    cleanup.add(() => app.stop());
    const isUp = (up: number) => eventually(`up ${up}`, async () => (await app.sample('license_up')) === up);
    const isKept = () => app.log.entries.some(({ message }) => message === KEPT);
    await isUp(1);
    await first.stop();
    await isUp(0);
    writeFileSync(file, 'junk');
    const second = await startAnalyzer({}, { tls: old, port });
    await isUp(1);
    expect(isKept()).toBe(true);
    await second.stop();
    await isUp(0);
    const third = await startAnalyzer({}, { tls: renewed, port });
    cleanup.add(() => third.stop());
    await eventually('the certificate is not trusted', async () => {
      const failures = 'license_exporter_upstream_request_failures_total{endpoint="GetProducts",reason="tls"}';
      return ((await app.sample(failures)) ?? 0) > 0;
    });
    writeFileSync(file, renewed.cert);
    await isUp(1);
  });
});
