import { readLogLine } from '../flexnet/debug-log-line.ts';
import { parseLicenseFile } from '../flexnet/license-file.ts';
import { parseLmstat } from '../flexnet/lmstat.ts';
import { parseLmstatInventory } from '../flexnet/lmstat-inventory.ts';
import type { LmstatReport } from '../flexnet/lmstat-report.ts';
import { linesOf, withoutControls } from '../lines.ts';
import { parseRlmstat } from '../rlm/parse.ts';
import type { RlmReport } from '../rlm/report.ts';
import { createSourceTime, type SourceTime } from '../times.ts';
import type { CaptureHeader, CaptureSection } from './capture-file.ts';
import { isJsonName, jsonRole, jsonStrings } from './json-words.ts';
import type { Span } from './line-spans.ts';
import { inventorySpans, lmstatSpans } from './lmstat-spans.ts';
import { logSpans } from './log-spans.ts';
import { optionsRole } from './options-words.ts';
import { rlmSpans } from './rlm-spans.ts';
import type { StandIns } from './stand-ins.ts';
import { StatementWords } from './statement-words.ts';

/** Finds the names in the texts of a capture, before any of them is replaced. */

/** What the parsers say of the texts. */
export interface Collected {
  /** Names of features and daemons. */
  readonly names: ReadonlySet<string>;
  /** By section, the numbers of the lines that are not understood, from 1. */
  readonly unread: ReadonlyMap<CaptureSection, ReadonlySet<number>>;
}

/** Lines between two pauses. */
const STEP = 256;
/** So many lines of a log make a name in brackets one of a daemon. */
const DAEMON_LINES = 3;
/** FlexNet's error of a vendor daemon that is down, and of a feature that no daemon serves. */
const DAEMON_DOWN = -97;
const NO_FEATURE = -5;

class Collection {
  readonly names = new Set<string>();
  readonly unread = new Map<CaptureSection, ReadonlySet<number>>();
  readonly #header: CaptureHeader;
  readonly #standIns: StandIns;
  readonly #localTime: SourceTime;

  constructor(header: CaptureHeader, standIns: StandIns) {
    this.#header = header;
    this.#standIns = standIns;
    this.#localTime = createSourceTime(header.timeZone, header.timeZone);
  }

  *read(section: CaptureSection): Generator<void, void> {
    const unread = new Set<number>();
    const onUnread = ({ line, isWhole }: { line: number; isWhole: boolean }): void => {
      if (isWhole) unread.add(line);
    };
    this.unread.set(section, unread);
    const { text, input } = section;
    const context = { localTime: this.#localTime, now: this.#header.time, onUnread };
    if (section.stream === 'failure') return;
    if (input === 'lmstat') this.#readLmstat(yield* parseLmstat(text, this.#lmstatContext(onUnread)));
    if (input === 'inventory') this.#addSupplies((yield* parseLmstatInventory(text, context)).supply);
    if (input === 'rlmstat') this.#readRlm(yield* parseRlmstat(text, context));
    if (input === 'license') this.#readLicense(text);
    if (input === 'options') this.#readOptions(text);
    if (input === 'log') this.#readLog(text);
    if (input === 'document') this.#readDocument(text);
    yield* this.#addSpans(section, unread);
  }

  #lmstatContext(onUnread: (part: { line: number; isWhole: boolean; text: string }) => void) {
    const { split, time: now } = this.#header;
    return { localTime: this.#localTime, now, split, knownHosts: new Set<string>(), onUnread };
  }

  #readLmstat({ features, daemons }: LmstatReport): void {
    const standIns = this.#standIns;
    for (const { name, supply, pools } of features) {
      const isSure = supply.kind !== 'error' || supply.error.code === NO_FEATURE;
      if (isSure) this.#addName(name);
      for (const { vendor, feature, checkouts } of pools) {
        // without a vendor, the line may be part of a line about a user
        if (vendor !== undefined) this.#addName(vendor);
        if (vendor !== undefined && feature !== undefined) this.#addName(feature);
        for (const { user, host, display } of checkouts) {
          standIns.add(user, 'user');
          standIns.add(host, 'host');
          if (!/^\/dev\/|^JavaDisplay$/.test(display)) standIns.add(display, 'display', host);
        }
      }
    }
    // a license server that is down can look like a daemon
    for (const { name, up, version, error } of daemons)
      if ((up && version !== undefined) || error?.code === DAEMON_DOWN) this.#addName(name);
  }

