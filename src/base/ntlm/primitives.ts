import { createHmac } from 'node:crypto';
import httpntlm from 'httpntlm/ntlm.js';

/** The reliable parts of httpntlm, and what OpenSSL no longer offers. The only file that imports httpntlm. */

/** NT hash: MD4 of the password in UTF-16LE. Equivalent to the password for NTLM: treat it as a secret. */
export function ntHash(password: string): Buffer {
  return httpntlm.create_NT_hashed_password(password);
}

/** The NEGOTIATE message: 40 bytes, without domain and workstation (which httpntlm would escape). */
export function negotiate(): Buffer {
  // a fresh object each time, because httpntlm writes into it
  return Buffer.from(httpntlm.createType1Message({}).replace(/^NTLM /, ''), 'base64');
}

/** HMAC-MD5 of parts one after the other, 16 bytes (MS-NLMP 6). */
export function hmacMd5(key: Buffer, ...data: readonly Buffer[]): Buffer {
  const hmac = createHmac('md5', key);
  for (const part of data) hmac.update(part);
  return hmac.digest();
}

/** RC4, needed only to unwrap a session key of 16 bytes (MS-NLMP KEY_EXCH). */
export function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  const at = (i: number): number => state[i & 0xff] ?? 0;
  const swap = (one: number, other: number): void => {
    const held = at(one);
    state[one & 0xff] = at(other);
    state[other & 0xff] = held;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 0xff;
    swap(i, j);
  }
  let j = 0;
  return Buffer.from(
    data.map((byte, index) => {
      const i = (index + 1) & 0xff;
      j = (j + at(i)) & 0xff;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}

/**
 * Upper case as in Windows and Samba, which map one UTF-16 code unit to one. `ß`, surrogates, and the three Latin letters
 * whose upper case is in another block are not changed.
 */
export function upcase(text: string): string {
  let result = '';
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charAt(i);
    const upper = unit.toUpperCase();
    result += upper.length === 1 && !'µıſ'.includes(unit) ? upper : unit;
  }
  return result;
}

/** A text as NTLM sends it: UTF-16, little-endian, without an end. */
export const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** Key of NTLMv2 (MS-NLMP 3.3.2), with the domain exactly as sent. */
export function ntowfv2(hash: Buffer, user: string, domain: string): Buffer {
  return hmacMd5(hash, utf16(upcase(user) + domain));
}

/** 100-nanosecond intervals since 1601. */
export function fileTime(epochMs: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE((BigInt(Math.floor(epochMs)) + 11_644_473_600_000n) * 10_000n);
  return bytes;
}

/** Epoch milliseconds of a FILETIME. */
export function fromFileTime(bytes: Buffer): number {
  return Number(bytes.readBigUInt64LE() / 10_000n - 11_644_473_600_000n);
}
