import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './harness.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly der: Buffer;
}

/** The type of the key. Generating an RSA key would take longer than many tests. */
const keys = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['-newkey', 'rsa:2048'],
} as const;

/** A self-signed certificate for localhost. */
export function createCertificate(
  cleanup: Cleanup,
  { hash = 'sha256', key = 'ec' }: { readonly hash?: string; readonly key?: keyof typeof keys } = {},
): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-tls-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...keys[key], '-nodes', `-${hash}`, '-keyout', keyFile, '-out', certFile, ...names],
    { stdio: 'ignore' },
  );
  const cert = readFileSync(certFile, 'utf8');
  return { cert, key: readFileSync(keyFile, 'utf8'), certFile, keyFile, der: new X509Certificate(cert).raw };
}
