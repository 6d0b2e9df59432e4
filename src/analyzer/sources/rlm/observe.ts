import type { LocalTime } from '../../../base/model/local-time.ts';
import type {
  Checkout,
  PoolObservation,
  UnknownOfCheckouts,
  VendorLicenseObservation,
} from '../../../base/model/observation/observation.ts';
import type { SourceProblem } from '../../../base/model/observation/source-failure.ts';
import type { Parsed } from '../parsed.ts';
import { NEWER, notUnderstood } from '../text-report.ts';
import { timeOf, yearlessTime } from '../times.ts';
import { failureOf, isDown } from './failure.ts';
import type { RlmIsv, RlmPool, RlmReport, RlmStart, RlmUsage } from './report.ts';

/** From the pools and checkouts of an ISV server to what the analyzer knows of its products. */

/** Epoch seconds of a start, undefined for a time that is not known. */
export type Dating = (start: RlmStart) => number | undefined;

/** Pools and checkouts of one product and version. */
interface Product {
  readonly product: string;
  readonly version: string;
  readonly pools: RlmPool[];
  readonly usage: RlmUsage[];
}

/** The pools of an ISV server, joined with who holds their licenses, and how many statements contradict each other. */
function observePools(
  isv: RlmIsv,
  dating: Dating,
): { readonly pools: readonly PoolObservation[]; readonly contradictions: number } {
  const observed = productsOf(isv).map((product) => observeProduct(product, isv.server, dating));
  return {
    pools: observed.map(({ pool }) => pool),
    contradictions: observed.reduce((sum, { contradictions }) => sum + contradictions, 0),
  };
}

function productsOf({ pools, usage }: RlmIsv): readonly Product[] {
  const products = new Map<string, Product>();
  const productOf = ({ product, version }: { product: string; version: string }): Product => {
    const key = `${product} ${version}`;
    const known = products.get(key) ?? { product, version, pools: [], usage: [] };
    products.set(key, known);
    return known;
  };
  for (const pool of pools) productOf(pool).pools.push(pool);
  for (const one of usage) productOf(one).usage.push(one);
  return [...products.values()];
}

/**
 * Of checkouts without a pool, neither capacity nor use is known. Licenses of an uncounted pool beside counted ones cannot
 * run out, and are no part of the figures; no line says which pool a checkout is of.
 */
function observeProduct(
  { product, version, pools: all, usage }: Product,
  server: string | undefined,
  dating: Dating,
): { pool: PoolObservation; contradictions: number } {
  const counted = all.filter(({ count }) => count !== Number.POSITIVE_INFINITY);
  const pools = counted.length > 0 ? counted : all;
  const isUncounted = all.length > 0 && counted.length === 0;
  const inUse = sumOf(pools.map((one) => one.inUse));
  const inUseOfAll = sumOf(all.map((one) => one.inUse));
  const { shares, licenses } = shareLicenses(usage, inUseOfAll);
  const isListed = inUse !== undefined && inUse === inUseOfAll && licenses >= inUse;
  const unknownOfCheckouts: UnknownOfCheckouts[] = ['borrowed', 'status'];
  if (!isListed) unknownOfCheckouts.push('list');
  const pool: PoolObservation = {
    feature: product,
    version,
    package: '',
    featureType: 'feature',
    licenseType: isUncounted ? 'uncounted' : 'floating',
    licenseModel: pools.some(({ isTokenBased }) => isTokenBased) ? 'token' : 'concurrent',
    ...(pools.some(({ isTokenBased }) => isTokenBased) && { token: 'unknown' }),
    increments:
      pools.length > 0
        ? pools.map(({ count, expires }) => ({ count, expires }))
        : [{ count: undefined, expires: 'unknown' }],
    ...(inUse !== undefined && { inUse }),
    ...reserveOf(pools),
    checkouts: usage.map((one, at) => ({ ...checkoutOf(one, server, dating), ...shares[at] })),
    unknownOfCheckouts,
    queued: undefined,
    denials: undefined,
  };
  return { pool, contradictions: contradictionsOf(pools, inUse, licenses, inUseOfAll) };
}

