import { createHash } from 'node:crypto';
import { type Expiry, expiryOf, type SourceTime } from '../times.ts';
import { wordsOf } from './file-lines.ts';

/**
 * The statements of a FlexNet license file, as the vendor's documentation gives them. Only what is needed is read:
 * signatures, keys, serial numbers and vendor strings are not kept.
 */

/** A statement FEATURE, INCREMENT or UPGRADE. */
export interface FeatureLine {
  readonly keyword: 'FEATURE' | 'INCREMENT' | 'UPGRADE';
  readonly name: string;
  readonly daemon: string;
  readonly version: string;
  /** Of an UPGRADE: the oldest version that it replaces. */
  readonly fromVersion: string | undefined;
  readonly expires: Expiry;
  /** `Infinity` for uncounted licenses. */
  readonly count: number;
  /** Tied to a host. */
  readonly isLocked: boolean;
  readonly mayBorrow: boolean;
  /** The end of its START day; undefined if it holds from the beginning. */
  readonly start: number | undefined;
  /** The end of the day on which it was issued: ISSUED, else START. */
  readonly issued: number | undefined;
  /** The features whose older licenses it replaces; undefined if it replaces none. */
  readonly supersedes: readonly string[] | undefined;
  /** `sort=`; 100 without one. */
  readonly sort: number;
  /** A hash of all words of a signed line; undefined without SIGN. */
  readonly signedAs: string | undefined;
}

/** A PACKAGE line of a license file. */
export interface PackageLine {
  readonly keyword: 'PACKAGE';
  readonly name: string;
  readonly daemon: string;
  /** Empty for every version. */
  readonly version: string;
  readonly components: readonly Component[];
  /** The package is checked out together with each of its components. */
  readonly isSuite: boolean;
  readonly issued: number | undefined;
  readonly supersedes: readonly string[] | undefined;
}

/** A feature of a package, with its version and its number if the line has them. */
export interface Component {
  readonly name: string;
  /** Undefined: the version of the line that enables the package. */
  readonly version: string | undefined;
  /** Licenses for each license of the package. */
  readonly count: number;
}

/** A SERVER line of a license file. */
export interface ServerLine {
  readonly keyword: 'SERVER';
  readonly host: string;
  /** Without one, the server listens on the first free port from 27000 to 27009. */
  readonly port: number | undefined;
}

/** Statements that say nothing of licenses. */
const NOISE = new Set(['VENDOR', 'DAEMON', 'USE_SERVER', 'FEATURESET']);
const KEYWORDS = new Set(['FEATURE', 'INCREMENT', 'UPGRADE', 'PACKAGE', 'SERVER', ...NOISE]);
const DEFAULT_SORT = 100;

/** Whether a line begins with a keyword of license files. */
export const beginsStatement = (line: string): boolean => {
  const [word = ''] = /^[A-Za-z_]+(?=\s|$)/.exec(line) ?? [];
  return KEYWORDS.has(word.toUpperCase());
};

/** The limits of the vendor are lower. */
const MAX_FIELD = 200;
const isField = (word: string | undefined): word is string => word !== undefined && word.length <= MAX_FIELD;

/** `KEY=value` and bare words, by key in upper case. The first of several counts. */
function attributesOf(words: readonly string[]): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    const key = (at === -1 ? word : word.slice(0, at)).toUpperCase();
    if (!attributes.has(key)) attributes.set(key, at === -1 ? '' : word.slice(at + 1));
  }
  return attributes;
}

/** The end of the day of an attribute; undefined without a usable date. */
function dayEndOf(date: string | undefined, localTime: SourceTime): number | undefined {
  const end = date === undefined ? undefined : expiryOf(date, localTime);
  return typeof end === 'number' ? end : undefined;
}

/** Uncounted is `uncounted` or 0. Undefined if it is not a number. */
function countOf(written: string): number | undefined {
  if (written.toLowerCase() === 'uncounted') return Infinity;
  if (!/^\d{1,9}$/.test(written)) return undefined;
  return Number(written) === 0 ? Infinity : Number(written);
}

/** `"f1 f2"`; without a list, the feature of the line itself. */
function supersededBy(attributes: ReadonlyMap<string, string>, name: string): readonly string[] | undefined {
  const list = attributes.get('SUPERSEDE');
  if (list === undefined) return undefined;
  const names = list.split(/\s/).filter((one) => one !== '');
  return names.length > 0 ? names : [name];
}

