import { DiagnosticsCount, type OnUnread } from '../lines.ts';
import { statementsOf, wordsOf } from './file-lines.ts';
import type { OptionsReserve } from './inventory.ts';

/** What an options file says of the numbers of licenses. Names of users and hosts are not kept. */
export interface OptionsFile {
  /** A package stands for all its components (vendor's documentation). */
  readonly reserves: readonly OptionsReserve[];
  /** Whether the daemon writes refused requests into its debug log: `NOLOG DENIED` forbids it. */
  readonly logsDenials: boolean;
  /** Statements, those that are not understood included. */
  readonly statements: number;
  /** Statements that begin with a keyword of options files, those of which the rest is not understood included. */
  readonly keywords: number;
  readonly diagnostics: DiagnosticsCount;
}

/** Keywords that do not change the numbers of licenses (vendor's documentation), with their least number of words. */
const NOISE: ReadonlyMap<string, number> = new Map([
  ['ACTIVATION_EXPIRY_DAYS', 1],
  ['ACTIVATION_LOWWATER', 1],
  ['AUTOMATIC_REREAD', 0],
  ['BORROW_LOWWATER', 2],
  ['DAEMON_SELECT_TIMEOUT', 1],
  ['DEBUGLOG', 1],
  ['EXCLUDE', 3],
  ['EXCLUDEALL', 2],
  ['EXCLUDEALL_ENTITLEMENT', 2],
  ['EXCLUDE_BORROW', 3],
  ['EXCLUDE_ENTITLEMENT', 3],
  ['FQDN_MATCHING', 1],
  ['GROUP', 1],
  ['GROUPCASEINSENSITIVE', 0],
  ['HOST_GROUP', 1],
  ['INCLUDE', 3],
  ['INCLUDEALL', 2],
  ['INCLUDEALL_ENTITLEMENT', 2],
  ['INCLUDE_BORROW', 3],
  ['INCLUDE_ENTITLEMENT', 3],
  ['MAX', 4],
  ['MAX_BORROW_HOURS', 2],
  ['MAX_CONNECTIONS', 1],
  ['MAX_OVERDRAFT', 2],
  ['NOLOG', 1],
  ['REPORTLOG', 1],
  ['TIMEOUT', 2],
  ['TIMEOUTALL', 1],
]);

/** For whom licenses are reserved. */
const HOLDERS = new Set(['USER', 'HOST', 'DISPLAY', 'INTERNET', 'PROJECT', 'GROUP', 'HOST_GROUP']);
/** Those that the file defines. */
const GROUPS = new Set(['GROUP', 'HOST_GROUP']);

const groupKey = (type: string, name = ''): string => `${type} ${name.toLowerCase()}`;

/**
 * What follows the name of a feature: `f1:VERSION=2.0`, or `"f1 VERSION=2.0"` where the name has a colon. A colon may be
 * part of a name (vendor's documentation), so that only the known words end it.
 */
const QUALIFIER = /[:\s](VERSION|HOSTID|EXPDATE|KEY|SIGN|ISSUER|NOTICE|VENDOR_STRING|DIST_INFO|USER_INFO|ASSET_INFO)=/i;

/** The feature, and the version if the qualifier is one. Other qualifiers choose among licenses of the same feature. */
function featureOf(written: string): { feature: string; version?: string } | undefined {
  const found = QUALIFIER.exec(written);
  const feature = (found === null ? written : written.slice(0, found.index)).trim();
  if (feature === '') return undefined;
  const value = found === null ? '' : written.slice(found.index + found[0].length).trim();
  return found?.[1]?.toUpperCase() === 'VERSION' && value !== '' ? { feature, version: value } : { feature };
}

/** A whole number that is not 0. */
const countOf = (written: string): number | undefined =>
  /^\d{1,9}$/.test(written) && Number(written) > 0 ? Number(written) : undefined;

interface ReserveLine {
  /** For whom, if the file must define it. */
  readonly group: string | undefined;
  readonly reserve: OptionsReserve;
}

/** `RESERVE number feature type name` */
function reserveOf(
  [count = '', feature = '', type = '', name]: readonly string[],
  daemon: string,
): ReserveLine | undefined {
  const licenses = countOf(count);
  const named = featureOf(feature);
  if (licenses === undefined || named === undefined || name === undefined) return undefined;
  const holder = type.toUpperCase();
  if (!HOLDERS.has(holder)) return undefined;
  const group = GROUPS.has(holder) ? groupKey(holder, name) : undefined;
  return { group, reserve: { daemon, ...named, licenses } };
}

/** `LINGER feature seconds`, which changes no number of licenses */
const isLinger = ([feature = '', seconds = '']: readonly string[]): boolean =>
  featureOf(feature) !== undefined && /^\d{1,9}$/.test(seconds);

/** The options file of a daemon, by the names of daemons. */
export function optionsOf(options: ReadonlyMap<string, OptionsFile>, daemon: string): OptionsFile | undefined {
  for (const [name, file] of options) if (name.toLowerCase() === daemon.toLowerCase()) return file;
  return undefined;
}

/** Reads the options file of a vendor daemon. A line that is not understood is left out and counted. */
export function parseOptionsFile(text: string, daemon: string, onUnread?: OnUnread): OptionsFile {
  const diagnostics = new DiagnosticsCount(onUnread);
  const found: (ReserveLine & { readonly statement: string; readonly line: number })[] = [];
  const defined = new Set<string>();
  let logsDenials = true;
  let statements = 0;
  let keywords = 0;
  for (const { text: statement, line } of statementsOf(text)) {
    diagnostics.startLine(line);
    statements += 1;
    const [keyword = '', ...words] = wordsOf(statement);
    const name = keyword.toUpperCase();
    if (name === 'RESERVE' || name === 'LINGER' || NOISE.has(name)) keywords += 1;
    const reserve = name === 'RESERVE' ? reserveOf(words, daemon) : undefined;
    const isKnown = name === 'LINGER' ? isLinger(words) : words.length >= (NOISE.get(name) ?? Infinity);
    if (GROUPS.has(name)) defined.add(groupKey(name, words[0]));
    if (name === 'NOLOG' && words.some((word) => word.toUpperCase() === 'DENIED')) logsDenials = false;
    if (reserve !== undefined) found.push({ ...reserve, statement, line });
    else if (!isKnown) diagnostics.addUnparsed(statement);
  }
  // the daemon reserves nothing for a group that it does not know
  const holds = ({ group }: ReserveLine): boolean => group === undefined || defined.has(group);
  for (const { statement, line } of found.filter((one) => !holds(one))) {
    diagnostics.startLine(line);
    diagnostics.addUnparsed(statement);
  }
  const reserves = found.filter(holds).map(({ reserve }) => reserve);
  return { reserves, logsDenials, statements, keywords, diagnostics };
}
