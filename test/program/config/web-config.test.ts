import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasChanged, readWebConfig } from '../../../src/program/config/web-config.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Of "geheim". */
const HASH = '$2b$10$yUb0WO/JF3zqxCMMt5nSaOlD3EQ6nP4vKxNObTm77d6CNXbCoCeES';

function write(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-web-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'web.yml');
  writeFileSync(path, text);
  return path;
}

describe('the web config', () => {
  it('that is empty requires no authentication', () => {
    expect(readWebConfig(write(''))).toMatchObject({ tls: undefined, headers: {} });
    expect(readWebConfig(write('')).users.size).toBe(0);
  });

  it.runIf(peer('openssl', 'promtool'))('is one that promtool takes too', () => {
    const { certFile, keyFile } = createCertificate(cleanup);
    const path = write(`tls_server_config:
  cert_file: ${certFile}
  key_file: ${keyFile}
  client_ca_file: ${certFile}
  client_auth_type: RequireAndVerifyClientCert
  min_version: TLS12
http_server_config:
  http2: false
  headers: {X-Frame-Options: deny, Strict-Transport-Security: max-age=31536000}
basic_auth_users: {prom: ${HASH}}
`);
    const web = readWebConfig(path);
    expect(web).toMatchObject({
      tls: { clientAuth: 'RequireAndVerifyClientCert', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' },
      headers: { 'X-Frame-Options': 'deny', 'Strict-Transport-Security': 'max-age=31536000' },
    });
    expect(JSON.stringify(web)).not.toContain('PRIVATE KEY');
    expect([...web.users]).toEqual([['prom', HASH]]);
    const checked = spawnSync('promtool', ['check', 'web-config', path], { encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([0, `${path} SUCCESS\n`]);
    expect(hasChanged(web)).toBe(false);
    utimesSync(keyFile, 1, 1);
    expect(hasChanged(web)).toBe(true);
  });
});
