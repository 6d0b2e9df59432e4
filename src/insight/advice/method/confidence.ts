import type { Advice, State } from './advice.ts';
import { riseText } from './cut.ts';
import type { Findings } from './findings.ts';
import { uncertainReservations } from './reservations.ts';
import { HIGH_DAYS, PROVISIONAL_DAYS } from './window.ts';

/** How sure advice is. */

/** What could make it wrong, each as a clause; nothing if it is as sure as advice can be. */
export function uncertaintiesOf(findings: Findings, state: State): readonly string[] {
  return [
    // a rise makes no other advice wrong
    state === 'could go' ? riseText(findings) : undefined,
    findings.days < HIGH_DAYS ? 'the season is not seen yet' : undefined,
    uncertainReservations(findings, state),
  ].filter((one) => one !== undefined);
}

export function confidenceOf(findings: Findings, uncertainties: readonly string[]): Advice['confidence'] {
  if (findings.days < PROVISIONAL_DAYS) return 'none';
  return uncertainties.length === 0 ? 'high' : 'provisional';
}
