import { type Company, type Incident, isOutage, START } from './company.ts';
import { alertsOf, type Interval, type Meaning, overlap, serverDaysOf } from './figures.ts';
import { reaching, type Watched } from './firing.ts';

/** What has happened, and is in no message. */

const DAY = 86_400;
/** An end of licenses that are not renewed as long before it must be in a message. */
const RENEWED_AHEAD = 7 * DAY;
/** From a Friday to the next digest. */
const DIGEST_AFTER = 3 * DAY;
/** Fewer refused requests for a feature in a day are no reason to act. */
export const FEW = 3;

/** How often something has happened, and how often no message is about it. */
export interface Missed {
  readonly all: number;
  readonly missed: number;
}

export interface MissedFigures {
  readonly outages: Missed;
  /** Times at which no server could be asked. */
  readonly unanswered: Missed;
  /** Ends of licenses that were not renewed a week before. */
  readonly ends: Missed;
  /** Times at which a host of a redundant set was down. */
  readonly redundancy: Missed;
  /** Days of servers with three or more refused requests for a feature. */
  readonly refusals: Missed;
}

/** Counts what is in no message of a program. */
export function missedFigures(company: Company, watched: Watched, meaning: Meaning): MissedFigures {
  const { servers, incidents, days } = company;
  const alerts = alertsOf(reaching(watched), meaning);
  const end = START + days * DAY;
  // of one that goes on, a message may still come
  const over = incidents.filter(({ to }) => to <= end);
  const isSaid = (kind: Parameters<typeof alerts.about>[0], server: string, time: Interval): boolean =>
    alerts.about(kind, server).some((firing) => overlap(firing, time) > 0);
  const nameOf = ({ server = -1 }: Incident): string => servers[server]?.name ?? '';
  const count = <T>(all: readonly T[], isNamed: (one: T) => boolean): Missed => ({
    all: all.length,
    missed: all.filter((one) => !isNamed(one)).length,
  });
  const unanswered = over.filter(({ what }) => what === 'monitoring');
  return {
    outages: count(over.filter(isOutage), (one) => isSaid('down', nameOf(one), one)),
    unanswered: count(unanswered, ({ from, to }) =>
      servers.some(({ name }) => alerts.about('down', name).some((firing) => from < firing.from && firing.from < to)),
    ),
    ends: count(
      servers.filter(({ contract: { ends, renewed } }) => renewed > ends - RENEWED_AHEAD && ends < end),
      ({ name, contract: { ends } }) => isSaid('expiring', name, { from: START, to: ends }),
    ),
    redundancy: count(
      over.filter(({ what }) => what === 'host'),
      (one) => isSaid('redundancy', nameOf(one), one),
    ),
    refusals: count(
      serverDaysOf(company).filter(({ refused, whole }) => refused >= FEW && whole.to <= end - DIGEST_AFTER),
      ({ server, whole }) => isSaid('refused', server, whole),
    ),
  };
}
