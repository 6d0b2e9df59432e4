import { hash } from 'node:crypto';

/**
 * How long a value of a label may be. Services refuse a whole scrape for one value that is too long: Azure Monitor from 1,024
 * characters, Grafana Cloud from 2,049 bytes.
 */

/** Bytes of UTF-8. */
const MAX_BYTES = 1000;
/** Characters of UTF-16 that have no more bytes than that. */
const SURELY_SHORT = Math.floor(MAX_BYTES / 3);
const HASH_DIGITS = 16;

/** Whether a value is longer than labels are. */
export const isCutInLabels = (value: string): boolean =>
  value.length > SURELY_SHORT && Buffer.byteLength(value) > MAX_BYTES;

/**
 * The value of a label. Of one that is too long, it is the beginning with a hash of the whole, so that different values stay different,
 * and the same value is the same in each label.
 */
export function labelValue(value: string): string {
  if (!isCutInLabels(value)) return value;
  const end = `…${hash('sha256', value).slice(0, HASH_DIGITS)}`;
  const bytes = Buffer.from(value.slice(0, MAX_BYTES));
  let at = MAX_BYTES - Buffer.byteLength(end);
  // not within a character: its other bytes begin with 10
  while (((bytes[at] as number) & 0xc0) === 0x80) at -= 1;
  return `${bytes.toString('utf8', 0, at)}${end}`;
}

/** The labels with values that are not too long. */
export const labelValues = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, labelValue(value)]));
