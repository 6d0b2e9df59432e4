import { DiagnosticsCount, MAX_LINE, type OnUnread, withoutControls } from '../lines.ts';
import type { SourceTime } from '../times.ts';
import { copyOf, KeptText } from './kept-text.ts';
import {
  isNoise,
  type PoolHead,
  readDaemon,
  readLicenseType,
  readMember,
  readPoolHead,
  readReferenceTime,
  readRequestError,
  readReservation,
  readServerList,
  readUsersOf,
} from './lmstat-lines.ts';
import type {
  FlexnetError,
  LmstatCheckout,
  LmstatDaemon,
  LmstatFeature,
  LmstatLicenseType,
  LmstatMember,
  LmstatReport,
  LmstatReservation,
  LmstatSupply,
  OfServers,
} from './lmstat-report.ts';
import { StartTimes } from './start-times.ts';
import { blocksOf, TextBlock } from './text-block.ts';
import { UserLines } from './user-lines.ts';
import type { Split } from './user-words.ts';

interface PoolDraft extends PoolHead {
  licenseType: LmstatLicenseType | undefined;
  readonly reservations: LmstatReservation[];
  readonly checkouts: LmstatCheckout[];
}

interface FeatureDraft extends LmstatFeature {
  readonly pools: PoolDraft[];
}

const NO_HEAD: PoolHead = { feature: undefined, version: undefined, vendor: undefined, expires: 'unknown' };

/** The features of a text, in its order, and the daemons that were listed before each. */
class LmstatFeatures {
  readonly all: FeatureDraft[] = [];
  /** The daemons of one list: it ends with a heading or a feature. */
  #daemons: string[] = [];
  #isListOver = false;
  #current: FeatureDraft | undefined;
  #servers = '';

  /** The following features are those of these servers. */
  startServers(servers: string): void {
    this.close();
    this.endDaemonList();
    this.#servers = servers;
  }

