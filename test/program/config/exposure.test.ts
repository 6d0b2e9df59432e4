import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { exposureOf, openAddresses } from '../../../src/program/config/listeners.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup, createConfig } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const isOpen = (settings: Partial<Record<SettingKey, unknown>>): boolean =>
  exposureOf(createConfig('http://127.0.0.1:1/analyzer', settings).web) !== undefined;

describe('a listener', () => {
  it.each([
    [':10319', true],
    ['0.0.0.0:10319', true],
    ['[::]:10319', true],
    ['127.0.0.1:10319,:10400', true],
    ['127.0.0.1:10319', false],
    ['[::1]:10319,localhost:10319,192.0.2.7:10319', false],
  ])('on %s without a password is open to everyone: %s', (address, expected) => {
    expect(isOpen({ 'web.listen_address': address })).toBe(expected);
  });

  it('is not closed by a trusted proxy: other clients need no password', () => {
    const proxy = { 'web.trusted_proxy.from': '10.0.0.5', 'web.trusted_proxy.user_header': 'X-User' };
    expect(isOpen({ 'web.listen_address': ':10319', ...proxy })).toBe(true);
  });

  it.runIf(peer('openssl'))('is closed by users, and by client certificates of the CA', () => {
    const { certFile, keyFile } = createCertificate(cleanup);
    const file = join(certFile, '..', 'web.yml');
    const withConfig = (text: string): boolean => {
      writeFileSync(file, text);
      return isOpen({ 'web.listen_address': ':10319', 'web.config_file': file });
    };
    const tls = `cert_file: ${certFile}, key_file: ${keyFile}`;
    expect(withConfig(`basic_auth_users: {ada: '${hashSync('x', 4)}'}\n`)).toBe(false);
    expect(withConfig(`tls_server_config: {${tls}}\n`)).toBe(true);
    const client = (type: string) =>
      `tls_server_config: {${tls}, client_auth_type: ${type}, client_ca_file: ${certFile}}\n`;
    expect(withConfig(client('RequireAndVerifyClientCert'))).toBe(false);
    expect(withConfig(client('VerifyClientCertIfGiven'))).toBe(true);
  });

  it('on all addresses is named with its port and the remedy', () => {
    expect(exposureOf(createConfig('http://127.0.0.1:1/analyzer', { 'web.listen_address': ':10400' }).web)).toEqual({
      finding:
        'every client that reaches port 10400 can read licenses, owners and alerts: web.listen_address is on all addresses, and no password is required',
      remedy: 'add users to web.config_file, or set web.listen_address to one address, such as 127.0.0.1:10400',
    });
  });
});

describe('the address to open', () => {
  it.each<[what: string, configured: string | undefined, listen: readonly string[], opened: readonly string[]]>([
    ['of one address', undefined, ['http://127.0.0.1:1'], ['http://127.0.0.1:1']],
    ['of IPv6', undefined, ['http://[::1]:1'], ['http://[::1]:1']],
    ['of a part of the network', undefined, ['http://[fe80::1%eth0]:1'], ['http://[fe80::1%eth0]:1']],
    ['of all addresses', undefined, ['http://[::]:1'], ['http://localhost:1', `http://${hostname()}:1`]],
    ['of all addresses of IPv4', undefined, ['http://0.0.0.0:1'], ['http://localhost:1', `http://${hostname()}:1`]],
    ['with a certificate', undefined, ['https://[::]:1'], [`https://${hostname()}:1`, 'https://localhost:1']],
    ['of several', undefined, ['http://127.0.0.1:1', 'http://10.0.0.1:2'], ['http://127.0.0.1:1', 'http://10.0.0.1:2']],
    ['as configured', 'https://lic.example.com', ['http://[::]:1'], ['https://lic.example.com']],
  ])('%s is one that a browser opens', (_, configured, listen, opened) => {
    expect(openAddresses(configured, listen)).toEqual(opened);
    for (const address of opened.filter((one) => !one.includes('%')))
      expect(new URL(address).hostname).not.toBe('[::]');
  });
});
