import type { EngineRuleName } from '../../../../src/alerting/alerts/definitions.ts';
import type { AllSettings } from '../../../../src/alerting/alerts/rules.ts';
import type { SourceHealth } from '../../../../src/base/model/observation/source.ts';
import type { Facts, Poll } from './facts.ts';
import type { Memory } from './memory.ts';

/**
 * What each alert is about, stated from what a process was told: one short function for each. Nothing here calls the rules of the
 * engine. Thresholds are those of the settings.
 *
 * What the analyzer no longer lists is unknown for every alert about it, until the alert that says that it vanished fires. What has
 * expired and is removed is not missed.
 */

/**
 * What is true about one alert. `not cleared`: only not yet, so that it keeps firing. `open`: either is right. It may end, and need not.
 */
export type Condition = 'raised' | 'not cleared' | 'false' | 'unknown' | 'open';

/** Whether it keeps an alert firing. */
export const isFound = (condition: Condition | undefined): boolean =>
  condition === 'raised' || condition === 'not cleared';

/** What a process knows and remembers at one tick. */
interface Known {
  readonly facts: Facts;
  readonly memory: Memory;
  readonly settings: AllSettings;
}

/** What an alert is about. */
export interface About {
  readonly severity: string;
  readonly vendorLicense: string;
  /** Index; -1 for what is not about a feature. */
  readonly feature: number;
  readonly endpoint: string;
  readonly source: string;
  /** The day on which licenses expire. */
  readonly expires: string;
}

interface OwnAlert {
  /** What it has one alert for each of. */
  readonly each: 'site' | 'endpoint' | 'source' | 'vendor license of source' | 'vendor license' | 'feature' | 'expiry';
  condition(known: Known, about: About): Condition;
  /** Whether the data is there with which it is known for everything that it can be about. */
  isKnown(known: Known): boolean;
}

/** The last good pass of right-sizing counts for this long, seconds. */
const PASS = 2 * 86_400;
/** LicenseRunsOut ends when the date is this many times farther away than where it begins. */
const FAR = 1.5;
/** What a sum of fractions may be away from the exact one. */
const TOLERANCE = 1e-9;
/** A number that changes sooner is not the last one, seconds. */
const SETTLING = 600;
/** The number of licenses of a day ago is the lowest of these hours, seconds. */
const [DAY_AGO_FROM, DAY_AGO_TO] = [25.5 * 3600, 22.5 * 3600];

/** An alert that nothing raises. @param isKnown whether the data is there that would raise it */
function absent({ facts, memory }: Known, { vendorLicense, feature: index }: About, isKnown: boolean): Condition {
  const isEmpty = facts.isListEmpty || facts.isListRefused;
  const found = memory.vendorLicenses.get(vendorLicense);
  /** At the very evaluation at which the other alert begins, it may end, and need not. */
  const isGone = (since: number, isDataKnown: boolean): Condition =>
    isDataKnown && !isEmpty && since < facts.now ? 'false' : 'open';
  const feature = memory.features.get(index);
  const isMissing = index !== -1 && feature !== undefined && !facts.isFeatureListed(index);
  if (isEmpty && found?.goneSince === undefined) return 'unknown';
  // also while its vendor license is missed
  if (isMissing && feature.goneSince !== undefined) return isGone(feature.goneSince, isKnown);
  if (!facts.isListed(vendorLicense)) {
    if (found?.goneSince !== undefined) return isGone(found.goneSince, isKnown && facts.isListKnown);
    return found === undefined && facts.isListKnown ? 'false' : 'unknown';
  }
  // a list that is too old does not say that its vendor license is still there
  if (found !== undefined && !facts.isShown(vendorLicense)) return 'unknown';
  if (!isMissing) return isKnown ? 'false' : 'unknown';
  // what people know to have expired is not missed
  return feature.isExpiryTold && feature.missedAt !== undefined ? isGone(feature.missedAt, isKnown) : 'unknown';
}