  #readRlm({ isvs }: RlmReport): void {
    for (const { name, isRunning, pools, usage } of isvs) {
      if (isRunning !== undefined || pools.length > 0) this.#addName(name);
      // without figures, it may not be the head of a pool
      for (const { product, version, count, inUse, isTokenBased } of pools)
        if (/^\d/.test(version) && (count ?? inUse ?? isTokenBased) !== false) this.#addName(product);
      for (const { user, host } of usage) {
        this.#standIns.add(user, 'user');
        this.#standIns.add(host, 'host');
      }
    }
  }

  #addName(name: string): void {
    if (name !== '' && !/\s/.test(name)) this.names.add(name);
  }

  #addSupplies(supplies: readonly { readonly feature: string; readonly daemon: string }[]): void {
    for (const { feature, daemon } of supplies) {
      this.#addName(feature);
      this.#addName(daemon);
    }
  }

  #readLicense(text: string): void {
    const { supplies, servers } = parseLicenseFile(text, { now: this.#header.time, localTime: this.#localTime });
    for (const { host } of servers) if (!/^(?:this_host|any)$/i.test(host)) this.#standIns.add(host, 'server');
    this.#addSupplies(supplies);
    for (const supply of supplies) if (supply.package !== undefined) this.#addName(supply.package);
  }

  #readOptions(text: string): void {
    const words = new StatementWords(undefined, (word) => {
      const role = optionsRole(word);
      if (role !== undefined && word.key !== '') this.#standIns.add(word.word, role);
      return '';
    });
    for (const line of linesOf(text)) words.line(line);
  }

  #readLog(text: string): void {
    const lines = new Map<string, number>();
    for (const line of linesOf(text)) {
      const { daemon, event } = readLogLine(line) ?? {};
      if (daemon !== undefined) lines.set(daemon, (lines.get(daemon) ?? 0) + 1);
      if (typeof event === 'object' && line.includes(`"${event.feature}"`)) this.#addName(event.feature);
    }
    for (const [daemon, count] of lines) if (count >= DAEMON_LINES) this.#addName(daemon);
  }

  #readDocument(text: string): void {
    for (const { key, text: value } of jsonStrings(text)) {
      const role = jsonRole(key);
      if (role !== undefined && role !== 'word') this.#standIns.add(value, role);
      if (isJsonName(key) && value !== '') this.names.add(value);
      if (key === 'server') this.#standIns.add(value.slice(value.indexOf('@') + 1), 'server');
    }
  }

  *#addSpans(section: CaptureSection, unread: ReadonlySet<number>): Generator<void, void> {
    const lines = section.text.split('\n');
    for (const [at, line] of lines.entries()) {
      if (at % STEP === STEP - 1) yield;
      const text = withoutControls(line);
      for (const { from, to, is } of spansOf(section, text, !unread.has(at + 1), this.#localTime))
        if (is !== 'kept' && is !== 'version' && is !== 'name')
          this.#standIns.add(is === 'server' ? withoutPort(text.slice(from, to)) : text.slice(from, to), is);
    }
  }
}

const withoutPort = (server: string): string => server.replace(/\/\d{1,5}$/, '');

/** The names in a line of a section. */
export function spansOf(
  { input, stream }: CaptureSection,
  line: string,
  isUnderstood: boolean,
  localTime: SourceTime,
): readonly Span[] {
  if (stream === 'failure') return [];
  if (input === 'inventory') return inventorySpans(line, isUnderstood);
  if (input === 'lmstat') return lmstatSpans(line, isUnderstood, localTime);
  if (input === 'rlmstat') return rlmSpans(line, isUnderstood);
  return input === 'log' ? logSpans(line) : [];
}

/** @param standIns gets the names of users, hosts, servers and groups */
export function* collectNames(
  header: CaptureHeader,
  sections: readonly CaptureSection[],
  standIns: StandIns,
): Generator<void, Collected> {
  const collection = new Collection(header, standIns);
  for (const section of sections) yield* collection.read(section);
  for (const daemon of ['lmgrd', ...header.daemons]) collection.names.add(daemon);
  for (const { input, of } of sections) if (input === 'options' && of !== undefined) collection.names.add(of);
  return collection;
}
