import type { CheckoutEntry, FeatureEntry, IncrementEntry, QueuedEntry } from '../json/document.ts';
import { wholeNumber } from '../lines.ts';
import { ifKnown } from '../parsed.ts';
import { textManagerCode } from '../text-manager.ts';
import { readLines, type TextContext, type TextReport, unknownHost, unreachable } from '../text-report.ts';
import { CLOCK_DIFFERENCE } from '../times.ts';
import {
  cellsOf,
  count,
  EDITOR,
  labelled,
  momentOf,
  NOT_READY,
  noise,
  OF_POOL,
  OF_USER,
  PROCESS,
  PROMPT,
  TABLE,
} from './dslicsrv-lines.ts';

/**
 * The answer of `DSLicSrv -admin` to `getLicenseUsage`: the table of `-csv`, or the blocks of `-all` and `-short`. Seen in public
 * texts of versions 6.419 to 6.425.
 */

/** Seconds without use after which a license is idle. Programs renew theirs every few minutes. */
const IDLE_AFTER = 900;

const name = 'DSLS';
const refusals = [
  unreachable(name, /cannot (?:connect|reach)|connection (?:refused|timed out|reset)|no route to host/i),
  unknownHost(name, /unknown ?host|name or service not known/i),
  {
    pattern: /password|not authori[sz]ed|access denied|permission denied/i,
    kind: 'refused' as const,
    says: (server: string) =>
      `DSLS at ${server} refuses the connection of an administrator: allow remote administration in the configuration of the server, at least restricted.`,
  },
];

/** Columns that say which licenses were bought together. Two pools with the same words in all of them are counted as one (assumed). */
const OF_BOUGHT = [
  'EditorId',
  'Commercial Type',
  'Max Release Date',
  'Pricing Structure',
  'Max Casual Duration',
  'Expiration Date',
  'Customer ID',
  'Count',
  'Inuse',
];

const models: Readonly<Record<string, 'token' | 'named'>> = { token: 'token', nameduser: 'named' };

/** Licenses of one feature, model and release. */
class FeatureUnderway {
  /** Licenses that were bought together. */
  readonly bought = new Map<string, { readonly increment: IncrementEntry; readonly inUse: number | undefined }>();
  readonly holders: CheckoutEntry[] = [];
  /** Processes of holders. They hold the licenses themselves where no holder is listed. */
  readonly processes: CheckoutEntry[] = [];
  readonly queued: QueuedEntry[] = [];
  readonly #names: Pick<FeatureEntry, 'feature' | 'version' | 'license_model'>;

  constructor(feature: string, version: string, model: string) {
    this.#names = { feature, version, license_model: models[model.toLowerCase()] ?? 'concurrent' };
  }

  get entry(): FeatureEntry {
    const pools = [...this.bought.values()];
    const checkouts = this.holders.length > 0 ? this.holders : this.processes;
    const inUse = pools.reduce<number | undefined>(
      (sum, one) => (sum === undefined || one.inUse === undefined ? undefined : sum + one.inUse),
      0,
    );
    const listed = checkouts.reduce((sum, { licenses }) => sum + (licenses ?? 1), 0);
    return {
      ...this.#names,
      increments: pools.map(({ increment }) => increment),
      ...ifKnown('in_use', inUse),
      checkouts,
      checkouts_complete: inUse === undefined || listed >= inUse,
      queued: this.queued,
    };
  }
}

/** A license and who holds it, in words of the text. */
interface Grant {
  readonly user: string;
  readonly host: string;
  readonly since: string;
  readonly lastUsed: string;
  readonly tokens: string | undefined;
  readonly handle: string;
}

class Reading {
  readonly #context: TextContext;
  readonly #features = new Map<string, FeatureUnderway>();
  #columns: readonly string[] | undefined;
  /** Lines of pools without users in the table. */
  readonly #unused = new Map<string, number>();
  /** Below the line of a pool, where its users are. */
  #feature: FeatureUnderway | undefined;
  isOwn = false;
  isReady = true;

  constructor(context: TextContext) {
    this.#context = context;
  }