  addDaemon(name: string): void {
    // features refer to the list before this one
    if (this.#isListOver) this.#daemons = [];
    this.#daemons.push(name);
    this.#isListOver = false;
  }

  endDaemonList(): void {
    this.#isListOver = true;
  }

  /** The following features are those of one daemon. */
  startDaemon(name: string): void {
    this.#daemons = [name];
    this.#isListOver = true;
  }

  open(name: string, supply: LmstatSupply): void {
    this.endDaemonList();
    this.#current = { name, supply, listedDaemons: this.#daemons, servers: this.#servers, pools: [] };
    this.all.push(this.#current);
  }

  /** What follows belongs to no feature until the next one. */
  close(): void {
    this.#current = undefined;
  }

  /** The pool that is being listed. Undefined outside of a feature. */
  get pool(): PoolDraft | undefined {
    if (this.#current === undefined) return undefined;
    return this.#current.pools.at(-1) ?? addPool(this.#current.pools, NO_HEAD);
  }

  /** False outside of a feature. */
  addPool(head: PoolHead): boolean {
    if (this.#current !== undefined) addPool(this.#current.pools, head);
    return this.#current !== undefined;
  }
}

function addPool(pools: PoolDraft[], head: PoolHead): PoolDraft {
  const pool = { ...head, licenseType: undefined, reservations: [], checkouts: [] };
  pools.push(pool);
  return pool;
}

/** Characters that say what a line of any length is. */
const LINE_BEGIN = 40;
/** Characters of the longest list of license files: thousands of paths. */
const MAX_LIST = 65_536;

/** What the text of lmstat depends on beside itself. */
export interface LmstatContext {
  /** Calendar of the zone in which the tool printed its times. */
  readonly localTime: SourceTime;
  /** Reference time of a text that prints none, epoch seconds. */
  readonly now: number;
  /** How user and host are distinguished in lines with more than three words, see `splitLeft`. */
  readonly split: Split;
  /** Hosts of users in earlier outputs. */
  readonly knownHosts: ReadonlySet<string>;
  /** Called for each part that is not understood. */
  readonly onUnread?: OnUnread | undefined;
}

/** Reads the output of `lmstat -a`. It never fails: what is not understood is counted. */
export function parseLmstat(text: string, context: LmstatContext): LmstatReport {
  const reading = new LmstatReading(text.length, context);
  for (const block of blocksOf(text)) {
    reading.readBlock(block);
  }
  return reading.finish(text.endsWith('\n'));
}

/** What the current lines are about. */
type Section = 'head' | 'servers' | 'files' | 'daemons' | 'features' | 'inventory';

class LmstatReading {
  readonly #context: LmstatContext;
  readonly #localTime: SourceTime;
  readonly #times: StartTimes;
  readonly #users: UserLines;
  readonly #features = new LmstatFeatures();
  readonly #diagnostics: DiagnosticsCount;
  readonly #serverLists: string[][] = [];
  readonly #members: (LmstatMember & OfServers)[] = [];
  readonly #daemons: (LmstatDaemon & OfServers)[] = [];
  readonly #errors: (FlexnetError & OfServers)[] = [];
  #referenceTime: number | undefined;
  #section: Section = 'head';
  /** Those that are listed now, as one name. */
  #servers = '';
  #hasText = false;
  #isLastUnparsed = false;
  #hasQueue = false;
  #hasInventory = false;

  constructor(length: number, context: LmstatContext) {
    const kept = new KeptText(length);
    this.#context = context;
    this.#diagnostics = new DiagnosticsCount(context.onUnread);
    this.#localTime = context.localTime;
    this.#times = new StartTimes(context.localTime, context.now, kept);
    this.#users = new UserLines(this.#times, kept);
  }

  readBlock(block: TextBlock): void {
    this.#hasText ||= block.text.trim() !== '';
    for (let from = 0; from < block.text.length; ) {
      const to = block.lineEnd(from);
      this.#diagnostics.startLine();
      if (block.hasControls(from, to)) {
        const line = new TextBlock(withoutControls(block.text.slice(from, to)));
        this.#readLine(line, 0, line.text.length);
      } else this.#readLine(block, from, to);
      from = to + 1;
    }
  }

  #readLine(block: TextBlock, from: number, to: number): void {
    this.#isLastUnparsed = false;
    if (to - from > MAX_LINE) this.#readLong(block.text.slice(from, to).trim());
    // most lines are those of users, and nothing else in a feature ends like them
    else if (this.#section === 'features' && this.#readUser(block, from, to)) return;
    else this.#readOther(copyOf(block, from, to).trim());
  }

  /** @param isWhole whether the last line has its end */
  finish(isWhole: boolean): LmstatReport {
    this.#users.finish(checkoutsOf(this.#features.all), this.#context);
    return {
      referenceTime: this.#referenceTime,
      serverLists: this.#serverLists,
      members: this.#members,
      daemons: this.#daemons,
      errors: this.#errors,
      features: this.#features.all,
      hasText: this.#hasText,
      isCut: !isWhole && this.#isLastUnparsed,
      hasQueue: this.#hasQueue,
      hasInventory: this.#hasInventory,
      diagnostics: this.#diagnostics,
    };
  }

  #readUser(block: TextBlock, from: number, to: number): boolean {
    const checkout = this.#users.read(block, from, to);
    return checkout !== undefined && this.#addCheckout(checkout);
  }

  #addCheckout(checkout: LmstatCheckout): boolean {
    const pool = this.#features.pool;
    if (pool === undefined) return false;
    pool.checkouts.push(checkout);
    if (checkout.unknownTail !== undefined) this.#diagnostics.addUnreadEnd(checkout.unknownTail);
    this.#hasQueue ||= checkout.queued;
    return true;
  }

  #readLong(line: string): void {
    if (line === '') return;
    // a list of license files is longer than other lines
    const begin = line.slice(0, LINE_BEGIN);
    this.#enterSection(begin);
    const mayBeLong = isNoise(begin) || this.#section === 'files';
    if (!mayBeLong || line.length > MAX_LIST) this.#addUnparsed(line);
  }

  #addUnparsed(line: string): void {
    this.#diagnostics.addUnparsed(line);
    this.#isLastUnparsed = true;
  }

