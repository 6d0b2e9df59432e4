import { dateText } from '../model/local-time.ts';
import type { Growth } from './advice.ts';
import { hoursShort } from './curve.ts';
import { licensesToKeep, MOST_DAYS_ABOVE, riseText } from './cut.ts';
import type { Decision } from './decision.ts';
import { MOST_FULL } from './erlang.ts';
import type { Findings } from './findings.ts';
import { HIGH_DAYS, WINDOW_DAYS } from './window.ts';
import { numberText, plural } from './wording.ts';

/** The sentence that says why: built of figures, and of every guard that stopped advice. */

const sentence = (parts: readonly string[]): string => {
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};

function boughtText({ bought, boughtAsOf }: Findings): string {
  const asOf = boughtAsOf === undefined ? '' : ` as of ${dateText(boughtAsOf)}`;
  return `${numberText(bought ?? Number.NaN)} bought${asOf}`;
}

const recordedText = ({ days }: Findings): string => `${days} of ${WINDOW_DAYS} days recorded`;

function growthText(growth: Growth): string {
  switch (growth.kind) {
    case 'proven':
      return `use ${growth.perMonth > 0 ? 'grows' : 'falls'} by ${numberText(Math.abs(growth.perMonth))} a month`;
    case 'step':
      return `use ${growth.by > 0 ? 'rose' : 'fell'} by ${numberText(Math.abs(growth.by))} in the week of ${dateText(growth.day)}, level since`;
    case 'not proven':
      return 'no proven growth';
    case 'unknown':
      return 'growth not known before 26 weeks are recorded';
  }
}

function refusalsText({ refusals, figures }: Findings): string {
  if (refusals.kind === 'unknown') return `refusals not known (${refusals.because})`;
  const unclear = refusals.unclearDays > 0 ? ` (unclear on ${plural(refusals.unclearDays, 'more day')})` : '';
  const byDay = figures.detail === 'curve' ? ' (matched by the day)' : '';
  return `refusals on ${plural(refusals.days, 'day')} a year${unclear}${byDay}`;
}

function enoughText(licenses: number, { figures }: Findings): string {
  const were = licenses === 1 ? 'was' : 'were';
  const hours = hoursShort(figures, licenses);
  if (hours === 0) return `${numberText(licenses)} ${were} enough in all samples`;
  const few = numberText(hours) === '0' ? 'less than 0.1' : numberText(hours);
  return `${numberText(licenses)} ${were} enough but for ${few} h a year`;
}

const fullText = ({ figures: { full } }: Findings): string[] =>
  full === undefined ? [] : [`full ${numberText(full.hoursAYear)} h a year`];

/** What makes advice weaker than its figures look. */
function caveatsOf(findings: Findings): string[] {
  const { refusals, figures, days, mostReserved = 0 } = findings;
  const caveats: string[] = [];
  const rise = riseText(findings);
  if (rise !== undefined) caveats.push(`provisional because ${rise}`);
  if (days < HIGH_DAYS) caveats.push('provisional because the season is not seen yet');
  if (mostReserved > 0) caveats.push(`up to ${plural(mostReserved, 'license')} reserved`);
  if (!figures.knowsReserved) caveats.push('reservations are not recorded');
  if (refusals.kind === 'unknown' && figures.leastFree !== undefined) {
    caveats.push(`at least ${numberText(figures.leastFree)} were free in all samples`);
  }
  return caveats;
}

/** How many licenses must be kept for the next year, and why that is more than needed. */
function keptTexts(findings: Findings): string[] {
  const kept = licensesToKeep(findings);
  if (kept === undefined) return [];
  const needed = numberText(findings.needed ?? Number.NaN);
  const growth = kept.hasGrowth ? ' and a year of growth' : '';
  return [
    ...(kept.isByDays ? [`${needed} would have been too few on more than ${MOST_DAYS_ABOVE} days`] : []),
    `${numberText(kept.licenses)} to keep for the next year: a tenth more${growth}`,
  ];
}

function couldGo(findings: Findings): string {
  return sentence([
    boughtText(findings),
    enoughText(licensesToKeep(findings)?.ofTheYear ?? Number.NaN, findings),
    ...keptTexts(findings),
    refusalsText(findings),
    growthText(findings.growth),
    recordedText(findings),
    ...caveatsOf(findings),
  ]);
}

function missing(findings: Findings, { count, countRange }: Decision): string {
  const { bought = Number.NaN, figures } = findings;
  const parts = [boughtText(findings), refusalsText(findings), ...fullText(findings)];
  if (count !== undefined && countRange !== undefined) {
    const [least, most] = countRange.map((licenses) => numberText(bought + licenses));
    parts.push(`an estimated ${numberText(bought + count)} are needed (${least} to ${most})`);
    if (figures.detail === 'curve') parts.push('estimated over all hours, nights included');
  } else {
    const share = figures.full?.share ?? Number.NaN;
    if (share > MOST_FULL) parts.push(`which is ${numberText(share * 100)} % of the time`);
    parts.push('history cannot say how many are missing: buy a tenth more and check again after 4 weeks');
  }
  return sentence([...parts, growthText(findings.growth), recordedText(findings)]);
}

function unused({ context: { interval }, use: { first, lastUse } }: Findings): string {
  const samples = interval === undefined ? 'in the samples' : `in samples every ${plural(interval / 60, 'minute')}`;
  const since =
    lastUse === undefined
      ? `no use seen at all, recorded since ${dateText(first ?? 0)}`
      : `no use seen since ${dateText(lastUse + 1)}`;
  return sentence([since, samples, 'to be confirmed: short use between two samples is not seen']);
}

function level(findings: Findings, { state, guards }: Decision): string {
  const { bought = Number.NaN, needed, busyWeek } = findings;
  const parts = [boughtText(findings)];
  if (busyWeek !== undefined) {
    parts.push(`a busy week peaks at ${numberText(busyWeek)}${state === 'tight' ? ', which leaves little room' : ''}`);
  }
  if (needed !== undefined) {
    parts.push(needed >= bought ? `all ${numberText(bought)} are needed` : `${numberText(needed)} needed`);
    const kept = licensesToKeep(findings)?.licenses ?? 0;
    // otherwise nothing says why the rest cannot go
    if (needed < bought && kept > bought - 1) parts.push(...keptTexts(findings));
  }
  parts.push(refusalsText(findings), growthText(findings.growth), recordedText(findings), ...guards);
  return sentence(parts);
}

/** The sentence that explains a decision, with the figures that it rests on. */
export function reasonOf(findings: Findings, decision: Decision): string {
  switch (decision.state) {
    case 'no advice':
      return sentence([`no advice: ${decision.guards.join(' and ')}`]);
    case 'missing':
      return missing(findings, decision);
    case 'reserved':
      return sentence([
        boughtText(findings),
        refusalsText(findings),
        'most of them while reserved licenses were not in use: free the reservation first',
      ]);
    case 'not enough data':
      return sentence([`not enough data: ${decision.guards.join(' and ')}`]);
    case 'unused':
      return unused(findings);
    case 'could go':
      return couldGo(findings);
    case 'tight':
    case 'fine':
      return level(findings, decision);
  }
}