  get entries(): FeatureEntry[] {
    return [...this.#features.values()].map((feature) => feature.entry);
  }

  readonly read = (whole: string): boolean => {
    const line = whole.replace(PROMPT, '');
    const isRead = line === '' || this.#readTable(line) || this.#readBlock(line) || noise.some((one) => one.test(line));
    if (NOT_READY.test(line)) this.isReady = false;
    this.isOwn ||= isRead && line !== '' && !/^\s*(?:Warning|Ready|connect|quit|exit)\b/i.test(line);
    return isRead;
  };

  #featureOf(feature: string, version: string, model: string): FeatureUnderway {
    const key = JSON.stringify([feature, version, model.toLowerCase()]);
    const found = this.#features.get(key) ?? new FeatureUnderway(feature, version, model);
    this.#features.set(key, found);
    return found;
  }

  #readTable(line: string): boolean {
    const at = line.indexOf(TABLE);
    if (at !== -1) {
      const columns = line
        .slice(at)
        .split(',')
        .map((one) => one.trim());
      if (!columns.includes('Count') || !columns.includes('Inuse')) return false;
      this.#columns = columns;
      // of several answers in a text, the last one counts
      this.#unused.clear();
      this.#features.clear();
      this.#feature = undefined;
      return true;
    }
    if (this.#columns === undefined || !line.includes(',')) return false;
    const cells = cellsOf(line);
    const cell = (column: string): string => cells[this.#columns?.indexOf(column) ?? -1] ?? '';
    if (cell('Feature') === '' || count(cell('Count')) === undefined || cell('Inuse') === '') return false;
    const feature = this.#featureOf(cell('Feature'), cell('Max Release Number'), cell('Model'));
    const pool = JSON.stringify(OF_BOUGHT.map(cell));
    // a pool is repeated for each of its users; one that nobody uses has a line of its own
    const unused = cell('User') === '' ? (this.#unused.get(pool) ?? 0) + 1 : 0;
    if (unused > 0) this.#unused.set(pool, unused);
    this.#addBought(feature, `${pool} ${unused}`, cell('Count'), cell('Inuse'), cell('Expiration Date'));
    const grant: Grant = {
      user: cell('User'),
      host: cell('Host'),
      since: cell('Granted Since'),
      lastUsed: cell('Last Used At'),
      tokens: cell('Tokens'),
      handle: cell('Session ID'),
    };
    if (grant.user === '') return true;
    if (cell('Queue Position') === '') feature.holders.push(this.#checkout(grant));
    else feature.queued.push(this.#waiting(grant));
    return true;
  }

  #readBlock(line: string): boolean {
    if (/maxReleaseNumber:/i.test(line)) return this.#readPool(line);
    if (EDITOR.test(line)) {
      this.#feature = undefined;
      return true;
    }
    const { head, values } = labelled(line, OF_USER);
    if (this.#feature === undefined || !values.has('granted since')) return false;
    const [, processHost, , rest = ''] = PROCESS.exec(head) ?? [];
    const [processUser = ''] = rest.split(/\s{2,}/);
    const isHolder = values.has('internal id');
    const grant: Grant = {
      user: values.get('by user') ?? (isHolder ? (values.get('internal id') ?? '') : processUser),
      host: values.get('on host') ?? processHost ?? '',
      since: values.get('granted since') ?? '',
      lastUsed: values.get('last used at') ?? '',
      tokens: values.get('tokens'),
      handle: '',
    };
    if (grant.user === '') return false;
    if ((values.get('queue position') ?? '') !== '') this.#feature.queued.push(this.#waiting(grant));
    else (isHolder ? this.#feature.holders : this.#feature.processes).push(this.#checkout(grant));
    return true;
  }

  #readPool(line: string): boolean {
    const { head, values } = labelled(line, OF_POOL);
    const [total, inUse] = [values.get('count'), values.get('inuse')];
    if (head === '' || count(total) === undefined || inUse === undefined) return false;
    this.#feature = this.#featureOf(head, values.get('maxreleasenumber') ?? '', values.get('type') ?? '');
    const expires = values.get('expirationdate') ?? '';
    // each line is a pool of its own, also with equal words
    this.#addBought(this.#feature, String(this.#feature.bought.size), total, inUse, expires);
    return true;
  }

  #addBought(feature: FeatureUnderway, key: string, total: string | undefined, inUse: string, expires: string): void {
    const increment = {
      ...ifKnown('count', count(total)),
      ...ifKnown('expires', momentOf(expires, this.#context.localTime)),
    };
    feature.bought.set(key, { increment, inUse: wholeNumber(inUse) });
  }

  #waiting({ user, host, since, tokens }: Grant): QueuedEntry {
    return {
      user,
      host: hostOf(host),
      ...ifKnown('since', momentOf(since, this.#context.localTime)),
      licenses: wholeNumber(tokens) ?? 1,
    };
  }

  #checkout(grant: Grant): CheckoutEntry {
    const { now, localTime } = this.#context;
    const lastUsed = momentOf(grant.lastUsed, localTime);
    const idle = lastUsed === undefined || lastUsed > now + CLOCK_DIFFERENCE ? undefined : Math.max(0, now - lastUsed);
    const isIdle = idle !== undefined && idle > IDLE_AFTER;
    return {
      ...this.#waiting(grant),
      ...(grant.handle !== '' && { handle: grant.handle }),
      ...ifKnown(
        'status',
        idle === undefined
          ? undefined
          : isIdle
            ? { state: 'inactive', seconds: Math.floor(idle) }
            : { state: 'active' },
      ),
    };
  }
}

/** `ws1 (41D614510658D14D-0a19ad1a.1)/10.0.0.1`. */
const hostOf = (written: string): string => written.split(/[\s(]/, 1)[0] ?? '';

/** Reads what DSLicSrv printed. It never fails. */
function parseDsls(text: string, context: TextContext): TextReport {
  const reading = new Reading(context);
  const lines = readLines(text, refusals, context, reading.read);
  const features = reading.entries;
  const isDown = features.length === 0 && !reading.isReady;
  const refusal = isDown
    ? {
        pattern: NOT_READY,
        kind: 'no_quorum' as const,
        says: (server: string) =>
          `DSLS at ${server} runs, but is not ready: of the servers of a failover cluster at least two must run.`,
      }
    : lines.refusal;
  return {
    ...lines,
    refusal,
    vendorLicenses: features.length === 0 ? [] : [{ daemon: 'dsls', features, reports: ['status'] }],
    servers: [],
    isOwn: reading.isOwn,
    problems: [],
  };
}

const AT_START = String.raw`(?<=^[ \t]{0,40}(?:admin >)?[ \t]{0,40})`;
/** @param cells before it in its line */
const cell = (cells: string, pattern: string): string => `(?<=^(?:[^,]{0,200},){${cells}})(?:${pattern})(?=,|$)`;

/** What reads the output of DSLicSrv. */
export const dslsCode = textManagerCode({
  name: 'DSLS',
  kind: 'dslicsrv',
  title: 'DSLicSrv -admin',
  runs: (server) => {
    const [port = '', host = ''] = server.split('@');
    // a restricted connection leaves administrators theirs, and needs no password
    return [['-admin', '-run', `connect ${host} ${port || '4084'} -restricted; getLicenseUsage -csv; quit`]];
  },
  parse: parseDsls,
  // an application that has ended looks like one that nobody uses
  saysEnded: false,
  shapes: [
    `${AT_START}(?:License Administration Tool Version|Software version:|Build date:|Ready: (?:yes|no)|(?:Standalone|Failover) mode|Server name:)`,
    `^admin >|(?<= )Server id:|${AT_START}Warning: restricted connection`,
    'Editor,EditorId,Feature,[A-Za-z ,()]{1,400}',
    cell('3', '[A-Za-z]{5,20}'),
    cell('11,13', String.raw`\d{1,9}|unlimited`),
    cell('24', String.raw`\d{1,9}`),
    String.raw`(?:maxReleaseNumber|maxReleaseDate|expirationDate|type|count|inuse|customerId|pricing structure|tokens|queue position):(?:\s{0,9}\d{1,9}(?![\w-]))?`,
    '(?:internal Id|granted since|last used at|by user|on host):',
  ],
  vocabulary: {
    words: `
      access active additional admin administration administrator all allowed am an and at authorized bind build cannot casual client code
      commercial computer concurrentuser configuration connect connected connection count customer customerid date denied duration editor
      editorid error expiration expirationdate failover feature for full granted host id in internal inuse is last license licensing max
      maxreleasedate maxreleasenumber mn mode model name nameduser names no not number of on operations password permitted pm port
      position pricing process protected queue quit ready refused release remote restricted server session since software some standalone
      std structure systemes time to token tokens tool type unknown unlimited used user utc version warning yes`,
    names: [],
  },
});