/** An alert about the use of a feature. */
function ofUse(known: Known, about: About, met: (index: number) => Condition): Condition {
  const { facts } = known;
  const { vendorLicense, feature: index } = about;
  const isServed = facts.served(index) !== undefined;
  const result = isServed ? met(index) : 'false';
  if (result !== 'false') return result;
  // only GetExpirationFeatures has it: nobody can use it
  if (!isServed && facts.isFeatureListed(index) && facts.areServedKnown(vendorLicense)) return 'open';
  return absent(known, about, facts.areServedKnown(vendorLicense));
}

/** An alert about an expiry. @param met whether it fires, by the seconds left */
function ofExpiry(known: Known, about: About, met: (left: number) => boolean): Condition {
  const { facts } = known;
  const { vendorLicense, feature: index, expires } = about;
  const at = facts.expiration(index);
  if (at === undefined && facts.isFeatureListed(index)) return 'unknown';
  if (at !== undefined && dayOf(at) === expires && met(at - facts.now)) return 'raised';
  return absent(known, about, facts.areExpiriesKnown(vendorLicense));
}

const days = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' });

/** The day of the calendar on which a license expires; empty for one that does not. @param at epoch seconds */
export const dayOf = (at: number): string => (Number.isFinite(at) ? days.format(new Date(at * 1000)) : '');

const ofPolls =
  (met: (polls: readonly Poll[], facts: Facts, endpoint: string) => boolean | 'unknown') =>
  ({ facts }: Known, { endpoint }: About): Condition => {
    const result = met(facts.polls, facts, endpoint);
    return result === 'unknown' ? result : result ? 'raised' : 'false';
  };

const areTried = (polls: readonly Poll[]): boolean => polls.length > 0 && polls.every(({ isTried }) => isTried);

const isUp = (polls: readonly Poll[], facts: Facts): boolean =>
  areTried(polls) && polls.every(({ isAnswered }) => isAnswered) && !facts.isListEmpty;

/** Records of the last good answers that cannot be used. */
const unusableOf = ({ parts }: Poll): number => parts.reduce((sum, { last }) => sum + (last?.unusable ?? 0), 0);

const sourceOf = ({ facts }: Known, { source }: About): SourceHealth | undefined =>
  facts.sight.sources?.find(({ name }) => name === source);

const areReadOnce = ({ facts }: Known): boolean =>
  (facts.sight.sources ?? []).length > 0 && facts.sight.sources?.every((each) => each.failedReadings === 0) === true;

const always = (): boolean => true;
const areServedKnown = ({ facts, memory }: Known): boolean =>
  facts.isListKnown && [...memory.vendorLicenses.keys()].every((name) => facts.areServedKnown(name));
const areExpiriesKnown = ({ facts, memory }: Known): boolean =>
  facts.isListKnown && [...memory.vendorLicenses.keys()].every((name) => facts.areExpiriesKnown(name));
const areDownKnown = ({ facts }: Known): boolean => facts.isListKnown && facts.areDownKnown;

/** What no site of a history has. */
const never: OwnAlert = { each: 'site', condition: () => 'open', isKnown: () => false };

