import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** Checks PEM certificates and keys at start-up, before a connection needs them. */

const BLOCK = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** The use of a file: trusted CA certificates, a certificate (with or without its chain), or its private key. */
export type TlsRole = 'ca' | 'cert' | 'key';

/** A problem with a TLS file. */
export interface TlsFinding {
  readonly role: TlsRole;
  readonly message: string;
  /** The file can be loaded, but peers will refuse it. */
  readonly isWarning: boolean;
}

/** The certificates in a text, or why it contains no usable one. */
function certificatesOf(pem: string): readonly X509Certificate[] | string {
  const blocks = pem.match(BLOCK);
  if (blocks === null) {
    return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
      ? 'is a key, not a certificate'
      : 'is not a PEM certificate: it has no line -----BEGIN CERTIFICATE-----';
  }
  // a CA bundle can contain unreadable certificates
  const certificates = blocks.flatMap((block) => certificateOf(block) ?? []);
  return certificates.length === 0 ? 'is a damaged certificate; copy it again' : certificates;
}

function certificateOf(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** Why none of these certificates is valid now. */
function validityProblem(certificates: readonly X509Certificate[], now: number): string | undefined {
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  const last = Math.max(...certificates.map(({ validToDate }) => validToDate.getTime()));
  const first = Math.min(...certificates.map(({ validFromDate }) => validFromDate.getTime()));
  if (last < now) return `expired on ${day(last)}; renew it`;
  return first > now ? `is not valid before ${day(first)}; check the clock of this host` : undefined;
}

/** Why a text is not the private key of a certificate. */
function keyProblem(pem: string, certificate: X509Certificate | undefined): string | undefined {
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(pem)) {
    return 'is encrypted with a passphrase; remove the passphrase ("openssl pkey -in OLD -out NEW")';
  }
  try {
    const key = createPrivateKey(pem);
    return certificate?.checkPrivateKey(key) === false ? 'does not belong to the certificate' : undefined;
  } catch {
    return typeof certificatesOf(pem) === 'string'
      ? 'is not a PEM private key: it has no line -----BEGIN PRIVATE KEY-----'
      : 'is a certificate, not a key';
  }
}

/** The problems of TLS files. Messages never repeat the content of a file. */
export function tryTls(
  pem: Readonly<Partial<Record<TlsRole, string | undefined>>>,
  now: number,
): readonly TlsFinding[] {
  const findings: TlsFinding[] = [];
  const find = (role: TlsRole, message: string | undefined, isWarning = false): void => {
    if (message !== undefined) findings.push({ role, message, isWarning });
  };
  const [authorities, own] = [pem.ca, pem.cert].map((text) => (text === undefined ? [] : certificatesOf(text)));
  if (typeof authorities === 'string') find('ca', authorities);
  else if (authorities?.length) find('ca', validityProblem(authorities, now), true);
  if (typeof own === 'string') find('cert', own);
  else if (own?.[0] !== undefined) find('cert', validityProblem([own[0]], now), true);
  if (pem.key !== undefined) find('key', keyProblem(pem.key, typeof own === 'string' ? undefined : own?.[0]));
  if (findings.some(({ isWarning }) => !isWarning)) return findings;
  try {
    // OpenSSL rejects more, for example keys that are too short
    createSecureContext({ ca: pem.ca, cert: pem.cert, key: pem.key });
  } catch (error) {
    find(pem.cert === undefined ? 'ca' : 'cert', `cannot be used (${(error as NodeJS.ErrnoException).code})`);
  }
  return findings;
}
