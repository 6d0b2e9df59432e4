import { type Company, type Feature, type Incident, isOutage, localTime, START, wantedAt } from './company.ts';
import { type Firing, reaching, type Watched } from './firing.ts';
import { isServing, linesAt } from './observed.ts';

/** What alerts were worth, by what is known of the company. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Which alerts of a program say what, and about which server. */
export interface Meaning {
  /** A server is down, or cannot be asked. */
  readonly down: ReadonlySet<string>;
  readonly expiring: ReadonlySet<string>;
  /** All licenses are in use, or a request was refused. */
  readonly full: ReadonlySet<string>;
  /** A request was refused, or nothing nearer to that. */
  readonly refused: ReadonlySet<string>;
  /** A host of a redundant set is down. */
  readonly redundancy: ReadonlySet<string>;
  /** The name of the server. */
  readonly serverOf: (labels: Firing['labels']) => string | undefined;
}

interface OutageFigures {
  readonly outages: number;
  readonly outagesNoticed: number;
  readonly outageMinutes: number;
  readonly minutesNoticed: number;
  /** Minutes from the beginning of an outage to its alert: the median of those that were noticed. */
  readonly delay: number;
  /** Alerts that ended while the server was still down. */
  readonly endedEarly: number;
}

interface UnclearFigures {
  /** Alerts that a server is down while it served all users, and could be asked. */
  readonly falselyDown: number;
  /** Times at which nothing could be asked, and those with an alert. */
  readonly unansweredTimes: number;
  readonly unansweredTimesNoticed: number;
}

interface ExpiryFigures {
  /** Contracts of which the old licenses ended before the new ones were there, and the fewest days ahead of an alert about one. */
  readonly lapses: number;
  readonly leastDaysAhead: number;
  /** Days on which an alert about the end of licenses fired although the new ones were there. */
  readonly daysAfterRenewal: number;
}

interface RefusalFigures {
  /** Days of servers with refused requests, and those of them with an alert. */
  readonly refusalDays: number;
  readonly refusalDaysNoticed: number;
  /** Days of servers without a refused request on which an alert began all the same. */
  readonly quietDaysWithAlert: number;
}

export interface AlertFigures extends OutageFigures, UnclearFigures, ExpiryFigures, RefusalFigures {
  /** Those that a message is about. */
  readonly alerts: number;
  readonly messages: number;
}

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export const overlap = (one: Interval, other: Interval): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));

/** Seconds in at least one of some intervals. */
function covered(intervals: readonly Interval[]): number {
  let [total, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of intervals.toSorted((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return total;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);

/** The alerts of a program that a message is about. */
export interface Alerts {
  /** @param kind what they say @param server its name */
  about(kind: Exclude<keyof Meaning, 'serverOf'>, server: string): Firing[];
}

/** @param all alerts that a message is about */
export const alertsOf = (all: readonly Firing[], meaning: Meaning): Alerts => ({
  about: (kind, server) =>
    all.filter(({ labels }) => meaning[kind].has(labels.alertname ?? '') && meaning.serverOf(labels) === server),
});

function outageFigures({ servers, incidents, days }: Company, alerts: Alerts): OutageFigures {
  const outages = incidents.filter(isOutage).map((incident) => {
    const from = incident.from;
    const to = Math.min(incident.to, START + days * DAY);
    const firings = alerts
      .about('down', servers[incident.server ?? -1]?.name ?? '')
      .filter((firing) => overlap(firing, { from, to }) > 0);
    const begun = Math.max(from, Math.min(...firings.map((firing) => firing.from)));
    return {
      minutes: (to - from) / MINUTE,
      noticed: covered(firings.map((one) => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) }))) / MINUTE,
      delay: (begun - from) / MINUTE,
      endedEarly: firings.filter((firing) => firing.to < to).length,
    };
  });
  const noticed = outages.filter((one) => one.noticed > 0);
  return {
    outages: outages.length,
    outagesNoticed: noticed.length,
    outageMinutes: sum(outages, ({ minutes }) => minutes),
    minutesNoticed: sum(outages, (one) => one.noticed),
    delay: median(noticed.map(({ delay }) => delay)),
    endedEarly: sum(outages, ({ endedEarly }) => endedEarly),
  };
}