export const ownAlerts: Readonly<Record<EngineRuleName, OwnAlert>> = {
  LicenseServerDown: {
    each: 'vendor license',
    condition: (known, about) => {
      const { facts } = known;
      if (facts.isDown(about.vendorLicense)) return 'raised';
      return absent(known, about, facts.areDownKnown && !facts.isKept(about.vendorLicense));
    },
    isKnown: areDownKnown,
  },
  LicenseCollectionStale: {
    each: 'vendor license',
    condition: (known, about) => {
      const { facts, settings } = known;
      const { vendorLicense } = about;
      const { maxAge } = settings.LicenseCollectionStale.base;
      // the alert about the server explains it
      if (facts.isDown(vendorLicense)) return absent(known, about, areDownKnown(known));
      const at = facts.isKept(vendorLicense) ? undefined : facts.vendorLicense(vendorLicense)?.collectionTime;
      if (at !== undefined && facts.now - at > maxAge) return facts.areDownKnown ? 'raised' : 'unknown';
      const isGone = !facts.isListed(vendorLicense);
      return absent(known, about, areDownKnown(known) && (isGone || at !== undefined));
    },
    isKnown: areDownKnown,
  },
  LicenseVendorLicenseVanished: {
    each: 'vendor license',
    condition: ({ facts, memory, settings }, { vendorLicense }) => {
      const { within } = settings.LicenseVendorLicenseVanished.base;
      const found = memory.vendorLicenses.get(vendorLicense);
      const { missedAt } = found ?? {};
      if (missedAt !== undefined && facts.now - missedAt < within) return 'raised';
      // a process that has never been told of it cannot miss it
      if (missedAt === undefined && !facts.isListed(vendorLicense))
        return found === undefined && facts.isListKnown ? 'open' : 'unknown';
      return facts.isListKnown ? 'false' : 'open';
    },
    isKnown: ({ facts }) => facts.isListKnown,
  },
  LicenseFeatureVanished: {
    each: 'feature',
    condition: ({ facts, memory, settings }, { vendorLicense, feature: index }) => {
      const { within } = settings.LicenseFeatureVanished.base;
      const feature = memory.features.get(index);
      const { missedAt, isExpiryTold } = feature ?? {};
      if (facts.isFeatureListed(index)) return 'false';
      if (feature === undefined && facts.areServedKnown(vendorLicense)) return 'open';
      if (missedAt !== undefined) {
        if (isExpiryTold === true) return 'false';
        return facts.now - missedAt < within ? 'raised' : 'false';
      }
      return memory.vendorLicenses.get(vendorLicense)?.goneSince === undefined ? 'unknown' : 'open';
    },
    isKnown: areServedKnown,
  },
  LicenseCapacityDropped: {
    each: 'feature',
    condition: (known, about) => {
      const { facts, memory, settings } = known;
      const { licenses, expirations, capacities = [] } = memory.features.get(about.feature) ?? {};
      const isKnown = facts.areServedKnown(about.vendorLicense) && !facts.isDown(about.vendorLicense);
      if (licenses === undefined)
        return facts.isFeatureListed(about.feature) ? 'unknown' : absent(known, about, isKnown);
      if (!isKnown || facts.isListRefused || facts.vendorLicense(about.vendorLicense) === undefined) return 'unknown';
      if (licenses === 'uncounted') return 'false';
      const [first, ...later] = capacities;
      const dayAgo = lowestOfDayAgo(capacities, facts.now);
      // in the first day, one that has not changed may have dropped before, and one that has is compared with its first number
      if (first === undefined || (dayAgo === undefined && later.length === 0)) return 'unknown';
      const [since, firstNumber] = first;
      const before = dayAgo ?? firstNumber;
      const { ratio, licenses: least } = settings.LicenseCapacityDropped.base;
      const hasDropped = (from: number): boolean => from - licenses >= Math.max(least, ratio * from);
      // of numbers that change at once, the lowest counts: a list may not be complete yet
      const early = later.slice(0, -1).flatMap(([at, each]) => (at < since + SETTLING ? [each] : []));
      const earliest = Math.min(firstNumber, ...early);
      if (dayAgo === undefined && hasDropped(before) !== hasDropped(earliest)) return 'open';
      if (!hasDropped(before)) return 'false';
      // those of a license that has expired are not missed
      const hasExpired = [...(expirations ?? [])].some(([, at]) => at <= facts.now);
      return hasExpired ? 'open' : 'raised';
    },
    isKnown: areServedKnown,
  },
  LicenseExpired: {
    each: 'expiry',
    condition: (known, about) => {
      const { within } = known.settings.LicenseExpired.base;
      // everything is in use here, so that none is only a warning
      return ofExpiry(known, about, (left) => left <= 0 && -left < within && about.severity === 'critical');
    },
    isKnown: areExpiriesKnown,
  },
  LicenseExpiringSoon: {
    each: 'expiry',
    condition: (known, about) => {
      const { info, warning, critical } = known.settings.LicenseExpiringSoon.base;
      const severityOf = (left: number): string =>
        left < critical ? 'critical' : left < warning ? 'warning' : left < info ? 'info' : '';
      return ofExpiry(known, about, (left) => left > 0 && severityOf(left) === about.severity);
    },
    isKnown: areExpiriesKnown,
  },
  LicenseFeatureSaturated: {
    each: 'feature',
    condition: (known, about) => {
      const { facts, memory, settings } = known;
      const { raise, clear, minLicenses } = settings.LicenseFeatureSaturated.base;
      const isOurs = about.severity === (memory.withQueues.has(about.vendorLicense) ? 'info' : 'warning');
      return ofUse(known, about, (index) => {
        const { licenseType, maxAvailable, inUse } = facts.served(index) ?? {};
        if (licenseType === 'uncounted' || (maxAvailable !== undefined && maxAvailable < minLicenses)) return 'false';
        if (maxAvailable === undefined || inUse === undefined || facts.isWithheld(about.vendorLicense))
          return 'unknown';
        const [of, other] = memory.averageRatio(index).map((average): Condition => {
          if (average < clear - TOLERANCE) return 'false';
          if (!isOurs) return about.severity === 'info' ? 'unknown' : 'false';
          return average >= raise - TOLERANCE ? 'raised' : 'not cleared';
        });
        return of === other && of !== undefined ? of : 'open';
      });
    },
    isKnown: areServedKnown,
  },
  LicenseRequestsQueued: {
    each: 'feature',
    condition: (known, about) =>
      ofUse(known, about, (index) => {
        const queued = known.facts.isWithheld(about.vendorLicense) ? undefined : known.facts.served(index)?.queued;
        if (queued === undefined) return 'unknown';
        return queued > known.settings.LicenseRequestsQueued.base.above ? 'raised' : 'false';
      }),
    isKnown: areServedKnown,
  },
  LicenseDenials: {
    each: 'feature',
    condition: (known, about) => {
      const count = known.facts.denials(about.feature);
      const { above, warning } = known.settings.LicenseDenials.base;
      const isOurs = count !== undefined && about.severity === (count >= warning ? 'warning' : 'info');
      if (isOurs && count > above) return 'raised';
      return absent(known, about, count !== undefined);
    },
    isKnown: ({ facts }) =>
      facts.isListKnown && facts.polls.some((poll) => poll.endpoint === 'GetHistory' && poll.isGood),
  },
  LicenseRunsOut: {
    each: 'feature',
    condition: (known, about) => {
      const { facts, memory, settings } = known;
      const { vendorLicense, feature: index } = about;
      const { forecasts } = facts.sight;
      if (forecasts === undefined || facts.now - forecasts.computedAt >= PASS) return 'unknown';
      const at = forecasts.rows[index]?.confirmedRunsOut;
      const { lead } = settings.LicenseRunsOut.base;
      const isReported = facts.vendorLicense(vendorLicense) !== undefined && !facts.isKept(vendorLicense);
      const isMissed = memory.features.get(index)?.missedAt !== undefined;
      if (isReported && !isMissed && at !== undefined && at <= facts.now + FAR * lead)
        return at <= facts.now + lead ? 'raised' : 'not cleared';
      return absent(known, about, isReported || facts.isListKnown);
    },
    isKnown: ({ facts }) => {
      const { forecasts } = facts.sight;
      return facts.isListKnown && forecasts !== undefined && facts.now - forecasts.computedAt < PASS;
    },
  },
  LicenseSourceDown: {
    each: 'vendor license of source',
    condition: (known, about) => {
      const source = sourceOf(known, about);
      if (source === undefined) return 'open';
      const { failedReadings = -1, vendorLicenses } = source;
      if (failedReadings === 0) return 'false';
      if (failedReadings < known.settings.LicenseSourceDown.base.readings) return 'unknown';
      if (vendorLicenses.includes(about.vendorLicense) || (about.vendorLicense === '' && vendorLicenses.length === 0))
        return 'raised';
      return vendorLicenses.length === 0 ? 'unknown' : 'false';
    },
    isKnown: areReadOnce,
  },
  LicenseRedundancyLost: {
    each: 'source',
    condition: (known, about) => {
      const { failedReadings = -1, members = [] } = sourceOf(known, about) ?? {};
      const { readings } = known.settings.LicenseSourceDown.base;
      if (failedReadings !== 0) return failedReadings < readings ? 'unknown' : 'false';
      const hasSome = members.some(({ up }) => up === true);
      if (hasSome && members.some(({ up }) => up === false)) return 'raised';
      return members.length > 1 && members.some(({ up }) => up === undefined) ? 'unknown' : 'false';
    },
    isKnown: areReadOnce,
  },
  LicenseAnalyzerUnreachable: {
    each: 'site',
    condition: (known) => {
      if (known.facts.sight.authenticated === false) return 'false';
      const { polls } = known.facts;
      if (polls.some(({ isTried, isAnswered }) => isTried && !isAnswered)) return 'raised';
      return areTried(polls) ? 'false' : 'unknown';
    },
    isKnown: always,
  },
  LicenseProductsEmpty: {
    each: 'site',
    condition: ofPolls((polls, facts) => {
      const products = polls.find(({ endpoint }) => endpoint === 'GetProducts');
      return products?.isGood === true ? facts.isListEmpty : 'unknown';
    }),
    isKnown: always,
  },
  LicenseAnalyzerAuthFailing: {
    each: 'site',
    condition: ({ facts: { sight } }) =>
      sight.authenticated === undefined ? 'unknown' : sight.authenticated ? 'false' : 'raised',
    isKnown: always,
  },
  LicensePollPartial: {
    each: 'endpoint',
    condition: ofPolls((polls, facts, name) => {
      const poll = polls.find(({ endpoint }) => endpoint === name);
      if (poll !== undefined && isUp(polls, facts) && (!poll.isGood || unusableOf(poll) > 0)) return true;
      return areTried(polls) ? false : 'unknown';
    }),
    isKnown: ({ facts }) => areTried(facts.polls),
  },
  LicenseRecordsDiscarded: {
    each: 'endpoint',
    condition: ({ facts, settings }, { endpoint: name }) => {
      const poll = facts.polls.find(({ endpoint }) => endpoint === name);
      if (poll === undefined) return 'open';
      const unusable = unusableOf(poll);
      const all = unusable + facts.recordsOf(poll.endpoint);
      if (all > 0 && unusable / all > settings.LicenseRecordsDiscarded.base.share) return 'raised';
      return all === 0 && !poll.isAnswered ? 'unknown' : 'false';
    },
    isKnown: ({ facts }) => areTried(facts.polls),
  },
  LicenseFieldMissing: never,
  LicenseHistoryNotRecorded: never,
  LicenseArchiveDown: never,
  LicenseExporterSeriesLimit: never,
  LicenseExporterConfigReloadFailed: never,
};

/** The lowest number of a day ago; `undefined` if it is not known so far back. */
function lowestOfDayAgo(capacities: readonly (readonly [number, number])[], now: number): number | undefined {
  const numbers = capacities.flatMap(([at, licenses], i) => {
    const [until = now] = capacities[i + 1] ?? [];
    return at <= now - DAY_AGO_TO && until > now - DAY_AGO_FROM ? [licenses] : [];
  });
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** The condition of one alert. Before the first answers, nothing is known. */
export function conditionOf(name: EngineRuleName, known: Known, about: About): Condition {
  return known.facts.isBlank ? 'unknown' : ownAlerts[name].condition(known, about);
}
