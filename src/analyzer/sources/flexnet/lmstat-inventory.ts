import type { Diagnostics } from '../../../base/model/observation/source.ts';
import { DiagnosticsCount, linesOf, MAX_LINE, type OnUnread } from '../lines.ts';
import { expiryOf, type SourceTime } from '../times.ts';
import type { LicenseSupply } from './inventory.ts';
import { detached } from './kept-text.ts';
import { isNoise, readReferenceTime, readServerList } from './lmstat-lines.ts';

/** The table of `lmstat -i`, the license data that the tool can read. */
export interface InventoryReport {
  readonly supply: readonly LicenseSupply[];
  /** By the list of servers above the table, in lower case; empty without one. */
  readonly byServers: ReadonlyMap<string, readonly LicenseSupply[]>;
  readonly diagnostics: Diagnostics;
}

/** What a column has, by its heading. */
type Column = 'feature' | 'version' | 'count' | 'daemon' | 'expires' | 'other';

const headings: ReadonlyMap<string, Column> = new Map([
  ['feature', 'feature'],
  ['version', 'version'],
  ['#licenses', 'count'],
  ['vendor', 'daemon'],
  ['expires', 'expires'],
]);

/**
 * Reads the output of `lmstat -i`, or the table in another output. Columns are found by their headings: tools differ in
 * their order. It never fails: rows that are not understood are counted.
 */
export function parseLmstatInventory(
  text: string,
  { localTime, onUnread }: { readonly localTime: SourceTime; readonly onUnread?: OnUnread | undefined },
): InventoryReport {
  const diagnostics = new DiagnosticsCount(onUnread);
  const byServers = new Map<string, LicenseSupply[]>();
  let rows: LicenseSupply[] = [];
  const startServers = (servers: string): void => {
    rows = byServers.get(servers) ?? [];
    byServers.set(servers, rows);
  };
  startServers('');
  let columns: readonly Column[] | undefined;
  for (const line of linesOf(text)) {
    diagnostics.startLine();
    const servers = line.length > MAX_LINE ? undefined : readServerList(line);
    if (servers !== undefined) startServers(servers.join(',').toLowerCase());
    const heading = line.length > MAX_LINE ? undefined : columnsOf(line);
    columns = heading ?? columns;
    // what precedes the table belongs to another report
    if (columns === undefined || heading !== undefined || line === '' || isNoise(line.slice(0, MAX_LINE).trim()))
      continue;
    const row = line.length > MAX_LINE ? undefined : rowOf(line, columns, localTime);
    if (row !== undefined) rows.push(row);
    else if (isEndOfTable(line.slice(0, MAX_LINE).trim(), localTime)) columns = undefined;
    else diagnostics.addUnparsed(line);
  }
  return { supply: [...byServers.values()].flat(), byServers, diagnostics };
}

/** `Feature  Version  #licenses  Expires  Vendor`, in any order. */
function columnsOf(line: string): Column[] | undefined {
  const columns = line
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .map((heading): Column => headings.get(heading) ?? 'other');
  const found = new Set(columns);
  return [...headings.values()].every((column) => found.has(column)) ? columns : undefined;
}

/** Only the expiry can have blanks: columns before it are found from the left, those after it from the right. */
function rowOf(line: string, columns: readonly Column[], localTime: SourceTime): LicenseSupply | undefined {
  const words = detached(line).trim().split(/\s+/);
  if (words.length < columns.length) return undefined;
  const before = columns.indexOf('expires');
  const after = words.length - (columns.length - before - 1);
  const word = (column: Column): string => {
    const at = columns.indexOf(column);
    return words[at < before ? at : at + words.length - columns.length] ?? '';
  };
  const expires = words.slice(before, after).join(' ');
  const count = countOf(word('count'));
  if (count === undefined || !/^(?:permanent|\d{1,2}-[a-z]{3}-\d{1,4}$)/i.test(expires)) return undefined;
  return {
    feature: word('feature'),
    daemon: word('daemon'),
    version: word('version'),
    count,
    expires: expiryOf(expires, localTime),
    // a table does not say whether they are locked to a host
    licenseType: count === Number.POSITIVE_INFINITY ? 'uncounted' : 'floating',
    featureType: 'feature',
  };
}

/** As in license files, 0 licenses are uncounted ones. */
function countOf(written: string): number | undefined {
  if (/^uncounted$/i.test(written)) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,15}$/.test(written)) return undefined;
  return Number(written) === 0 ? Number.POSITIVE_INFINITY : Number(written);
}

const isEndOfTable = (line: string, localTime: SourceTime): boolean =>
  /^(?:Users of |License server status|Vendor daemon status)/i.test(line) ||
  readReferenceTime(line, localTime) !== undefined;
