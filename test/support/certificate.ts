import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

interface CertificateOptions {
  readonly hash?: string;
  readonly key?: keyof typeof keys;
  /** As in `subjectAltName`. */
  readonly names?: string;
  /** How long it is valid. Negative if it has expired. */
  readonly days?: number;
  /** Who signs it; it is self-signed without. */
  readonly issuer?: Certificate;
}

/** A certificate, self-signed and for localhost unless stated otherwise. */
export function createCertificate(
  cleanup: Cleanup,
  { hash = 'sha256', key = 'ec', names = 'DNS:localhost,IP:127.0.0.1', days = 30, issuer }: CertificateOptions = {},
): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-tls-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const [certFile, keyFile] = [path('cert.pem'), path('key.pem')];
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const subject = ['-subj', issuer === undefined ? '/CN=localhost' : '/CN=signed'];
  const asked = ['-newkey', ...keys[key].slice(1), '-nodes', `-${hash}`, '-keyout', keyFile, ...subject];
  const extension = `subjectAltName=${names}`;
  if (issuer === undefined && days > 0) {
    openssl('req', '-x509', ...asked, '-days', String(days), '-out', certFile, '-addext', extension);
  } else {
    openssl('req', '-new', ...asked, '-out', path('request.pem'));
    writeFileSync(path('extensions'), extension);
    const by = issuer === undefined ? ['-signkey', keyFile] : ['-CA', issuer.certFile, '-CAkey', issuer.keyFile];
    const validity = ['-days', String(days), '-extfile', path('extensions'), '-CAcreateserial'];
    openssl('x509', '-req', '-in', path('request.pem'), ...by, ...validity, '-out', certFile);
  }
  const cert = readFileSync(certFile, 'utf8');
  return { cert, key: readFileSync(keyFile, 'utf8'), certFile, keyFile, der: new X509Certificate(cert).raw };
}
