import { dateText } from '../../../base/model/local-time.ts';
import { roundedCountText, roundedText } from '../../../base/texts.ts';
import type { State } from './advice.ts';
import { MOST_REFUSAL_DAYS } from './cut.ts';
import type { Findings } from './findings.ts';
import { WINDOW_DAYS } from './window.ts';

/** What it means for advice that reservations are not known. */

/** Whether they are not known now, and not only of an earlier time. */
const isUnknownNow = ({ figures: { reservedUnknownOn }, use: { last } }: Findings): boolean =>
  reservedUnknownOn !== undefined && reservedUnknownOn >= (last ?? reservedUnknownOn);

function unknownText(findings: Findings): string {
  const { reservedUnknownOn = 0 } = findings.figures;
  return isUnknownNow(findings)
    ? 'reservations are not recorded'
    : `reservations are recorded only since ${dateText(reservedUnknownOn + 1)}`;
}

/** Whether more days have refusals than advice allows, if all that may be for want of licenses are. */
function mayBeRefused({ figures: { refusals } }: Findings): boolean {
  const { days, unknownDays, recordedDays } = refusals.regime;
  return refusals.maybeReserved > 0 && ((days + unknownDays) * WINDOW_DAYS) / recordedDays > MOST_REFUSAL_DAYS;
}

/**
 * Why reservations that are not known could change the number, as a clause; `undefined` if they could not. They could if they are the
 * cause of refusals, or if only the free licenses say that nobody was refused.
 */
export function uncertainReservations(findings: Findings, state: State): string | undefined {
  const { refusals, figures } = findings;
  if (figures.reservedUnknownOn === undefined) return undefined;
  if (mayBeRefused(findings)) {
    const requests = roundedCountText(figures.refusals.maybeReserved, 'request');
    const were = figures.refusals.maybeReserved === 1 ? 'was' : 'were';
    return `${unknownText(findings)}, and ${requests} ${were} refused while licenses seemed to be free`;
  }
  return state === 'could go' && refusals.kind === 'unknown'
    ? `${unknownText(findings)}, so that fewer licenses may have been free`
    : undefined;
}

const reservedText = (licenses: number, verb: 'is' | 'was'): string => {
  const isOne = roundedText(licenses) === '1';
  return `${roundedCountText(licenses, 'license')} ${isOne ? verb : verb === 'is' ? 'are' : 'were'} reserved`;
};

/** What else a reader must know of reservations, each as a part of a sentence. */
export function reservationCaveats(findings: Findings): string[] {
  const { mostReserved = 0, context } = findings;
  const { reservedNow = 0 } = context;
  const caveats: string[] = [];
  if (mostReserved > 0) caveats.push(`up to ${reservedText(mostReserved, 'was')}`);
  else if (reservedNow > 0)
    caveats.push(`at least ${reservedText(reservedNow, 'is')} now, which leaves fewer to others`);
  if (context.reservedOn !== undefined) {
    caveats.push(
      `the setting rightsizing.without_reservations does not count here, because licenses were reserved on ${dateText(context.reservedOn)}`,
    );
  }
  // a reservation of now takes its licenses from those that are left
  if (isUnknownNow(findings) && reservedNow === 0) {
    const what = uncertainReservations(findings, 'could go') === undefined ? 'reservations are not recorded: ' : '';
    caveats.push(`${what}check that no licenses are reserved before you give any back`);
  }
  return caveats;
}
