import { expiryDay } from '../model/expiry-day.ts';
import type { OwnerMapping } from '../model/owners.ts';
import type { Expiry, KnownExpiries } from './expiry.ts';
import type { UnknownExpiry } from './unknown-expiry.ts';

/** Expiries as rows of a table. */

export interface ExpiryRowsOptions {
  readonly owners: OwnerMapping;
  /** Epoch seconds. */
  readonly now: number;
  /** The IANA name of the zone of the analyzer. */
  readonly timeZone: string;
}

type Row = readonly (string | number | null)[];

interface ExpiryRows {
  readonly columns: readonly string[];
  /** What is not known is first, with a note: at the end of a long table, nobody sees it. A row is made when it is read. */
  readonly rows: Iterable<Row>;
}

const DAY = 86_400;

const daysLeft = (expiration: number, now: number): number => Math.round(((expiration - now) / DAY) * 100) / 100;

/** The rows by date. */
export function expiryRows({ expiries, unknown }: KnownExpiries, options: ExpiryRowsOptions): ExpiryRows {
  const { owners, now, timeZone } = options;
  const ownerCells = (vendorLicense: string, feature?: string): Row => {
    const labels = owners.of(vendorLicense, feature);
    return owners.names.map((name) => labels[name] ?? null);
  };
  const unknownRow = ({ vendorLicense, reason }: UnknownExpiry): Row => {
    const note = `expiries are not all known: ${reason}`;
    return [vendorLicense, null, null, null, null, null, null, null, ...ownerCells(vendorLicense), note];
  };
  const expiryRow = (expiry: Expiry): Row => {
    const { vendorLicense, feature, version, package: pkg, featureType, licenses, expiration } = expiry;
    const dates = [expiryDay(expiration, timeZone) ?? null, daysLeft(expiration, now)];
    const owner = ownerCells(vendorLicense, feature);
    return [vendorLicense, feature, version, pkg, featureType, licenses ?? null, ...dates, ...owner, null];
  };
  return {
    columns: [
      ...['vendor_license', 'feature', 'version', 'package', 'feature_type', 'licenses', 'expires', 'days_left'],
      ...owners.names,
      'note',
    ],
    rows: [...unknown, ...expiries].values().map((item) => ('reason' in item ? unknownRow(item) : expiryRow(item))),
  };
}