function unclearFigures({ servers, incidents }: Company, alerts: Alerts): UnclearFigures {
  const explains = (incident: Incident, server: number): boolean =>
    incident.what === 'monitoring' || (isOutage(incident) && incident.server === server);
  const down = servers.flatMap(({ name }, server) => alerts.about('down', name).map((firing) => ({ firing, server })));
  const falselyDown = down.filter(
    ({ firing, server }) => !incidents.some((one) => explains(one, server) && overlap(one, firing) > 0),
  );
  const unanswered = incidents.filter(({ what }) => what === 'monitoring');
  const hasBegunIn = ({ from, to }: Incident): boolean =>
    down.some(({ firing }) => from < firing.from && firing.from < to);
  return {
    falselyDown: falselyDown.length,
    unansweredTimes: unanswered.length,
    unansweredTimesNoticed: unanswered.filter(hasBegunIn).length,
  };
}

function expiryFigures({ servers, days }: Company, alerts: Alerts): ExpiryFigures {
  const contracts = servers.map(({ name, contract: { ends, renewed } }) => {
    const firings = alerts.about('expiring', name);
    const late = firings
      .map(({ from, to }) => ({ from: Math.max(from, renewed), to }))
      .filter(({ from, to }) => from < to);
    return {
      isLapse: ends < renewed && ends < START + days * DAY,
      ahead: Math.max(0, ...firings.map(({ from }) => (ends - from) / DAY)),
      after: covered(late) / DAY,
    };
  });
  const lapses = contracts.filter(({ isLapse }) => isLapse);
  return {
    lapses: lapses.length,
    leastDaysAhead: Math.min(...lapses.map(({ ahead }) => ahead)),
    daysAfterRenewal: sum(contracts, ({ after }) => after),
  };
}

/** A day of a server. */
interface ServerDay {
  readonly server: string;
  readonly whole: Interval;
  /** Requests that are refused for the feature with the most. */
  readonly refused: number;
}

/** Requests for licenses of a feature that are refused on a day. */
function refusedOn(feature: Feature, isServed: (at: number) => boolean, { from, to }: Interval): number {
  let refused = 0;
  for (let at = from; at < to; at += HOUR) {
    if (isServed(at)) refused += Math.max(0, wantedAt(feature, at) - feature.bought);
  }
  return refused;
}

/** All days of all servers. */
export function serverDaysOf({ servers, features, incidents, days }: Company): ServerDay[] {
  const today = localTime.dayOf(START);
  return servers.flatMap((server, i) => {
    const own = features.filter((feature) => feature.server === i);
    const outages = incidents.filter((one) => isOutage(one) && one.server === i);
    const isServed = (at: number): boolean =>
      isServing(linesAt(server, at), at) && !outages.some(({ from, to }) => from <= at && at < to);
    return Array.from({ length: days }, (_, day) => {
      const whole = { from: localTime.startOf(today + day), to: localTime.startOf(today + day + 1) };
      const refused = Math.max(0, ...own.map((feature) => refusedOn(feature, isServed, whole)));
      return { server: server.name, whole, refused };
    });
  });
}

function refusalFigures(company: Company, alerts: Alerts): RefusalFigures {
  const serverDays = [...Map.groupBy(serverDaysOf(company), ({ server }) => server)].flatMap(([server, all]) => {
    const firings = alerts.about('full', server);
    return all.map(({ whole, refused }) => {
      return {
        isRefusing: refused > 0,
        isNoticed: firings.some((firing) => overlap(firing, whole) > 0),
        hasBegun: firings.some(({ from }) => whole.from <= from && from < whole.to),
      };
    });
  });
  const refusing = serverDays.filter(({ isRefusing }) => isRefusing);
  return {
    refusalDays: refusing.length,
    refusalDaysNoticed: refusing.filter(({ isNoticed }) => isNoticed).length,
    quietDaysWithAlert: serverDays.filter(({ isRefusing, hasBegun }) => !isRefusing && hasBegun).length,
  };
}

/** Counts what the alerts of a program were worth. Only those that a message is about count. */
export function figuresOf(company: Company, watched: Watched, meaning: Meaning): AlertFigures {
  const all = reaching(watched);
  const alerts = alertsOf(all, meaning);
  return {
    alerts: all.length,
    messages: watched.messages.length,
    ...outageFigures(company, alerts),
    ...unclearFigures(company, alerts),
    ...expiryFigures(company, alerts),
    ...refusalFigures(company, alerts),
  };
}