/** ANY and DEMO fit every host. */
const isLockedTo = (hostId: string | undefined): boolean =>
  hostId !== undefined && !['', 'ANY', 'DEMO'].includes(hostId.trim().toUpperCase());

const hashOf = (words: readonly string[]): string => createHash('sha256').update(words.join('\0')).digest('base64');

function readFeature(
  keyword: FeatureLine['keyword'],
  words: readonly string[],
  localTime: SourceTime,
): FeatureLine | undefined {
  const [name, daemon, ...rest] = words;
  const fromVersion = keyword === 'UPGRADE' ? rest.shift() : undefined;
  const [version, expiry = '', written = '', ...others] = rest;
  const expires = expiryOf(expiry, localTime);
  const count = countOf(written);
  if (!isField(name) || !isField(daemon) || !isField(version)) return undefined;
  if (expires === 'unknown' || count === undefined) return undefined;
  // does not exist for uncounted licenses (vendor's documentation)
  if (keyword === 'UPGRADE' && (count === Infinity || !isField(fromVersion))) return undefined;
  const attributes = attributesOf(others);
  const start = dayEndOf(attributes.get('START'), localTime);
  const sort = attributes.get('SORT') ?? '';
  return {
    keyword,
    name,
    daemon,
    version,
    fromVersion,
    expires,
    count,
    isLocked: isLockedTo(attributes.get('HOSTID')),
    mayBorrow: attributes.has('BORROW'),
    start,
    issued: dayEndOf(attributes.get('ISSUED'), localTime) ?? start,
    supersedes: supersededBy(attributes, name),
    sort: /^\d{1,9}$/.test(sort) ? Number(sort) : DEFAULT_SORT,
    signedAs: attributes.has('SIGN') ? hashOf([keyword, ...words]) : undefined,
  };
}

/** `feature[:version[:count]]` */
function componentOf(written: string): Component | undefined {
  const [name = '', version = '', count = '1', ...others] = written.split(':');
  if (name === '' || !isField(written) || others.length > 0 || !/^[1-9]\d{0,8}$/.test(count)) return undefined;
  return { name, version: version === '' ? undefined : version, count: Number(count) };
}

function readPackage(words: readonly string[], localTime: SourceTime): PackageLine | undefined {
  const [name, daemon, ...rest] = words;
  const attributes = attributesOf(rest);
  const written = (attributes.get('COMPONENTS') ?? '').split(/\s/).filter((one) => one !== '');
  const components = written.map(componentOf).filter((one) => one !== undefined);
  if (!isField(name) || !isField(daemon)) return undefined;
  if (components.length === 0 || components.length < written.length) return undefined;
  // the only bare words are the version and, after it, the key of old files
  const version = rest[0]?.includes('=') || rest[0]?.toUpperCase() === 'SUPERSEDE' ? undefined : rest[0];
  return {
    keyword: 'PACKAGE',
    name,
    daemon,
    version: version ?? '',
    components,
    isSuite: (attributes.get('OPTIONS') ?? '').toUpperCase().split(/[\s,]/).includes('SUITE'),
    issued: dayEndOf(attributes.get('ISSUED'), localTime),
    supersedes: supersededBy(attributes, name),
  };
}

/** `SERVER host hostid [port]`; old files have `TCP:port`. */
function readServer(words: readonly string[]): ServerLine | undefined {
  const [host, hostId, ...rest] = words;
  if (host === undefined || hostId === undefined) return undefined;
  const [, port] = /^(?:TCP:)?(\d{1,5})$/i.exec(rest[0] ?? '') ?? [];
  return { keyword: 'SERVER', host, port: port === undefined ? undefined : Number(port) };
}

/** What a statement says. Undefined if it is not understood, for instance because a field is missing. */
export function readStatement(
  statement: string,
  localTime: SourceTime,
): FeatureLine | PackageLine | ServerLine | 'noise' | undefined {
  const [first = '', ...words] = wordsOf(statement);
  const keyword = first.toUpperCase();
  if (keyword === 'FEATURE' || keyword === 'INCREMENT' || keyword === 'UPGRADE')
    return readFeature(keyword, words, localTime);
  if (keyword === 'PACKAGE') return readPackage(words, localTime);
  if (keyword === 'SERVER') return readServer(words);
  return NOISE.has(keyword) && (words.length > 0 || keyword === 'USE_SERVER') ? 'noise' : undefined;
}
