import type { CheckoutEntry, FeatureEntry, IncrementEntry, QueuedEntry } from '../json/document.ts';
import { wholeNumber } from '../lines.ts';
import { ifKnown } from '../parsed.ts';
import { textManagerCode } from '../text-manager.ts';
import { readLines, type TextContext, type TextReport, unknownHost, unreachable } from '../text-report.ts';
import { monthOf, timeOf } from '../times.ts';

/**
 * The answer of `lsmon`: blocks of `|- label : value` for features, their licenses and their clients, in any order. Seen in public
 * texts of Sentinel RMS 9.1.
 */

const name = 'Sentinel RMS';
const refusals = [
  unknownHost(name, /failed to resolve|unknown host|(?:cannot|can't|could not) resolve/i),
  unreachable(
    name,
    /(?:failed|unable|cannot|can't|could not) to? ?(?:contact|connect|find|reach|communicate)|no license server|server (?:not found|is not running|not running)|not responding|^\s*Error\b/i,
  ),
];

const BLOCK = /^\s*\|-\s*((?:\w+ ){1,3})Information:?$/i;
const PAIR = /^\s*(?:\|-\s*)?([^:"]{1,60}?)\s*:\s?(.*)$/;
/** `Sat Nov 19 23:59:59 2022`. */
const MOMENT = /([A-Z][a-z]{2})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(\d{4})/;
const noise: readonly RegExp[] = [
  /^\s*(?:Sentinel|SentinelLM)\b.*(?:Monitor|License|Kit)/i,
  /^\s*Copyright\b/i,
  /^\s*Press Enter to continue/i,
  /^\s*[-=*]{5,}$/,
];
const CONTACTING = /^\s*\[?Contacting .*\bhost "([^"]*)"/i;
/** Numbers that stand for no limit, by version (vendor's documentation). */
const UNLIMITED = new Set(['2097150', '4294967294']);

const unquoted = (value: string): string => /^"(.*)"\s*$/.exec(value)?.[1]?.trim() ?? value.trim();

function countOf(written = ''): number | 'uncounted' | undefined {
  return /^unlimited\b/i.test(written) || UNLIMITED.has(written) ? 'uncounted' : wholeNumber(written);
}

function momentOf(value: string | undefined, { localTime }: TextContext): number | undefined {
  const [, monthName = '', date, hour, minute, second, year] = MOMENT.exec(value ?? '') ?? [];
  const month = monthOf(monthName);
  if (month === undefined) return undefined;
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  return timeOf(Number(year), { month, date: Number(date) }, clock, localTime);
}

function expiryOf(value: string | undefined, context: TextContext): number | 'permanent' | undefined {
  return /no expiration/i.test(value ?? '') ? 'permanent' : momentOf(value, context);
}

/** A block with its pairs, by label in lower case. */
interface Block {
  readonly kind: 'license' | 'client' | 'queue' | 'other';
  readonly values: Map<string, string>;
}

interface FeatureUnderway {
  readonly values: Map<string, string>;
  readonly blocks: Block[];
}

const labelOf = (written: string): string => written.trim().toLowerCase();

function kindOf(words: string): Block['kind'] | 'feature' {
  if (/queue/i.test(words)) return 'queue';
  return (['feature', 'license', 'client'] as const).find((kind) => words.trim().toLowerCase() === kind) ?? 'other';
}

class Reading {
  readonly features: FeatureUnderway[] = [];
  readonly servers: string[] = [];
  /** Where pairs belong. */
  #values: Map<string, string> | undefined;
  isOwn = false;

  readonly read = (line: string): boolean => {
    const [, host] = CONTACTING.exec(line) ?? [];
    if (host !== undefined) {
      this.servers.push(`5093@${host.toLowerCase()}`);
      return true;
    }
    const [, words] = BLOCK.exec(line) ?? [];
    if (words !== undefined) return this.#begin(kindOf(words));
    if (noise.some((pattern) => pattern.test(line))) {
      this.isOwn ||= /^\s*Sentinel/i.test(line);
      return true;
    }
    const [, label, value = ''] = PAIR.exec(line) ?? [];
    if (label === undefined || this.#values === undefined) return false;
    this.#values.set(labelOf(label), value.trim());
    return true;
  };

  #begin(kind: Block['kind'] | 'feature'): boolean {
    this.isOwn = true;
    this.#values = new Map();
    const feature = this.features.at(-1);
    if (kind === 'feature') this.features.push({ values: this.#values, blocks: [] });
    else feature?.blocks.push({ kind, values: this.#values });
    return kind === 'feature' || feature !== undefined;
  }
}

/** Licenses that are summed in one feature. Inactive ones do not count. */
function incrementsOf({ values, blocks }: FeatureUnderway, context: TextContext): IncrementEntry[] {
  const total = countOf(values.get('maximum concurrent user(s)'));
  const licenses = blocks.filter(
    (block) =>
      block.kind === 'license' && !/^(?:inactive|expired)/i.test(block.values.get('license status')?.trim() ?? ''),
  );
  const increments = licenses.map((block) => ({
    count: countOf(block.values.get('maximum concurrent user(s)')),
    expires: expiryOf(block.values.get('expiration date'), context),
  }));
  const sum = increments.reduce((all, { count }) => (typeof count === 'number' ? all + count : Number.NaN), 0);
  // licenses that are exclusive, or capacity licenses, do not add up: then the feature says it
  const isSum = increments.length > 0 && (sum === total || (increments.length === 1 && increments[0]?.count === total));
  const whole = { count: total, expires: expiryOf(values.get('expiration date'), context) };
  return (isSum ? increments : [whole]).map(({ count, expires }) => ({
    ...ifKnown('count', count),
    ...ifKnown('expires', expires),
  }));
}

function clientOf({ values }: Block, context: TextContext): CheckoutEntry {
  const written = values.get('number of tokens used') ?? values.get('number of tokens');
  const [, holding] =
    [...values.values()].map((value) => /^\s*holding\s+(\d{1,9})\s+of\b/i.exec(value)).find(Boolean) ?? [];
  return {
    user: unquoted(values.get('user name') ?? ''),
    host: unquoted(values.get('host name') ?? ''),
    display: unquoted(values.get('x display name') ?? ''),
    ...ifKnown('since', momentOf(values.get('status'), context)),
    licenses: wholeNumber(written ?? holding) ?? 1,
    borrowed: /^\s*yes/i.test(values.get('is commuter token') ?? ''),
  };
}

const sum = (list: readonly { readonly licenses?: number | null | undefined }[]): number =>
  list.reduce((total, { licenses }) => total + (licenses ?? 1), 0);

/** Requests that wait. Of those that are not listed, only the number is known. */
function queuedOf({ values, blocks }: FeatureUnderway, context: TextContext): QueuedEntry[] | undefined {
  const listed = blocks
    .filter(({ kind }) => kind === 'queue')
    .map((block): QueuedEntry => {
      const wanted = [...block.values].find(([label]) => /requested|wanted/.test(label))?.[1];
      const { user, host } = clientOf(block, context);
      return { user, host: host ?? '', licenses: wholeNumber(wanted) ?? 1 };
    });
  const numbers = [...values]
    .filter(([label]) => /tokens in queue$/.test(label))
    .map(([, value]) => wholeNumber(value) ?? 0);
  if (numbers.length === 0 && listed.length === 0) return undefined;
  const rest = numbers.reduce((total, one) => total + one, 0) - sum(listed);
  return rest > 0 ? [...listed, { user: '', host: '', licenses: rest }] : listed;
}

function entryOf(feature: FeatureUnderway, context: TextContext): FeatureEntry | undefined {
  const { values, blocks } = feature;
  const named = unquoted(values.get('feature name') ?? '');
  if (named === '') return undefined;
  const checkouts = blocks.filter(({ kind }) => kind === 'client').map((block) => clientOf(block, context));
  const [unreserved, usedReserve] = [
    wholeNumber(values.get('unreserved tokens in use')),
    wholeNumber(values.get('reserved tokens in use')),
  ];
  const inUse = unreserved === undefined ? undefined : unreserved + (usedReserve ?? 0);
  return {
    feature: named,
    version: unquoted(values.get('feature version') ?? ''),
    increments: incrementsOf(feature, context),
    ...ifKnown('in_use', inUse),
    ...ifKnown('available', wholeNumber(values.get('available unreserved'))),
    ...ifKnown('used_reserve', usedReserve),
    ...ifKnown('unused_reserve', wholeNumber(values.get('available reserved'))),
    checkouts,
    checkouts_complete: inUse !== undefined && sum(checkouts) >= inUse,
    ...ifKnown('queued', queuedOf(feature, context)),
  };
}

/** Reads what lsmon printed. It never fails. */
function parseRms(text: string, context: TextContext): TextReport {
  const reading = new Reading();
  const lines = readLines(text, refusals, context, reading.read);
  const features = reading.features.map((one) => entryOf(one, context)).filter((entry) => entry !== undefined);
  return {
    ...lines,
    vendorLicenses: features.length === 0 ? [] : [{ daemon: 'lserv', features, reports: ['borrowed'] }],
    servers: reading.servers,
    isOwn: reading.isOwn,
    problems: [],
  };
}

/** What reads the output of lsmon. */
export const rmsCode = textManagerCode({
  name: 'Sentinel RMS',
  kind: 'lsmon',
  title: 'lsmon',
  // the port is in the environment of the tool
  runs: (server) => [[server.slice(server.indexOf('@') + 1)]],
  parse: parseRms,
  shapes: [
    String.raw`(?<=^[ \t]{0,40})\|-`,
    '(?:Feature|License|Client|Queued Client) Information',
    String.raw`(?:[Uu]nreserved|[Rr]eserved|[Cc]ommuter)(?: [Tt]okens| [Kk]eys)? [Ii]n [Uu]se\s{1,40}: \d{1,10}|Available (?:un)?reserved\s{1,40}: \d{1,10}`,
    String.raw`Max(?:imum)? concurrent user\(s\)\s{1,40}: (?:\d{1,10}|Unlimited)|Number of tokens(?: used)?\s{1,40}: \d{1,10}`,
    String.raw`(?<=\|- )(?:Feature (?:name|version)|License status|Expiration date|User name|Host name|X display name|Status|Is commuter (?:token|key)|No of tokens requested|(?:Unreserved|Reserved) tokens in queue)(?=\s{0,40}:)`,
    String.raw`(?<=(?:License status|Is commuter token)\s{0,40}: )(?:active|inactive|expired|yes|no)(?=\s{0,9}$)`,
    String.raw`(?<=(?:requested|in queue)\s{0,40}: )\d{1,10}(?=\s{0,9}$)`,
    '^ {0,9}Sentinel RMS|Copyright(?= \\(C\\))|Press Enter to continue|Contacting Sentinel[A-Za-z ]{0,60}on host|Running since|License has no expiration|Holding \\d{1,9} of',
  ],
  vocabulary: {
    words: `
      active additive aggregate allowed an application application-server at available cannot check client code commuter concurrent connect
      contacting continue copyright criteria criterion date default defaultgrp development display enter error exclusive expiration failed
      feature find for from group hash has heartbeat held holding host in inactive inc information is key keys kit level license licenses lifetime
      limit local locked locking log max maximum min mins monitor name no normal number of on press primary public queue queued requested
      reserved resolve restrictions rms running safenet secs sentinel server server-locked service sharing since soft start status storage
      tamper the time to token tokens type unable unlimited unreserved use used user users vendor version vm without yes`,
    names: [],
  },
});
