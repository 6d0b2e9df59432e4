import { parseXml, XmlElement, XmlError } from '@rgrove/parse-xml';
import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { CheckoutEntry, FeatureEntry, VendorLicenseEntry } from '../json/document.ts';
import { DiagnosticsCount, wholeNumber } from '../lines.ts';
import { ifKnown } from '../parsed.ts';
import { textManagerCode } from '../text-manager.ts';
import {
  type Refusal,
  readLines,
  type TextContext,
  type TextReport,
  unknownHost,
  unreachable,
} from '../text-report.ts';
import { timeOf } from '../times.ts';

/**
 * The answer of LM-X: `lmxendutil -licstatxml`, `almutil -licstatxml`, or the text of `-licstat`. Seen in public texts of the
 * utility 3.32 with servers 4.9.3 to 5.5.
 */

const lmx = 'LM-X';
const refusals = [
  unknownHost(lmx, /unknown host|(?:cannot|can't|could not|unable to) resolve|name or service not known/i),
  unreachable(
    lmx,
    /no license server\(s\) available|(?:cannot|can't|could not|unable to) connect|connection (?:refused|timed out)|network error/i,
  ),
];

/** A license server that the tool has asked, with its features. */
interface Path {
  readonly host: string;
  readonly isUp: boolean;
  readonly features: FeatureUnderway[];
}

interface FeatureUnderway {
  readonly vendor: string;
  readonly entry: FeatureEntry;
  readonly checkouts: CheckoutEntry[];
}

const integer = (written: string | undefined): number | undefined => wholeNumber(written, 15);

/** The largest number stands for no limit (vendor's documentation). */
const countOf = (written: string | undefined): number | 'uncounted' | undefined =>
  written === '2147483647' || /^unlimited$/i.test(written ?? '') ? 'uncounted' : integer(written);

/** `2023-01-31`, or `NONE` for a license without an end. */
function expiryOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  if (/^(?:none|unlimited|permanent|)$/i.test(written)) return 'permanent';
  const [date] = /^\d{4}-\d{2}-\d{2}(?=$|[ T])/.exec(written) ?? [];
  return date !== undefined && Number.isFinite(Date.parse(date)) ? date : undefined;
}

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?$/;

/** Epoch seconds of `2022-02-18 09:26`. */
function momentOf(written: string | undefined, { localTime }: TextContext): number | undefined {
  const [, year, month, date, hour, minute, second = '0'] = MOMENT.exec(written ?? '') ?? [];
  if (year === undefined) return undefined;
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  return timeOf(Number(year), { month: Number(month), date: Number(date) }, clock, localTime);
}

/** Attributes of a feature, in the words of the XML form. */
function featureOf(attributes: ReadonlyMap<string, string>): FeatureUnderway | undefined {
  const feature = attributes.get('NAME');
  if (feature === undefined || feature === '') return undefined;
  const isToken = /^token$/i.test(attributes.get('KEYTYPE') ?? attributes.get('KEY_TYPE') ?? '');
  const checkouts: CheckoutEntry[] = [];
  const entry: FeatureEntry = {
    feature,
    version: attributes.get('VERSION') ?? '',
    ...(isToken && { license_model: 'token', token: 'unknown' }),
    increments: [
      {
        ...ifKnown('count', countOf(attributes.get('TOTAL_LICENSES'))),
        ...ifKnown('expires', expiryOf(attributes.get('END'))),
      },
    ],
    ...ifKnown('in_use', integer(attributes.get('USED_LICENSES'))),
    ...ifKnown('denials_total', integer(attributes.get('DENIED_LICENSES'))),
    checkouts,
  };
  return { vendor: attributes.get('VENDOR') ?? 'lmx', entry, checkouts };
}

const START = /<(?:\?xml|LM-?X|LICENSE_PATH)\b/i;
/** Names of users and hosts can have one that is not written as an entity. */
const BARE_AMPERSAND = /&(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z]{2,8};)/gi;

/** The XML form. Bytes before it are those of the tool; without an end, it is a part of an answer. */
function readXml(text: string, context: TextContext) {
  const diagnostics = new DiagnosticsCount(context.onUnread);
  const start = text.search(START);
  const paths: Path[] = [];
  const read = (element: XmlElement): void => {
    const attributes = new Map(Object.entries(element.attributes).map(([key, value]) => [key.toUpperCase(), value]));
    if (!readElement(element.name.toUpperCase(), attributes, paths, context)) {
      diagnostics.startLine(text.slice(0, start + element.start).split('\n').length);
      diagnostics.addUnparsed(`<${element.name}>`);
    }
    for (const child of element.children) if (child instanceof XmlElement) read(child);
  };
  try {
    const document = parseXml(text.slice(start).replace(BARE_AMPERSAND, '&amp;').trim(), { includeOffsets: true });
    if (document.root !== null) read(document.root);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    diagnostics.startLine(error.line);
    diagnostics.addUnparsed(text.slice(start, start + 80));
    return { paths: [], reports: [], isCut: true, diagnostics, refusal: notXml, hasText: true };
  }
  return { paths, reports: ['borrowed' as const], isCut: false, diagnostics, refusal: undefined, hasText: true };
}

const notXml: Refusal = {
  pattern: START,
  kind: 'unparsed',
  says: (server) => `The output for LM-X at ${server} is not whole XML. Run the configured command by hand.`,
};

/** @returns whether it is understood */
function readElement(
  name: string,
  attributes: ReadonlyMap<string, string>,
  paths: Path[],
  context: TextContext,
): boolean {
  if (name === 'LICENSE_PATH') {
    const isUp = (attributes.get('STATUS') ?? 'SUCCESS').toUpperCase() === 'SUCCESS';
    paths.push({ host: (attributes.get('HOST') ?? '').toLowerCase(), isUp, features: [] });
    return true;
  }
  const features = paths.at(-1)?.features;
  if (name === 'FEATURE') {
    const feature = featureOf(attributes);
    if (feature !== undefined) features?.push(feature);
    return feature !== undefined && features !== undefined;
  }
  const checkouts = features?.at(-1)?.checkouts;
  const user = attributes.get('NAME') ?? '';
  if (name !== 'USER' || user === '' || checkouts === undefined) {
    // USED is around the users of older versions
    return /^(?:LM-?X|USED|USERS)$/.test(name);
  }
  checkouts.push({
    user,
    host: attributes.get('HOST') ?? '',
    ...ifKnown('since', momentOf(attributes.get('CHECKOUT_TIME') ?? attributes.get('LOGIN_TIME'), context)),
    ...ifKnown('licenses', integer(attributes.get('USED_LICENSES'))),
    borrowed: attributes.has('BORROW_EXPIRE_TIME'),
  });
  return true;
}

const SERVER = /^\s*LM-X License Server on (\S+?):?$/i;
const FEATURE = /^\s*Feature:\s+(\S+)\s+Version:\s+(\S+)\s+Vendor:\s+(\S.*)$/i;
const DATES = /^\s*Start date:\s+\S+\s+Expire date:\s+(\S+)$/i;
const KEY_TYPE = /^\s*Key type:\s+(\S+)/i;
const USED = /^\s*(\d{1,15}) of (\d{1,15}|unlimited) license\(s\) used:?$/i;
const USER = /^\s*(\d{1,15}) license\(s\) used by (.+)\s\[[^[\]]*\]$/i;
const TIME = String.raw`(\d{4}-\d{2}-\d{2} [\d:]{5,8})`;
const TIMES = new RegExp(
  String.raw`^\s*Login time:\s+${TIME}(?:\s+Checkout time:\s+${TIME})?(?:\s+Borrow expire time:\s+${TIME})?$`,
  'i',
);
const BORROWED = /^\s*Borrow(?:ed until| expire(?:s| date| time)?):/i;
const noise =
  /^\s*(?:LM-X End-user Utility|Copyright\b|[+-]{5,}$|LM-X license server\(s\):|Server version:|Shared on |Altair License)/i;

/** The form for people, which older tools have alone. */
function readText(text: string, context: TextContext) {
  const paths: Path[] = [];
  let attributes = new Map<string, string>();
  let checkouts: CheckoutEntry[] = [];
  const setLast = (more: Partial<CheckoutEntry>): boolean => {
    const last = checkouts.at(-1);
    if (last !== undefined) Object.assign(last, more);
    return last !== undefined;
  };
  /** A feature is complete when its number is read: the list of its users follows. */
  const addFeature = (used: string, total: string): boolean => {
    const feature = featureOf(attributes.set('USED_LICENSES', used).set('TOTAL_LICENSES', total));
    if (feature === undefined || paths.length === 0) return false;
    paths.at(-1)?.features.push(feature);
    checkouts = feature.checkouts;
    attributes = new Map();
    return true;
  };
  const readUser = (licenses: string, who: string): boolean => {
    const at = who.lastIndexOf('@');
    if (at <= 0 || checkouts !== paths.at(-1)?.features.at(-1)?.checkouts) return false;
    checkouts.push({ user: who.slice(0, at).trim(), host: who.slice(at + 1).trim(), licenses: Number(licenses) });
    return true;
  };
  const read = (line: string): boolean => {
    const [, host] = SERVER.exec(line) ?? [];
    if (host !== undefined) return paths.push({ host: host.toLowerCase(), isUp: true, features: [] }) > 0;
    const [, feature, version, vendor] = FEATURE.exec(line) ?? [];
    if (feature !== undefined) {
      checkouts = [];
      attributes = new Map([
        ['NAME', feature],
        ['VERSION', version ?? ''],
        ['VENDOR', vendor ?? ''],
      ]);
      return true;
    }
    const [, used, total = ''] = USED.exec(line) ?? [];
    if (used !== undefined) return addFeature(used, total);
    const [, licenses, who = ''] = USER.exec(line) ?? [];
    if (licenses !== undefined) return readUser(licenses, who);
    const [, login, checkout, borrowedUntil] = TIMES.exec(line) ?? [];
    if (login !== undefined) {
      const isBorrowed = borrowedUntil !== undefined && { borrowed: true };
      return setLast({ ...ifKnown('since', momentOf(checkout ?? login, context)), ...isBorrowed });
    }
    const [, end] = DATES.exec(line) ?? [];
    if (end !== undefined) attributes.set('END', end);
    const [, keyType] = KEY_TYPE.exec(line) ?? [];
    if (keyType !== undefined) attributes.set('KEYTYPE', keyType);
    if (BORROWED.test(line)) return setLast({ borrowed: true });
    return end !== undefined || keyType !== undefined || noise.test(line);
  };
  const lines = readLines(text, refusals, context, read);
  return { ...lines, paths, reports: [] };
}

/** Additive licenses of one feature and version are listed one by one. */
function entriesOf(features: readonly FeatureUnderway[]): FeatureEntry[] {
  const groups = Map.groupBy(features, ({ entry: { feature, version, license_model } }) =>
    JSON.stringify([feature, version, license_model]),
  );
  return [...groups.values()].map(([first, ...others]) => {
    if (first === undefined) throw new Error('a group has at least one element');
    const all = [first, ...others];
    const sum = (of: (entry: FeatureEntry) => number | null | undefined): number | undefined =>
      all.reduce<number | undefined>((total, { entry }) => {
        const one = of(entry);
        return total === undefined || typeof one !== 'number' ? undefined : total + one;
      }, 0);
    const checkouts = all.flatMap((one) => one.checkouts);
    const inUse = sum((entry) => entry.in_use);
    const listed = checkouts.reduce((total, { licenses }) => total + (licenses ?? 1), 0);
    return {
      ...first.entry,
      increments: all.flatMap(({ entry }) => entry.increments ?? []),
      ...ifKnown('in_use', inUse),
      ...ifKnown(
        'denials_total',
        sum((entry) => entry.denials_total),
      ),
      checkouts,
      checkouts_complete: inUse === undefined || listed >= inUse,
    };
  });
}

/** Reads what a tool of LM-X printed. It never fails. */
function parseLmx(text: string, context: TextContext): TextReport {
  const isXml = START.test(text);
  const { paths, reports, ...read } = isXml ? readXml(text, context) : readText(text, context);
  const up = paths.filter(({ isUp }) => isUp);
  // members of one group list the same licenses: one answer counts
  const chosen = up.find(({ host }) => host === context.server) ?? up[0];
  const others = new Set(up.map(({ host }) => host).filter((host) => host !== chosen?.host));
  const byVendor = Map.groupBy(chosen?.features ?? [], ({ vendor }) => vendor);
  const vendorLicenses: Omit<VendorLicenseEntry, 'server'>[] = [...byVendor].map(([daemon, features]) => ({
    daemon: daemon.replaceAll(';', '_'),
    features: entriesOf(features),
    reports,
  }));
  const isDown = paths.length > 0 && up.length === 0;
  return {
    ...read,
    refusal: isDown ? refusals[1] : read.refusal,
    vendorLicenses,
    servers: paths.map(({ host }) => host),
    isOwn: isXml || paths.length > 0 || /LM-X End-user Utility/i.test(text),
    problems: others.size === 0 ? [] : [severalServers([chosen?.host ?? '', ...others])],
  };
}

const severalServers = ([read, ...others]: readonly string[]): SourceFailure =>
  new SourceFailure(
    'unparsed',
    `The output for LM-X lists the license servers ${[read, ...others].join(', ')}, of which ${read} is read. Servers of one group (HAL) are entries of servers; configure a source for each independent one.`,
  );

const AT_START = String.raw`(?<=^[ \t]{0,40})`;

/** What reads the outputs of lmxendutil and almutil. */
export const lmxCode = textManagerCode({
  name: 'LM-X',
  kind: 'lmxendutil',
  title: 'lmxendutil -licstatxml',
  runs: (server) => {
    const [port = '', host = ''] = server.split('@');
    return [['-licstatxml', '-host', host, '-port', port || '6200']];
  },
  parse: parseLmx,
  shapes: [
    String.raw`<\?xml[^<>]{0,100}\?>`,
    String.raw`</?(?:LM-?X|LICENSE_PATH|FEATURE|USED|USERS?)(?=[\s>/])`,
    String.raw`(?<=\s)(?:NAME|VERSION|VENDOR|START|END|HOST|IP|TYPE|STATUS|UPTIME|SHARE|SHARE_CUSTOM|KEYTYPE|SERVER_VERSION|LOGIN_TIME|CHECKOUT_TIME|BORROW_EXPIRE_TIME)="`,
    String.raw`(?<=\s)(?:USED|TOTAL|DENIED)_LICENSES="\d{1,15}"`,
    '(?<=STATUS=")SUCCESS(?=")|(?<=TYPE=")NETWORK(?=")',
    `${AT_START}(?:LM-X End-user Utility|LM-X License Server on|Feature:|Start date:|Key type:|Login time:|Shared on|Server version:)`,
    '(?<= )(?:Version|Vendor|Expire date|License sharing|Checkout time|Uptime):',
    String.raw`${AT_START}\d{1,15} of \d{1,15} license\(s\) used|${AT_START}\d{1,15} license\(s\) used by(?= )`,
  ],
  vocabulary: {
    words: `
      additive all altair and are available borrow by cannot checkout connect connection copyright custom date day days denied encoding end
      end-user error exclusive expire expires feature for formation from hal host hostname hour hours in ip key key_type keytype license
      license_path licenses licensing list lm-x lmx local login min mins name network no node not of on or refused reserved resolve rights sec
      secs server servers share shared sharing start status string success the there time timed to token total type unable uptime used user
      username users utility vendor version virtual x-formation xml`,
    names: [],
  },
});
