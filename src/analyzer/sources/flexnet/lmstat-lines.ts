import type { LocalTime } from '../../../base/model/local-time.ts';
import { expiryOf, type SourceTime, timeOf } from '../times.ts';
import type {
  FlexnetError,
  LmstatDaemon,
  LmstatLicenseType,
  LmstatMember,
  LmstatPool,
  LmstatReservation,
  LmstatSupply,
} from './lmstat-report.ts';

/** The lines of `lmstat -a` other than those of users. Each function returns undefined for a line of another kind. */

/** `(-15,570:115 "Operation now in progress")`, or `error:-1,359.` in a longer message. */
const CODE = /\((-\d{1,5})(?:,(\d{1,9}))?(?=[):\s])/;
const LONG_CODE = /\berror: ?(-\d{1,5})(?:,(\d{1,9}))?/i;

/** The error that a message contains, by its number. */
export function errorIn(message: string): FlexnetError | undefined {
  const [found, code, detail] = CODE.exec(message) ?? LONG_CODE.exec(message) ?? [];
  if (found === undefined) return undefined;
  return { code: Number(code), detail: detail === undefined ? undefined : Number(detail) };
}

/** An error of the whole request: `lmgrd is not running: …`, `Error getting status: …`. */
export function readRequestError(line: string): FlexnetError | undefined {
  const isError = /^(?:lmgrd is not running|Error getting status|Cannot connect to license server)\b/i.test(line);
  if (!isError && !/^FLEX(?:net|lm) .{0,20}error: ?-\d/i.test(line)) return undefined;
  return errorIn(line) ?? { code: undefined, detail: undefined };
}

/** `Flexible License Manager status on Fri 10/20/2017 17:02`. The time is undefined if it does not exist. */
export function readReferenceTime(line: string, localTime: LocalTime): { at: number | undefined } | undefined {
  const found = /\bstatus on (?:[a-z]{3} )?(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2})(?::(\d{2}))?\b/i.exec(line);
  if (found === null) return undefined;
  const [month = 0, date = 0, year = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((text) => Number(text ?? 0));
  return { at: timeOf(year, { month, date }, { hour, minute, second }, localTime) };
}

/** `License server status: 27002@h1,27002@h2`: the servers. */
export function readServerList(line: string): string[] | undefined {
  const [, list] = /^License server status:(.*)$/i.exec(line) ?? [];
  return list?.split(',').flatMap((server) => (server.trim() === '' ? [] : [server.trim()]));
}

/** `h2: license server UP (MASTER) v11.7`, or with `isServer` any `h3: message (-15,570)`. */
export function readMember(line: string, isServer: boolean): LmstatMember | undefined {
  const [, host, state, master, version] =
    /^(\S+): license server (UP|DOWN)\b(?: (\(MASTER\)))?(?: (v\S+))?/i.exec(line) ?? [];
  if (host !== undefined && state !== undefined) {
    const up = state.toUpperCase() === 'UP';
    return { host, up, isMaster: up && master !== undefined, version, error: up ? undefined : errorIn(line) };
  }
  const [, name, message = ''] = (isServer && /^(\S+): (.+)$/.exec(line)) || [];
  const error = errorIn(message);
  if (name === undefined || (error === undefined && !/^(?:cannot|license server)\b/i.test(message))) return undefined;
  return { host: name, up: false, isMaster: false, version: undefined, error };
}

/** `MLM: UP v11.19.6`, `MLM: The desired vendor daemon is down. (-97,121)`. */
export function readDaemon(line: string): LmstatDaemon | undefined {
  const [, name, message] = /^([\w.-]+): +(\S.*)$/.exec(line) ?? [];
  if (name === undefined || message === undefined) return undefined;
  const [state, version] = /^UP(?: +(v\S+))?(?![\w-])/i.exec(message) ?? [];
  if (state !== undefined) return { name, up: true, version, error: undefined };
  const error = errorIn(message);
  if (error === undefined && !/^DOWN\b|\bvendor daemon\b|^cannot\b|\bnot running\b/i.test(message)) return undefined;
  return { name, up: false, version: undefined, error };
}

const TOTAL = /^\(Total of (\d{1,15}) [a-z ]*(?:issued|available)(?:; *Total of (\d{1,15}) [a-z ]*in use)?\)/i;

