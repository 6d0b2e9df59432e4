import type { Forecasts, SourceState } from '../../src/alerting/alerts/rule.ts';
import type { Source } from '../../src/base/model/observation/source.ts';
import { evaluateDemand } from '../../src/insight/advice/method/evaluation.ts';
import { noStreak, type Streak, streakAfter } from '../../src/insight/advice/method/run-out-streak.ts';
import { contextOf } from '../support/advice-context.ts';
import { settingsOf } from '../support/alert-views.ts';
import { PAST } from '../support/drawn-hours.ts';
import { recordHours, TODAY } from '../support/recorded-hours.ts';
import { type BothWays, watchSite } from './both-ways.ts';
import { type Company, isOutage, localTime, START } from './company.ts';
import { DAEMON, incidentsAt, observe } from './observed.ts';

/**
 * The year with license-exporter: its analyzer reads each server every 5 minutes, the real engine evaluates its default rules, and
 * messages go by the example for Alertmanager, and by the daemon itself.
 */

const DAY = 86_400;
/** Seconds between two readings: the default. */
const INTERVAL = 300;

/** Each server as a source, and how reading it goes. */
function createSources(company: Company, now: () => number) {
  const failedReadings = new Map<number, number>();
  const wrongWith = (i: number) =>
    incidentsAt(company, now()).filter(({ server }) => server === undefined || server === i);
  const isUnanswered = (i: number): boolean => wrongWith(i).some(({ what }) => what === 'monitoring');
  const isDown = (i: number): boolean => wrongWith(i).some(isOutage);
  const sources = company.servers.map(({ name }, i): Source => {
    let before = START - INTERVAL;
    return {
      name,
      interval: INTERVAL,
      offset: 0,
      read: async () => {
        const observed = observe(company, i, now(), before);
        const isRead = !isUnanswered(i) && !isDown(i);
        if (isRead) before = now();
        failedReadings.set(i, isRead ? 0 : (failedReadings.get(i) ?? 0) + 1);
        return [{ ...observed, reachable: isRead }];
      },
    };
  });
  const states = (): SourceState[] =>
    company.servers.map(({ name, hosts }, i) => ({
      name,
      manager: 'flexnet',
      failedReadings: failedReadings.get(i),
      isServerDown: isUnanswered(i) ? undefined : isDown(i),
      vendorLicenses: [`${name};${DAEMON}`],
      members: hosts.map((_, h) => {
        const isUp = !isDown(i) && !(h === 0 && wrongWith(i).some(({ what }) => what === 'host'));
        return { up: isUnanswered(i) ? undefined : isUp };
      }),
    }));
  return { sources, states };
}

/** What right-sizing expects after each night. */
function createForecasts({ features, servers }: Company, now: () => number): () => Forecasts {
  const streaks = new Map<string, Streak>();
  let last: { today: number; forecasts: Forecasts } | undefined;
  return () => {
    const today = localTime.dayOf(now());
    if (last?.today === today) return last.forecasts;
    const rows = features.map(({ name, server, hours, bought }): Forecasts['rows'][number] => {
      const demand = recordHours(hours, PAST, () => bought, today - TODAY);
      const advice = evaluateDemand(demand, contextOf({ today, bought, refusalsRecorded: true }));
      const streak = streakAfter(streaks.get(name) ?? noStreak, advice, today);
      streaks.set(name, streak);
      const { state, count, needed, enough, recentPeak, runsOut, unusedSince, isNeverUsed, days } = advice;
      const vendorLicense = `${servers[server]?.name};${DAEMON}`;
      return {
        ...{ vendorLicense, feature: name, package: '', featureType: 'feature' },
        ...{ bought, count, needed, enough, recentPeak },
        ...{ state, confirmedRunsOut: streak.confirmed, runsOut, unusedSince, isNeverUsed, days },
      };
    });
    last = { today, forecasts: { computedAt: now(), rows, startOf: (day) => localTime.startOf(day) } };
    return last.forecasts;
  };
}

/** @param onDay called after each day that was watched */
export function watchYear(company: Company, onDay?: (day: number) => void): Promise<BothWays> {
  return watchSite(
    {
      ...{ from: START, seconds: company.days * DAY, interval: INTERVAL, rules: settingsOf() },
      managers: (now) => ({ ...createSources(company, now), forecasts: createForecasts(company, now) }),
    },
    onDay,
  );
}