  #readOther(line: string): void {
    // a list of license files ends with an empty line
    if (line === '' && this.#section === 'files') this.#section = 'servers';
    if (line === '' || this.#readFeature(line) || this.#readServer(line) || this.#readHeading(line)) return;
    this.#addUnparsed(line);
  }

  /** A line of a feature. */
  #readFeature(line: string): boolean {
    if (line.startsWith('Users of ')) return this.#readUsersOf(line.slice('Users of '.length));
    if (this.#section !== 'features') return false;
    const head = readPoolHead(line, this.#localTime);
    if (head !== undefined) return this.#features.addPool(head);
    const pool = this.#features.pool;
    if (pool === undefined) return false;
    const licenseType = readLicenseType(line);
    if (licenseType !== undefined) {
      pool.licenseType ??= licenseType;
      return true;
    }
    const reservation = readReservation(line);
    if (reservation !== undefined) {
      pool.reservations.push(reservation);
      return true;
    }
    const checkout = this.#users.readWithoutVersion(line);
    return checkout !== undefined && this.#addCheckout(checkout);
  }

  #readUsersOf(rest: string): boolean {
    this.#section = 'features';
    const [, daemon] = /^features served by (\S+?):?$/i.exec(rest) ?? [];
    if (daemon !== undefined) {
      this.#features.startDaemon(daemon);
      return true;
    }
    const found = readUsersOf(rest);
    if (found === undefined) {
      this.#features.close();
      return false;
    }
    this.#features.open(found.name, found.supply);
    return true;
  }

  /** A line about servers and daemons. */
  #readServer(line: string): boolean {
    const servers = readServerList(line);
    if (servers !== undefined) {
      this.#section = 'servers';
      this.#servers = servers.join(',').toLowerCase();
      this.#features.startServers(this.#servers);
      this.#serverLists.push(servers);
      return true;
    }
    const error = readRequestError(line);
    if (error !== undefined) {
      this.#errors.push({ ...error, servers: this.#servers });
      return true;
    }
    const isServer = ['head', 'servers', 'files'].includes(this.#section);
    const member = readMember(line, isServer);
    if (member !== undefined) {
      this.#section = 'servers';
      this.#members.push({ ...member, servers: this.#servers });
      return true;
    }
    const daemon = this.#section === 'inventory' ? undefined : readDaemon(line);
    // an error before the daemons is that of a server
    if (daemon === undefined || (isServer && !daemon.up)) return false;
    this.#features.addDaemon(daemon.name);
    this.#daemons.push({ ...daemon, servers: this.#servers });
    return true;
  }

  /** A heading, the reference time, or noise. */
  #readHeading(line: string): boolean {
    const reference = readReferenceTime(line, this.#localTime);
    if (reference !== undefined) {
      this.#features.close();
      this.#section = 'head';
      this.#referenceTime = reference.at ?? this.#referenceTime;
      if (reference.at !== undefined) this.#times.reference = reference.at;
      return true;
    }
    this.#enterSection(line);
    return this.#section === 'files' || this.#section === 'inventory' || isNoise(line);
  }

  #enterSection(line: string): void {
    if (/^License file(?:s|\(s\))? on /i.test(line)) this.#section = 'files';
    else if (/^Feature\s+Version\s/i.test(line)) {
      this.#section = 'inventory';
      this.#hasInventory = true;
    } else if (/^Vendor daemon status\b/i.test(line)) this.#section = 'daemons';
    else if (/^Feature usage info/i.test(line)) {
      this.#section = 'features';
      this.#features.endDaemonList();
    }
  }
}

const checkoutsOf = (features: readonly LmstatFeature[]): Iterable<LmstatCheckout> =>
  Iterator.from(features)
    .flatMap(({ pools }) => pools)
    .flatMap(({ checkouts }) => checkouts);
