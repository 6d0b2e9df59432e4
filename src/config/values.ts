/** Parsers of setting values. Each gives a value or throws `ValueError` with what is allowed. */

export class ValueError extends Error {
  override readonly name = 'ValueError';
}

/** Reads a raw value (from YAML, or text from environment and flags). */
export type Parse<T> = (raw: unknown) => T;

const show = (raw: unknown): string => (typeof raw === 'string' ? JSON.stringify(raw) : String(JSON.stringify(raw)));

function refuse(raw: unknown, allowed: string): never {
  throw new ValueError(`${show(raw)} is not ${allowed}`);
}

const scalar = (raw: unknown): string | undefined =>
  typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw).trim() : undefined;

export const text: Parse<string> = (raw) => {
  const value = scalar(raw);
  return value === undefined || value === '' ? refuse(raw, 'a text') : value;
};

/** Text that may be empty, taken as it is. */
export const anyText: Parse<string> = (raw) => {
  if (raw === null) return '';
  return scalar(raw) === undefined ? refuse(raw, 'a text') : String(raw);
};

export const boolean: Parse<boolean> = (raw) => {
  const value = scalar(raw)?.toLowerCase();
  if (value === 'true') return true;
  return value === 'false' ? false : refuse(raw, 'true or false');
};

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Parse<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
  return (raw) => {
    const value = scalar(raw);
    const number = value !== undefined && /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : refuse(raw, range);
  };
}

/** A number from 0 to 1. */
export const ratio: Parse<number> = (raw) => {
  const value = scalar(raw);
  const number = value !== undefined && /^\d(?:\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
  return number <= 1 ? number : refuse(raw, 'a number from 0 to 1');
};

export function oneOf<T extends string>(...choices: readonly T[]): Parse<T> {
  return (raw) => {
    const value = scalar(raw);
    return choices.find((choice) => choice === value) ?? refuse(raw, `one of ${choices.join(', ')}`);
  };
}

const durationUnits: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** A number in the largest unit in which it is a whole one. */
function inUnits(value: number, units: Readonly<Record<string, number>>, otherwise: string): string {
  const fitting = Object.entries(units).filter(([, size]) => size >= 1 && value >= size && value % size === 0);
  const [unit, size] = fitting.reduce((a, b) => (b[1] > a[1] ? b : a), [otherwise, 1]);
  return `${value / size}${unit}`;
}

/** Seconds of a duration in Prometheus' form: `30s`, `5m`, `1h30m`, `1d`. */
export function duration(min: number, max = 366 * 86_400): Parse<number> {
  const bound = (seconds: number): string => inUnits(seconds, durationUnits, 's');
  return (raw) => {
    const value = scalar(raw) ?? '';
    if (!/^(?:\d{1,9}(?:ms|[smhdwy]))+$/.test(value)) return refuse(raw, 'a duration such as 30s, 5m or 1h30m');
    const parts = [...value.matchAll(/(\d+)(ms|[smhdwy])/g)];
    const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (durationUnits[unit ?? ''] ?? 0), 0);
    return seconds >= min && seconds <= max ? seconds : refuse(raw, `a duration from ${bound(min)} to ${bound(max)}`);
  };
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Bytes of a size: `256MiB`, `10MB`, `4096`. */
export function size(min: number, max: number): Parse<number> {
  const bound = (bytes: number): string => inUnits(bytes, sizeUnits, 'B');
  return (raw) => {
    const match = /^(\d{1,15})\s*([KMG]?i?B)?$/.exec(scalar(raw) ?? '');
    const unit = match === null ? undefined : sizeUnits[match[2] ?? ''];
    if (match === null || unit === undefined) return refuse(raw, 'a size such as 256MiB or 10MB');
    const bytes = Number(match[1]) * unit;
    return bytes >= min && bytes <= max ? bytes : refuse(raw, `a size from ${bound(min)} to ${bound(max)}`);
  };
}

/** `auto`, or what another parser takes. */
export function autoOr<T>(parse: Parse<T>): Parse<T | 'auto'> {
  return (raw) => {
    if (raw === 'auto') return 'auto';
    try {
      return parse(raw);
    } catch (error) {
      throw error instanceof ValueError ? new ValueError(`${error.message}, nor auto`) : error;
    }
  };
}

/** Where to listen; without a host on every address. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** `:10319`, `127.0.0.1:0`, `[::1]:10319`, `localhost:10319`. */
export const listenAddress: Parse<ListenAddress> = (raw) => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(scalar(raw) ?? '');
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return refuse(raw, 'an address such as :10319, 127.0.0.1:10319 or [::1]:10319');
  const host = match[1] ?? match[2];
  return { host: host === '' ? undefined : host, port };
};

/** An http or https address without credentials and query; a trailing slash is dropped. */
export function baseUrl(example: string, credentials = 'leave them out'): Parse<string> {
  return (raw) => {
    const value = scalar(raw) ?? '';
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
      return refuse(url?.password ? '<secret>' : raw, `an address such as ${example}`);
    }
    if (url.username !== '' || url.password !== '') throw new ValueError(`holds credentials; ${credentials}`);
    if (url.search !== '' || url.hash !== '') throw new ValueError('holds a query or fragment; leave it out');
    return url.href.replace(/\/+$/, '');
  };
}

export const regularExpression: Parse<RegExp> = (raw) => {
  const value = text(raw);
  try {
    return new RegExp(value, 'u');
  } catch (error) {
    throw new ValueError(`${show(raw)} is not a regular expression: ${(error as Error).message}`);
  }
};

export function urlPath(reserved: readonly string[]): Parse<string> {
  return (raw) => {
    const value = text(raw);
    if (!/^\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-]$/.test(value)) return refuse(raw, 'a path such as /metrics');
    return reserved.includes(value) ? refuse(raw, `free: ${reserved.join(', ')} are used by other pages`) : value;
  };
}

export const timeZone: Parse<string> = (raw) => {
  const value = text(raw);
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return refuse(raw, 'a time zone such as Europe/Berlin');
  }
};

/** A list, or from environment and flags a text with commas. */
export function listOf<T>(parse: Parse<T>): Parse<readonly T[]> {
  return (raw) => {
    if (raw === null) return [];
    if (typeof raw === 'string')
      return raw
        .split(',')
        .filter((item) => item.trim() !== '')
        .map((item) => parse(item.trim()));
    return Array.isArray(raw) ? raw.map((item) => parse(item)) : refuse(raw, 'a list');
  };
}

/** A feature whose history is polled. */
export interface HistoryFeature {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
}

const historyKeys = ['vendor_license', 'feature', 'package', 'feature_type'];

export const historyFeature: Parse<HistoryFeature> = (raw) => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return refuse(raw, 'an entry with vendor_license and feature');
  }
  const entry = raw as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(entry).find((key) => !historyKeys.includes(key));
  if (unknown !== undefined)
    throw new ValueError(`has the unknown key ${unknown}; known are ${historyKeys.join(', ')}`);
  if (entry.vendor_license === undefined || entry.feature === undefined) {
    return refuse(raw, 'an entry with vendor_license and feature');
  }
  return {
    vendorLicense: text(entry.vendor_license),
    feature: text(entry.feature),
    package: entry.package === undefined ? '' : anyText(entry.package),
    featureType: entry.feature_type === undefined ? '' : oneOf('feature', 'package', 'component')(entry.feature_type),
  };
};