/** What follows `Users of `. */
export function readUsersOf(rest: string): { name: string; supply: LmstatSupply } | undefined {
  // the name can hold any character, so the last bracket that follows a colon counts
  for (let open = rest.lastIndexOf('('); open > 0; open = rest.lastIndexOf('(', open - 1)) {
    const name = rest.slice(0, open).trimEnd();
    if (!name.endsWith(':')) continue;
    const supply = supplyOf(rest.slice(open));
    if (supply !== undefined) return { name: name.slice(0, -1).trim(), supply };
  }
  const [name] = rest.split(/: (?:Cannot get users of )?/, 1);
  const error = errorIn(rest);
  if (name === undefined || name === '' || error === undefined) return undefined;
  return { name: name.trim(), supply: { kind: 'error', error } };
}

function supplyOf(text: string): LmstatSupply | undefined {
  const [found, issued, inUse] = TOTAL.exec(text) ?? [];
  if (found !== undefined)
    return { kind: 'counted', issued: Number(issued), inUse: inUse === undefined ? undefined : Number(inUse) };
  if (/^\(uncounted\b/i.test(text)) return { kind: 'uncounted' };
  const [, licenses] = /^\(Error: (\d{1,15}) licenses?, unsupported\b/i.exec(text) ?? [];
  return licenses === undefined ? undefined : { kind: 'unsupported', licenses: Number(licenses) };
}

/** What the head of a pool of licenses says. */
export type PoolHead = Pick<LmstatPool, 'feature' | 'version' | 'vendor' | 'expires'>;

/** `"X" v53, vendor: MLM, expiry: 01-jan-2099`; vendor and expiry can be missing. */
export function readPoolHead(line: string, localTime: SourceTime): PoolHead | undefined {
  if (!line.startsWith('"')) return undefined;
  const close = line.indexOf('" v', 1);
  if (close < 1) return undefined;
  const [version = '', ...remarks] = line.slice(close + 3).split(',');
  if (/\s/.test(version.trim())) return undefined;
  const remark = (key: string): string | undefined =>
    remarks
      .map((one) => one.trim())
      .find((one) => one.toLowerCase().startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim();
  const expiry = remark('expiry');
  return {
    feature: line.slice(1, close),
    version: version.trim(),
    vendor: remark('vendor') || undefined,
    expires: expiry === undefined ? 'unknown' : expiryOf(expiry, localTime),
  };
}

/** `floating license`, `nodelocked license, locked to "ID=1"`, `uncounted nodelocked license locked to …`. */
export function readLicenseType(line: string): LmstatLicenseType | undefined {
  const [, type] = /^((?:uncounted )?(?:floating|node-?locked)|uncounted) licen[cs]e\b/i.exec(line) ?? [];
  if (type === undefined) return undefined;
  const word = type.toLowerCase();
  if (word.startsWith('uncounted')) return 'uncounted';
  return word === 'floating' ? 'floating' : 'node-locked';
}

/** `48 RESERVATIONs for GROUP G1 (h3/27002)`. */
export function readReservation(line: string): LmstatReservation | undefined {
  const [, licenses, kind, rest = ''] = /^(\d{1,9}) RESERVATIONs? for ([A-Z_]+) (.*)$/.exec(line) ?? [];
  const open = rest.lastIndexOf(' (');
  if (kind === undefined || open < 1 || !/^\S+\/[^()]+\)$/.test(rest.slice(open + 2))) return undefined;
  return { licenses: Number(licenses), kind, holder: rest.slice(0, open).trim() };
}

const NOISE: readonly RegExp[] = [
  // of the tool
  /\bcopyright \(c\)/i,
  /^(?:lmutil|lmstat)\b/i,
  /^\[[^\]]*\]$/,
  /^[-_=*. ]+$/,
  // headings
  /^Vendor daemon status\b/i,
  /^Feature usage info/i,
  /^vendor_string:/i,
  // of the license data
  /^NOTE: /i,
  /^but only reads the license file\b/i,
  /^lmstat -a is recommended\b/i,
  // of a long error message
  /^(?:Feature|Filename|License path|Server name|Hostname|Vendor:Host|For further information)\b.*[:,]/i,
  /^(?:The license files|listed below|or contact your software|available at)\b/i,
];

/** Lines that say nothing about licenses. */
export const isNoise = (line: string): boolean => NOISE.some((pattern) => pattern.test(line));
