import { roundedCountText, roundedText } from '../../../base/texts.ts';
import type { State } from './advice.ts';
import { MOST_SHORT_DAYS } from './back-test.ts';
import { guardsOfCut, licensesToKeep } from './cut.ts';
import { estimateNeeded, MOST_FULL } from './erlang.ts';
import { dataGuards, exclusionsOf } from './exclusions.ts';
import type { Findings } from './findings.ts';
import { chanceOf, tuning } from './outlook.ts';

/** The state of a series: the first rule that applies. */
export interface Decision {
  readonly state: State;
  readonly count?: number | undefined;
  readonly countRange?: readonly [least: number, most: number] | undefined;
  /** What stopped advice that would have been given otherwise, each as a part of a sentence. */
  readonly guards: readonly string[];
}

const REGIME_DAYS = 28;
/** Where refusals are not known: least hours a year with all licenses in use. */
const LEAST_FULL_HOURS = 20;
const RANGE_SHARE = 0.15;
/** Days without a use after which a feature counts as unused: a half year, so that no season is missed. */
export const UNUSED_DAYS = 180;
const TIGHT_SHARE = 0.95;
/** A chance of less is no clear one. */
const CLEAR_CHANCE = 0.75;

/** Whether a rule says that licenses are missing, or reserved for others, apart from how long it was observed. */
function isShort({ refusals, figures: { full } }: Findings): boolean {
  if (refusals.kind === 'known') return refusals.daysAYear + refusals.reservedDaysAYear > MOST_SHORT_DAYS;
  return (full?.hoursAYear ?? 0) >= LEAST_FULL_HOURS;
}

/** Whether the licenses were what they are now, and for how many days it must be observed. */
function regimeGuards({ regime, bought, figures: { regimeDays } }: Findings): string[] {
  const guards: string[] = [];
  if (regimeDays < REGIME_DAYS) {
    guards.push(
      `only ${roundedCountText(regimeDays, 'day')} of ${REGIME_DAYS} are recorded with this number of licenses`,
    );
  }
  if ((bought ?? 0) > (regime.level ?? Number.POSITIVE_INFINITY)) {
    guards.push(`too few days are recorded since bought rose from ${regime.level} to ${bought}`);
  }
  return guards;
}

/** What is missing, in licenses; `undefined` if not enough is known. */
function estimateOf({ figures: { full }, regime, context }: Findings): number | undefined {
  if (full === undefined || regime.level === undefined) return undefined;
  return estimateNeeded({ licenses: regime.level, share: full.share, hours: full.shareHours }, context.tolerance);
}

function missing(findings: Findings, bought: number): Decision | undefined {
  const { refusals, figures, beforeCut, likely = 0, enough = 0 } = findings;
  if (refusals.kind === 'known' && refusals.areReserved) return { state: 'reserved', guards: [] };
  if (refusals.kind === 'known' && refusals.daysAYear <= MOST_SHORT_DAYS) return undefined;
  const estimate = estimateOf(findings);
  if (refusals.kind === 'unknown') {
    // nobody may have waited: only a clear lack counts
    if (estimate === undefined || estimate < bought + Math.max(2, 0.05 * bought)) return undefined;
  }
  const byFullTime = (figures.full?.share ?? 0) > MOST_FULL ? undefined : estimate;
  const used = beforeCut !== undefined && beforeCut > bought ? beforeCut : undefined;
  if (byFullTime === undefined && used === undefined) return { state: 'missing', guards: [] };
  const needed = Math.max(byFullTime ?? 0, used ?? 0, likely);
  const margin = Math.max(1, RANGE_SHARE * needed);
  const atLeastOne = (licenses: number): number => Math.max(1, licenses - bought);
  return {
    state: 'missing',
    count: atLeastOne(needed),
    countRange: [atLeastOne(Math.floor(needed - margin)), atLeastOne(Math.max(Math.ceil(needed + margin), enough))],
    guards: [],
  };
}

function isUnused({ use: { first, lastUse }, context: { today } }: Findings): boolean {
  const since = lastUse === undefined ? first : lastUse + 1;
  return since !== undefined && today - since >= UNUSED_DAYS;
}

/** Whether a busy week uses nearly all licenses: then a full pool may hide how many are needed. */
export const isBusy = ({ expected, bought }: Findings): boolean =>
  expected !== undefined && bought !== undefined && expected.busyWeek >= TIGHT_SHARE * bought;

/** Whether a busy week uses nearly all licenses, or they are not clearly enough for the coming year. */
function isTight(findings: Findings, bought: number): boolean {
  const { expected, refusals } = findings;
  if (expected === undefined) return false;
  // each use takes all of one license: it is too few only if a user was refused
  if (bought === 1) return refusals.kind === 'known' && refusals.daysAYear > 0;
  return isBusy(findings) || chanceOf(expected.outlook, 'year', bought + tuning.noLicense) < CLEAR_CHANCE;
}

/** Decides the state. */
export function decide(findings: Findings): Decision {
  const exclusions = exclusionsOf(findings);
  const { bought } = findings;
  if (exclusions.length > 0 || bought === undefined) return { state: 'no advice', guards: exclusions };
  const regime = isShort(findings) ? regimeGuards(findings) : [];
  if (isShort(findings) && regime.length === 0) {
    const decision = missing(findings, bought);
    if (decision !== undefined) return decision;
  }
  const guards = dataGuards(findings);
  if (guards.length > 0) return { state: 'not enough data', guards: [...guards, ...regime] };
  if (isUnused(findings)) return { state: 'unused', guards: [] };
  const kept = licensesToKeep(findings);
  const spare = kept === undefined ? 0 : Math.floor(bought - kept.licenses);
  const cut = guardsOfCut(findings, spare);
  if (spare >= 1 && cut.length === 0) return { state: 'could go', count: spare, guards: [] };
  const others = regime.map(
    (text) => `requests were refused at a rate of more than ${roundedText(MOST_SHORT_DAYS)} days a year, but ${text}`,
  );
  return { state: isTight(findings, bought) ? 'tight' : 'fine', guards: [...cut, ...others] };
}
