import { execFileSync, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { authenticate, negotiate } from '../../src/base/ntlm/client-codec.ts';
import { account, createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-gss-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

interface Certificate {
  readonly der: Buffer;
  /** Its `tls-server-end-point` data (RFC 5929), with the hash that openssl computes. */
  readonly applicationData: string;
}

function createCertificate(hash: string): Certificate {
  const folder = temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', `-${hash}`, '-subj', '/CN=localhost'];
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  const fingerprint = execFileSync('openssl', ['x509', '-in', certFile, '-noout', '-fingerprint', `-${hash}`], {
    encoding: 'utf8',
  });
  const digest = fingerprint.trim().split('=')[1]?.replaceAll(':', '') ?? '';
  return {
    der: new X509Certificate(readFileSync(certFile)).raw,
    applicationData: Buffer.from('tls-server-end-point:').toString('hex') + digest,
  };
}

/** The verdict of gss-ntlmssp on our logon, when it expects a binding to this application data. */
async function verdict(applicationData: string, certificate?: Buffer): Promise<string> {
  const users = join(temporaryFolder(), 'users.txt');
  writeFileSync(users, `CORP:${account.username}:${account.password}\n`);
  // Debian's own python, which has the installed packages; another one can come first in PATH
  const child = spawn('/usr/bin/python3', [join(import.meta.dirname, 'gss-acceptor.py'), applicationData], {
    env: {
      LC_ALL: 'C.UTF-8',
      NTLM_USER_FILE: users,
      NETBIOS_COMPUTER_NAME: 'LICSRV',
      NETBIOS_DOMAIN_NAME: 'CORP',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanup.add(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: Buffer): Promise<string> => {
    child.stdin.write(`${message.toString('base64')}\n`);
    return String((await lines.next()).value);
  };
  const sent = negotiate();
  const challenge = Buffer.from(await ask(sent), 'base64');
  const context = { negotiate: sent, host: 'localhost', ...(certificate !== undefined && { certificate }) };
  return ask(authenticate(challenge, account, context));
}

describe.runIf(peer('gssapi', 'openssl'))('gss-ntlmssp with channel bindings', () => {
  it.each(['sha256', 'sha384', 'sha512'])('accepts a logon that is bound to the certificate, %s', async (hash) => {
    const { der, applicationData } = createCertificate(hash);
    expect(await verdict(applicationData, der)).toBe('ok CORP\\svc-lic');
  });

  it('rejects a logon that is bound to another certificate', async () => {
    const other = createCertificate('sha256');
    expect(await verdict(createCertificate('sha256').applicationData, other.der)).toMatch(/^refused /);
  });

  it('accepts a logon that is not bound, as over plain HTTP', async () => {
    expect(await verdict(createCertificate('sha256').applicationData)).toBe('ok CORP\\svc-lic');
  });
});