/**
 * Only that nothing is reserved says how much of it is used. Otherwise the total is known and the rest is not: no document
 * says whether reserved licenses are part of `inuse` or of `count`.
 */
function reserveOf(pools: readonly RlmPool[]): Pick<PoolObservation, 'reservations' | 'reserved'> {
  const reserved = sumOf(pools.map((pool) => pool.reserved));
  if (reserved === 0) return { reservations: [] };
  return { reservations: undefined, ...(reserved !== undefined && { reserved }) };
}

function checkoutOf(usage: RlmUsage, server: string | undefined, dating: Dating): Checkout {
  const { user, host, licenses, start, handle } = usage;
  const since = dating(start);
  return {
    user,
    host,
    display: '',
    ...(since !== undefined && { since }),
    licenses,
    ...(handle !== undefined && { handle, ...(server !== undefined && { server }) }),
    shareHandle: undefined,
    borrowed: false,
    status: undefined,
  };
}

/** What a listed checkout counts, with the handle of the checkout whose licenses it uses too. */
type Share = Pick<Checkout, 'licenses' | 'shareHandle'>;

const unshared = ({ licenses }: RlmUsage): Share => ({ licenses, shareHandle: undefined });

/**
 * Checkouts that share one license are listed with their full number of licenses: while a list has more licenses than are in
 * use, later checkouts of the same user and host use those of the first one.
 *
 * @param inUse by the server's own count; without it, nothing is known to be shared
 * @returns shares in the order of the list, and the licenses of the list, each counted once
 */
function shareLicenses(list: readonly RlmUsage[], inUse: number | undefined): { shares: Share[]; licenses: number } {
  let licenses = list.reduce((sum, one) => sum + one.licenses, 0);
  if (inUse === undefined || licenses <= inUse) return { shares: list.map(unshared), licenses };
  const firsts = new Map<string, RlmUsage>();
  const shares = list.map((one): Share => {
    const key = JSON.stringify([one.user, one.host]);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, one);
    if (first === undefined || one.licenses === 0 || licenses - one.licenses < inUse) return unshared(one);
    licenses -= one.licenses;
    return { licenses: 0, shareHandle: first.handle };
  });
  return { shares, licenses };
}

/** Checkouts without a pool, more licenses listed than are in use, or more in use than there are. */
function contradictionsOf(
  pools: readonly RlmPool[],
  inUse: number | undefined,
  listed: number,
  inUseOfAll: number | undefined,
): number {
  const count = sumOf(pools.map((pool) => pool.count));
  const isMoreListed = inUseOfAll !== undefined && listed > inUseOfAll;
  const isMoreInUse = inUse !== undefined && count !== undefined && inUse > count;
  return [pools.length === 0, isMoreListed, isMoreInUse].filter(Boolean).length;
}

/** The sum, unknown when one of the figures is, or without figures. */
function sumOf(figures: readonly (number | undefined)[]): number | undefined {
  if (figures.length === 0) return undefined;
  return figures.reduce<number | undefined>(
    (sum, figure) => (sum === undefined || figure === undefined ? undefined : sum + figure),
    0,
  );
}

/** The time of the output may differ from ours by this many seconds. */
const CLOCK_TOLERANCE = 300;

/** What a report is read with. */
export interface RlmContext {
  /** `port@host` as configured. It is part of the names of vendor licenses, and stands in messages. */
  readonly server: string;
  /** Third part of the names, empty without one. */
  readonly part: string;
  /** When the output was made, by our clock. Epoch seconds. */
  readonly now: number;
  /** The zone in which the output has its times. */
  readonly localTime: LocalTime;
}

/**
 * What a report says of the licenses of its ISV servers.
 *
 * @throws SourceFailure if it says nothing
 */
