/** The layout that the three NTLM messages share (MS-NLMP 2.2). Everything is little-endian. */

/** The first eight bytes of every message (MS-NLMP 2.2.1). */
export const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');

/** The flags of a negotiation (MS-NLMP 2.2.2.5), those that are used here. */
export const flags = {
  UNICODE: 0x00000001,
  OEM: 0x00000002,
  REQUEST_TARGET: 0x00000004,
  SIGN: 0x00000010,
  SEAL: 0x00000020,
  NTLM: 0x00000200,
  ALWAYS_SIGN: 0x00008000,
  TARGET_TYPE_DOMAIN: 0x00010000,
  EXTENDED_SESSIONSECURITY: 0x00080000,
  TARGET_INFO: 0x00800000,
  VERSION: 0x02000000,
  KEY_128: 0x20000000,
  KEY_EXCH: 0x40000000,
  KEY_56: 0x80000000,
} as const;

/** Whether the flags of a message contain a flag. */
export const hasFlag = (value: number, flag: number): boolean => (value & flag) !== 0;

/** Thrown for bytes that are not a message of the expected type. Callers convert it to their own error. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** @throws MalformedMessage unless the bytes are a message of this type with at least `minLength` bytes */
export function checkMessage(message: Buffer, type: number, minLength: number): void {
  if (message.length < minLength) throw new MalformedMessage('message is too short');
  if (!message.subarray(0, 8).equals(SIGNATURE)) throw new MalformedMessage('signature is missing');
  if (message.readUInt32LE(8) !== type) throw new MalformedMessage('message is of another type');
}

/** Reads a field: length u16, maximum u16, offset u32 from the start of the message. */
export function readField(message: Buffer, at: number): Buffer {
  const length = message.readUInt16LE(at);
  const offset = message.readUInt32LE(at + 4);
  if (length === 0) return Buffer.alloc(0);
  if (offset + length > message.length) throw new MalformedMessage('a field lies outside the message');
  return message.subarray(offset, offset + length);
}

/** Lays out payloads one after the other and writes their field descriptors into the header. */
export function writePayload(header: Buffer, fields: readonly (readonly [at: number, data: Buffer])[]): Buffer {
  let offset = header.length;
  for (const [at, data] of fields) {
    header.writeUInt16LE(data.length, at);
    header.writeUInt16LE(data.length, at + 2);
    header.writeUInt32LE(offset, at + 4);
    offset += data.length;
  }
  return Buffer.concat([header, ...fields.map(([, data]) => data)]);
}

/** Ids of attribute-value pairs (MS-NLMP 2.2.2.1). */
export const av = {
  EOL: 0,
  NB_COMPUTER: 1,
  NB_DOMAIN: 2,
  DNS_COMPUTER: 3,
  DNS_DOMAIN: 4,
  FLAGS: 6,
  TIMESTAMP: 7,
  TARGET_NAME: 9,
  CHANNEL_BINDINGS: 10,
} as const;

/** Bit of the FLAGS pair: the AUTHENTICATE message carries a MIC. */
export const AV_FLAG_MIC = 0x2;

/** An attribute of the target information (MS-NLMP 2.2.2.1). */
export interface AvPair {
  readonly id: number;
  readonly value: Buffer;
}

/** @throws MalformedMessage unless every pair lies inside the bytes and the list ends with EOL */
export function readAvPairs(bytes: Buffer): AvPair[] {
  const pairs: AvPair[] = [];
  for (let at = 0; ; ) {
    if (at + 4 > bytes.length) throw new MalformedMessage('the target information has no end');
    const id = bytes.readUInt16LE(at);
    const length = bytes.readUInt16LE(at + 2);
    if (id === av.EOL) return pairs;
    if (at + 4 + length > bytes.length) throw new MalformedMessage('a pair of the target information is cut off');
    pairs.push({ id, value: bytes.subarray(at + 4, at + 4 + length) });
    at += 4 + length;
  }
}

/** Target information as bytes, with the pair that ends it. */
export function writeAvPairs(pairs: readonly AvPair[]): Buffer {
  return Buffer.concat(
    [...pairs, { id: av.EOL, value: Buffer.alloc(0) }].flatMap(({ id, value }) => {
      const head = Buffer.alloc(4);
      head.writeUInt16LE(id, 0);
      head.writeUInt16LE(value.length, 2);
      return [head, value];
    }),
  );
}

/** The value of the first attribute with an id. */
export const findPair = (pairs: readonly AvPair[], id: number): Buffer | undefined =>
  pairs.find((pair) => pair.id === id)?.value;
