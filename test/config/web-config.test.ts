import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasChanged, readWebConfig } from '../../src/config/web-config.ts';
import { createCertificate } from '../support/certificate.ts';
import { createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';

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

const messageOf = (path: string): string => {
  try {
    readWebConfig(path);
  } catch (error) {
    return (error as Error).message.replace(`${path}: `, '').replaceAll(join(path, '..'), 'HERE');
  }
  return 'no error';
};

describe('the web config', () => {
  it.each([
    ['[', 'not valid YAML: Flow sequence must end with a ]'],
    ['- a', 'the file is not a map'],
    [
      'basic_auth_user: {}',
      'unknown key basic_auth_user, did you mean basic_auth_users?; the file knows basic_auth_users, tls_server_config, http_server_config',
    ],
    ['basic_auth_users: [a]', 'basic_auth_users is not a map'],
    [
      'basic_auth_users: {a: secret-password}',
      'the hash of user a is not bcrypt; make it with "license-exporter hash-password a"',
    ],
    ['basic_auth_users: {a: 7}', 'the hash of user a is not a text'],
    [`basic_auth_users: {"a:b": ${HASH}}`, 'a user name is empty or has a colon in it'],
    ['rate_limit: {interval: 1s}', 'rate_limit is not offered: put a reverse proxy in front for it'],
    ['tls_server_config: {key: x}', 'key is not offered: secrets are never inline, write key_file'],
    ['tls_server_config: {cert_file: none.pem, key_file: none.key}', 'cert_file: HERE/none.pem does not exist'],
    ['tls_server_config: {min_version: TLS13}', 'tls_server_config needs cert_file and key_file'],
    [
      'http_server_config: {headers: {X-Powered-By: me}}',
      'unknown key X-Powered-By; headers knows Content-Security-Policy, X-Frame-Options, X-Content-Type-Options, X-XSS-Protection, Strict-Transport-Security',
    ],
    ['http_server_config: {headers: {X-Frame-Options: 1}}', 'the header X-Frame-Options is not a text'],
  ])('%s is refused with the reason', (text, message) => {
    expect(messageOf(write(text))).toBe(message);
    expect(message).not.toContain('secret-password');
  });

  it('that does not exist is refused', () => {
    expect(() => readWebConfig('/nowhere/web.yml')).toThrow('/nowhere/web.yml: does not exist');
  });

  it.runIf(peer('openssl')).each([
    ['min_version: TLS99', 'min_version is "TLS99", not one of TLS10, TLS11, TLS12, TLS13'],
    ['min_version: TLS13, max_version: TLS12', 'min_version is above max_version'],
    [
      'client_auth_type: Always',
      'client_auth_type is "Always", not one of NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert',
    ],
    ['client_auth_type: RequireAndVerifyClientCert', 'RequireAndVerifyClientCert needs client_ca_file'],
    [
      'client_ca_file: CERT',
      'client_ca_file has no effect without client_auth_type, RequireAndVerifyClientCert for instance',
    ],
    [
      'key_file: CERT',
      "cert_file, key_file or client_ca_file is no PEM, or the key is not the certificate's (ERR_OSSL_NO_START_LINE)",
    ],
  ])('with TLS and %s is refused with the reason', (more, message) => {
    const { certFile, keyFile } = createCertificate(cleanup);
    const key = more.startsWith('key_file') ? '' : `key_file: ${keyFile}, `;
    const path = write(`tls_server_config: {cert_file: ${certFile}, ${key}${more.replace('CERT', certFile)}}`);
    expect(messageOf(path).replace(/\(ERR_\w+\)/, '(ERR_OSSL_NO_START_LINE)')).toBe(message);
  });

  it('that is empty lets everybody in', () => {
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