export function observeRlm(report: RlmReport, context: RlmContext): Parsed {
  const { server, part } = context;
  const failure = failureOf(report, server);
  if (failure !== undefined) throw failure;
  const problems: SourceProblem[] = [];
  const dating = datingOf(report, context, problems);
  const vendorLicenses: VendorLicenseObservation[] = [];
  let contradictions = 0;
  for (const isv of isvsOf(report)) {
    const problem = problemOf(isv, report, server);
    if (problem !== undefined) problems.push(problem);
    const isContradicting = problem !== undefined && isv.pools.length > 0;
    const observed = problem === undefined ? observePools(isv, dating) : { pools: [], contradictions: 0 };
    contradictions += observed.contradictions + (isContradicting ? 1 : 0);
    vendorLicenses.push({ server, daemon: isv.name, part, reachable: problem === undefined, pools: observed.pools });
  }
  const { masks, unparsed } = report.diagnostics;
  return {
    vendorLicenses,
    problems,
    members: [{ server, up: true, isMaster: true }],
    referenceTime: report.referenceTime,
    diagnostics: { masks, unparsed, contradictions: report.diagnostics.contradictions + contradictions },
  };
}

/** Also those that only an error names. */
function isvsOf({ isvs, errors }: RlmReport): readonly RlmIsv[] {
  const names = errors.flatMap(({ server = 'rlm' }) => (server === 'rlm' ? [] : [server]));
  const others = [...new Set(names)].filter((name) => isvs.every((isv) => isv.name !== name));
  return [...isvs, ...others.map((name) => ({ name, isRunning: undefined, pools: [], usage: [], server: undefined }))];
}

/** Why an ISV server gives no data. */
function problemOf(isv: RlmIsv, report: RlmReport, server: string): SourceProblem | undefined {
  const { name, isRunning, pools } = isv;
  if (isRunning === false) {
    const message = `RLM at ${server} runs, but its ISV server ${name} does not. Its debug log says why; rlmreread starts it again.`;
    return { kind: 'daemon_down', message };
  }
  if (isDown(isRunning, name, report)) {
    const message = `RLM at ${server} runs, but its ISV server ${name} cannot be reached. Give it a fixed port in its ISV line, and allow that port in the firewall.`;
    return { kind: 'daemon_down', message };
  }
  if (pools.length > 0) return undefined;
  const { unparsed } = report.diagnostics;
  if (unparsed > 0) {
    const understood = `no license pool of the ISV server ${name} of RLM at ${server} is understood`;
    return { kind: 'unparsed', message: `In the output, ${understood}, and ${notUnderstood(unparsed)}. ${NEWER}` };
  }
  const message = `The ISV server ${name} of RLM at ${server} runs, but lists no license pool: look for errors about license files in its debug log.`;
  return { kind: 'empty', message };
}

/** Without a time in the output, ours counts. If the two differ, the times of checkouts cannot be known. */
function datingOf(
  { referenceTime }: RlmReport,
  { server, now, localTime }: RlmContext,
  problems: SourceProblem[],
): Dating {
  const ahead = (referenceTime ?? now) - now;
  if (Math.abs(ahead) <= CLOCK_TOLERANCE) return createDating(referenceTime ?? now, localTime);
  const minutes = Math.round(Math.abs(ahead) / 60);
  const message = `The time in the output for RLM at ${server} is ${minutes} minutes ${ahead > 0 ? 'after' : 'before'} the time of this host, so that the times of checkouts are left out. Correct the clock, or set the time zone of the output.`;
  problems.push({ kind: 'clock', message, isMinor: true });
  return () => undefined;
}

/** Finds times that are printed without their year. Many checkouts begin at the same minute. */
function createDating(reference: number, localTime: LocalTime): Dating {
  const known = new Map<number, number | undefined>();
  return (start) => {
    const { year = 10_000, month, date, hour, minute, second = 0 } = start;
    // each part has the digits that lines can have, a year four
    const key = ((((year * 100 + month) * 100 + date) * 100 + hour) * 100 + minute) * 100 + second;
    if (known.has(key)) return known.get(key);
    const at =
      start.year === undefined
        ? yearlessTime(start, start, { reference, localTime })
        : timeOf(start.year, start, start, localTime);
    known.set(key, at);
    return at;
  };
}
