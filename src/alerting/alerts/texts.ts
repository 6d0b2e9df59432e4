import { isUncounted } from '../../base/model/uncounted.ts';
import { isKnown, unknown } from '../../base/model/unknown.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Labels } from './alert.ts';

/** Times and figures as an engineer on call reads them. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-18 10:30 CET`. @param at epoch seconds @param timeZone IANA name */
export function localTimeText(at: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`;
}

/** `2026-11-18`. @param at epoch seconds @param timeZone IANA name */
export const localDateText = (at: number, timeZone: string): string => localTimeText(at, timeZone).slice(0, 10);

/** `2027-03`. @param day local day, counted from 1970-01-01 */
export const monthText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 7);

/** `28` or `uncounted`; `undefined` if the number is not known. */
export const countText = (row: Pick<FeatureRow, 'licenseType' | 'maxAvailable'>): string | undefined =>
  isUncounted(row) ? 'uncounted' : isKnown(row.maxAvailable) ? `${row.maxAvailable}` : undefined;

/** `28 licenses`, `1 license` or `uncounted`; `undefined` if the number is not known. */
export function licensesText(row: Pick<FeatureRow, 'licenseType' | 'maxAvailable'>): string | undefined {
  if (isUncounted(row)) return 'uncounted';
  const { maxAvailable: count } = row;
  return count === unknown ? undefined : `${count} ${count === 1 ? 'license' : 'licenses'}`;
}

/** `26 of 28 licenses`, or `26 licenses` of uncounted ones; `undefined` if a number is not known. */
export function usageText(row: Pick<FeatureRow, 'licenseType' | 'maxAvailable' | 'inUse'>): string | undefined {
  const { inUse, maxAvailable } = row;
  if (inUse === unknown) return undefined;
  if (isUncounted(row)) return `${inUse} uncounted licenses`;
  return maxAvailable === unknown ? undefined : `${inUse} of ${maxAvailable} licenses`;
}

/** `2d 3h`, `45m`, `30s`: seconds in the two largest units. */
export function humanDuration(seconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ];
  let rest = Math.max(0, Math.floor(seconds));
  const first = units.findIndex(([, size]) => rest >= size);
  if (first === -1) return '0s';
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** What an alert is about, in the words of its texts. */
export interface About {
  readonly vendorLicense: string;
  /** `12 features of lic01;cdslmd`; of how many is only known to the engine. */
  readonly features: string;
  /** ` on 2026-12-01`; empty if no day is known. */
  readonly onDay: string;
  readonly endpoint: string;
  readonly field: string;
  readonly source: string;
  readonly analyzer: string;
  readonly exporter: string;
}

/** The words of an alert of the engine. @param count of the features that it sums up; `undefined` without them */
export const aboutLabels = (labels: Labels, count?: number): About => {
  const {
    vendor_license: vendorLicense = '',
    expires,
    endpoint = '',
    field = '',
    license_source: source = '',
  } = labels;
  return {
    ...{ vendorLicense, endpoint, field, source },
    features: `${count} features of ${vendorLicense}`,
    onDay: expires === undefined ? '' : ` on ${expires}`,
    analyzer: 'license analyzer',
    exporter: 'license exporter',
  };
};

const ANALYZER =
  'analyzer{{ if $labels.analyzer }} {{ $labels.analyzer }}{{ end }}{{ if $labels.shard }} (shard {{ $labels.shard }}){{ end }}';

/** The same as a template of Prometheus. It reads labels only: a query for each alert costs more than all rules together. */
export const aboutTemplate: About = {
  vendorLicense: '{{ $labels.vendor_license }}',
  features: 'features of {{ $labels.vendor_license }}',
  onDay: ' on {{ $labels.expires }}',
  endpoint: '{{ $labels.endpoint }}',
  field: '{{ $labels.field }}',
  source: '{{ $labels.license_source }}{{ if $labels.vendor_license }} of {{ $labels.vendor_license }}{{ end }}',
  analyzer: ANALYZER,
  exporter: `license exporter of ${ANALYZER}`,
};

/** A text that begins a sentence. */
export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
