import { createHash, X509Certificate } from 'node:crypto';

/** Signature algorithms (DER of the object identifier) whose hash is not SHA-256 (RFC 5929 section 4.1). */
const hashesByOid: Readonly<Record<string, string>> = {
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
};

/** Returns where the content of a DER element begins and ends. */
function element(der: Buffer, at: number): { content: number; end: number } {
  const first = der.readUInt8(at + 1);
  if (first < 0x80) return { content: at + 2, end: at + 2 + first };
  const bytes = first & 0x7f;
  const content = at + 2 + bytes;
  return { content, end: content + der.readUIntBE(at + 2, bytes) };
}

/** The hash of a certificate's signature algorithm, whose identifier follows the TBS certificate. */
function hashOf(certificate: Buffer): string {
  try {
    const tbs = element(certificate, element(certificate, 0).content);
    const oid = element(certificate, element(certificate, tbs.end).content);
    return hashesByOid[certificate.toString('hex', oid.content, oid.end)] ?? 'sha256';
  } catch {
    return 'sha256';
  }
}

/** MD5 of the channel binding structure with this application data (RFC 2744 section 3.11, all addresses empty). */
export function bindingToken(applicationData: Buffer): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt32LE(applicationData.length, 16);
  return createHash('md5').update(header).update(applicationData).digest();
}

/** The `tls-server-end-point` application data of a certificate (RFC 5929). */
function endPointData(certificate: Buffer): Buffer {
  const der = new X509Certificate(certificate).raw;
  const hash = createHash(hashOf(der)).update(der).digest();
  return Buffer.concat([Buffer.from('tls-server-end-point:'), hash]);
}

/** The 16 bytes that bind a logon to the TLS server's certificate (MS-NLMP 2.2.2.1 MsvAvChannelBindings). */
export function channelBindingToken(certificate: Buffer): Buffer {
  return bindingToken(endPointData(certificate));
}
