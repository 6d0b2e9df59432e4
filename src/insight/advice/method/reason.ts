import { dateText } from '../../../base/model/local-time.ts';
import { countText, numberText, roundedCountText, roundedText } from '../../../base/texts.ts';
import type { Growth } from './advice.ts';
import { uncertaintiesOf } from './confidence.ts';
import { hoursShort } from './curve.ts';
import { licensesToKeep } from './cut.ts';
import { type Decision, isBusy } from './decision.ts';
import { MOST_FULL } from './erlang.ts';
import type { Findings } from './findings.ts';
import type { Expected } from './look.ts';
import { chanceOf, tuning } from './outlook.ts';
import { refusedDaysText, waitedTexts } from './refusals.ts';
import { reservationCaveats, uncertainReservations } from './reservations.ts';
import { firstDayOf, newestWeeks, WEEKS, WINDOW_DAYS, YEAR_HOURS } from './window.ts';

/** Why, in sentences that a person would say: built of figures, and of every guard that stopped advice. */

/** Each part is a sentence without its point. */
const sentences = (parts: readonly string[]): string =>
  parts.map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`).join(' ');

const months = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2000, month)).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' }),
);
const monthOf = (day: number): string => months[new Date(day * 86_400_000).getUTCMonth()] ?? '';

const percent = (share: number): string => `${roundedText(Math.abs(share) * 100)} %`;
const were = (licenses: number): string => (roundedText(licenses) === '1' ? 'was' : 'were');
const are = (licenses: number): string => (roundedText(licenses) === '1' ? 'is' : 'are');

function boughtText({ bought, boughtAsOf }: Findings): string {
  const asOf = boughtAsOf === undefined ? '' : ` as of ${dateText(boughtAsOf)}`;
  return `${roundedText(bought ?? Number.NaN)} bought${asOf}`;
}

const recordedText = ({ days }: Findings): string => `${days} of ${WINDOW_DAYS} days are recorded`;

/** A larger rise is said in licenses only. */
const MOST_SHARE = 2;

function growthText(expected: Expected | undefined): string {
  const growth: Growth = expected?.growth ?? { kind: 'unknown' };
  switch (growth.kind) {
    case 'proven': {
      const since = growth.since === undefined ? '' : ` since about ${dateText(growth.since)}`;
      const licenses = roundedCountText(Math.abs(growth.perMonth), 'license');
      return `use ${growth.perMonth > 0 ? 'grows' : 'falls'} by ${percent(growth.share)} a month (${licenses})${since}`;
    }
    case 'step': {
      const licenses = roundedCountText(Math.abs(growth.by), 'license');
      // from next to nothing, a share says nothing
      const by = growth.share > MOST_SHARE ? licenses : `${percent(growth.share)} (${licenses})`;
      return `use ${growth.by > 0 ? 'rose' : 'fell'} by ${by} about ${dateText(growth.day)}`;
    }
    case 'season':
      return `use has a season, and is at its highest in ${monthOf(growth.day)}`;
    case 'ended':
      return `use has been level since about ${dateText(growth.day)}`;
    case 'not proven':
      return expected?.mayRise === true ? 'use may rise, which is not proven yet' : 'use is level';
    case 'unknown':
      return 'whether use grows is not known before 26 weeks are recorded';
  }
}

/** What is known of refusals, and of the people who waited. */
const refusalsTexts = (findings: Findings): readonly string[] => [
  refusalsText(findings),
  ...waitedTexts(findings.figures.refusals),
];

function refusalsText({ refusals, figures }: Findings): string {
  if (refusals.kind === 'unknown') return `refusals are not known (${refusals.because})`;
  const { requests = 0, window } = figures.refusals;
  const unclearDays = window.unclearDays + window.unknownDays;
  const onDays = window.days > 0 ? `${numberText(unclearDays)} of the others` : countText(unclearDays, 'day');
  const unclear = unclearDays > 0 ? ` (unclear on ${onDays})` : '';
  const byDay = figures.detail === 'curve' ? ' (matched by the day)' : '';
  const what =
    window.days > 0
      ? refusedDaysText(figures.refusals)
      : `no request was refused${requests > 0 ? ' for want of licenses' : ''}`;
  return `${what}${unclear}${byDay}`;
}

/** What would have been enough in the last year. */
function enoughText(licenses: number, { figures, bought = 0, refusals, regime: { change } }: Findings): string {
  const wereRefused = refusals.kind === 'known' && refusals.daysAYear > 0;
  if (licenses > bought || (licenses >= bought && wereRefused)) {
    const wereMore = licenses > bought && change !== undefined && change.before > bought;
    const of = wereMore
      ? `, of the ${roundedText(change.before)} that were bought until ${dateText(change.day - 1)}`
      : '';
    return `up to ${roundedText(licenses)} ${were(licenses)} in use in the last year${of}`;
  }
  const hours = hoursShort(figures, licenses);
  const subject = `${roundedText(licenses)} ${were(licenses)} enough in the last year`;
  if (hours === 0) return `${subject}, in all samples`;
  return `${subject}, but for ${roundedText(hours) === '0' ? 'less than 0.1' : roundedText(hours)} h`;
}

/** When so many were needed, if that was so at one time only: in a week, and in those before and after it. */
function onceText({ needed = 0, weeks, context: { today } }: Findings): string[] {
  const { week, peak } = newestWeeks(weeks, WEEKS);
  const at = peak.indexOf(Math.max(...peak));
  const others = peak.filter((_, i) => Math.abs((week[i] as number) - (week[at] as number)) > 1);
  const most = Math.max(...others);
  if (others.length === 0 || most >= needed) return [];
  const when = dateText(firstDayOf(week[at] as number, today));
  return [`more than ${roundedText(most)} ${were(most)} in use about ${when} only`];
}

/** How likely the licenses are enough, and how many would be. */
function chanceText({ expected, bought = Number.NaN, enough = Number.NaN }: Findings): string {
  if (expected === undefined) return 'whether they are enough for the coming year is not known';
  const isEnough = enough <= bought;
  const tenths = Math.round(10 * chanceOf(expected.outlook, 'year', bought + tuning.noLicense));
  const chance = tenths < 1 ? 'less than 1 in 10' : `${isEnough ? 9 : Math.min(8, tenths)} in 10`;
  const more = enough > bought ? `; ${roundedText(enough)} would be enough with a chance of 9 in 10` : '';
  return `the chance that ${roundedText(bought)} ${are(bought)} enough for the coming year is ${isEnough ? 'more than ' : ''}${chance}${more}`;
}

/** What makes advice weaker than its figures look. */
function caveatsOf(findings: Findings): string[] {
  const { refusals, figures } = findings;
  const caveats: string[] = [];
  const uncertainties = uncertaintiesOf(findings, 'could go');
  if (uncertainties.length > 0) caveats.push(`this is provisional, because ${uncertainties.join(' and ')}`);
  caveats.push(...reservationCaveats(findings));
  if (refusals.kind === 'unknown' && figures.leastFree !== undefined) {
    caveats.push(`at least ${roundedText(figures.leastFree)} ${were(figures.leastFree)} free in all samples`);
  }
  return caveats;
}

/** What the last year needed, and why the coming one needs as many or more. */
function keptTexts(findings: Findings): string[] {
  const { needed = Number.NaN, enough } = findings;
  const kept = licensesToKeep(findings);
  if (kept === undefined) return [];
  const byDays = `${roundedText(needed)} would have been too few on more than ${tuning.mostDaysAbove} days`;
  const next =
    enough === undefined || enough < kept.licenses
      ? `${roundedText(kept.licenses)} ${are(kept.licenses)} kept, because the last year needed them`
      : `${roundedText(kept.licenses)} ${are(kept.licenses)} enough for the coming year with a chance of 9 in 10`;
  return [
    enoughText(kept.ofTheYear, findings),
    ...(kept.isByDays ? [byDays] : []),
    ...onceText(findings),
    growthText(findings.expected),
    next,
  ];
}

function couldGo(findings: Findings, { count = Number.NaN }: Decision): string {
  const [last = '', ...others] = keptTexts(findings).reverse();
  return sentences([
    boughtText(findings),
    ...others.reverse(),
    `${last}, so ${roundedText(count)} could go`,
    ...refusalsTexts(findings),
    recordedText(findings),
    ...caveatsOf(findings),
  ]);
}

function missing(findings: Findings, { count, countRange }: Decision): string {
  const { bought = Number.NaN, figures, beforeCut = 0, regime } = findings;
  const { hoursAYear, share = Number.NaN, shareHours } = figures.full ?? {};
  const parts = [boughtText(findings), ...refusalsTexts(findings)];
  const isAlwaysFull = share > MOST_FULL;
  if (hoursAYear !== undefined) {
    const time = shareHours === YEAR_HOURS ? 'time' : 'working time';
    const ofTime = isAlwaysFull ? `, ${roundedText(share * 100)} % of the ${time}` : '';
    parts.push(`all ${were(bought)} in use for ${roundedText(hoursAYear)} h a year${ofTime}`);
  }
  if (beforeCut > bought && regime.change !== undefined) {
    const cut = `${roundedText(regime.change.before)} were bought until ${dateText(regime.change.day - 1)}`;
    parts.push(`${cut}, and up to ${roundedText(beforeCut)} of them were in use on most days`);
  }
  if (count !== undefined && countRange !== undefined) {
    const [least, most] = countRange.map((licenses) => roundedText(bought + licenses));
    parts.push(
      `about ${roundedText(bought + count)} are needed (${least} to ${most}), so ${roundedText(count)} ${are(count)} missing`,
    );
    if (figures.detail === 'curve') parts.push('that is estimated over all hours, nights included');
  } else {
    const more = Math.max(1, Math.ceil(bought / 10));
    parts.push(
      'history cannot say how many are missing',
      `buy a tenth more (${roundedText(more)}), and check again after 4 weeks`,
    );
  }
  const uncertain = uncertainReservations(findings, 'missing');
  return sentences([
    ...parts,
    growthText(findings.expected),
    recordedText(findings),
    ...(uncertain ? [uncertain] : []),
  ]);
}

function unused({ context: { interval }, use: { first, lastUse } }: Findings): string {
  const samples =
    interval === undefined ? 'in the samples' : `in samples every ${roundedCountText(interval / 60, 'minute')}`;
  const since =
    lastUse === undefined
      ? `no use was seen at all ${samples}, recorded since ${dateText(first ?? 0)}`
      : `no use was seen since ${dateText(lastUse + 1)} ${samples}`;
  return sentences([since, 'this must be confirmed, because short use between two samples is not seen']);
}

function level(findings: Findings, { state, guards }: Decision): string {
  const { bought = Number.NaN, expected } = findings;
  const parts = [boughtText(findings), ...keptTexts(findings).slice(0, -1)];
  if (state === 'tight' && isBusy(findings)) {
    parts.push(
      `a busy week has ${roundedText(expected?.busyWeek ?? Number.NaN)} of ${roundedText(bought)} in use, which leaves little room`,
    );
  } else {
    parts.push(chanceText(findings));
    if (state === 'tight') parts.push('that leaves little room');
  }
  const uncertain = uncertainReservations(findings, state);
  parts.push(...refusalsTexts(findings), recordedText(findings), ...(uncertain ? [uncertain] : []), ...guards);
  return sentences(parts);
}

/** The sentences that explain a decision, with the figures that it rests on. */
export function reasonOf(findings: Findings, decision: Decision): string {
  switch (decision.state) {
    case 'no advice':
      return sentences([`no advice: ${decision.guards.join(' and ')}`]);
    case 'missing':
      return missing(findings, decision);
    case 'reserved':
      return sentences([
        boughtText(findings),
        ...refusalsTexts(findings),
        'most of the time, reserved licenses were not in use then',
        'free the reservation first',
      ]);
    case 'not enough data':
      return sentences([`not enough data: ${decision.guards.join(' and ')}`]);
    case 'unused':
      return unused(findings);
    case 'could go':
      return couldGo(findings, decision);
    case 'tight':
    case 'fine':
      return level(findings, decision);
  }
}
