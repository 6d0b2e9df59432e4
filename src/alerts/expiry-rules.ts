import type { FeatureRow } from '../inventory/feature-row.ts';
import { expiryDay } from '../model/expiry-day.ts';
import type { Labels } from './alert.ts';
import { isUnused, renewalOf } from './expiry-facts.ts';
import { createFeatureRule, nameOf } from './feature-rules.ts';
import { humanDuration, type RuleFactory, type View } from './rule.ts';
import type { Durations } from './rule-settings.ts';
import { countText, licensesText, localTimeText } from './texts.ts';

/** Rules about licenses that will expire or have expired. */

const isExpiryKnown = ({ inventory }: View, vendorLicense: string): boolean =>
  inventory.knowledge.expiries(vendorLicense);

/** The label of the day on which a license expires: another day is another alert. @param at epoch seconds */
function expiresOn(at: number, timeZone: string): Labels {
  const expires = expiryDay(at, timeZone);
  return expires === undefined ? {} : { expires };
}

const EXPIRED_REMEDY =
  'Install the renewed license file. If a license is not needed any more, remove it from the license file, or silence this alert.';

/** ` on 2026-12-01` */
const on = (expires: string | undefined): string => (expires === undefined ? '' : ` on ${expires}`);

interface ExpiredParameters extends Durations {
  /** Seconds after the expiry. */
  readonly within: number;
}

/** One that nobody uses is no reason to get up. */
export const createExpired: RuleFactory<ExpiredParameters> = (name, settings) =>
  (['critical', 'warning'] as const).map((severity) =>
    createFeatureRule({
      name,
      severity,
      settings,
      threshold: ({ within }) => within,
      grouping: {
        worst: 'smallest',
        summarize: ({ vendorLicense, expires, count }) =>
          `${count} features of ${vendorLicense} have expired${on(expires)}.`,
        remedy: EXPIRED_REMEDY,
      },
      condition: (row, { within }, view) => {
        const { expiration } = row;
        if (expiration === undefined) return 'unknown';
        const since = view.now - expiration;
        if (since < 0 || since >= within) return false;
        const isOurs = isUnused(row, view) === (severity === 'warning');
        return isOurs && !isRenewed(row, view, view.now) && { value: since, isRaised: true };
      },
      isKnown: isExpiryKnown,
      label: (since, { now, timeZone }) => expiresOn(now - since, timeZone),
      annotate: (row, since, view) => {
        const { now, timeZone } = view;
        return {
          summary: `License ${nameOf(row)} has expired.`,
          description: `It expired ${humanDuration(since)} ago, at ${localTimeText(now - since, timeZone)}. ${partText(row, view, now)}${EXPIRED_REMEDY}`,
        };
      },
    }),
  );

const REMEDY = 'Order the renewal and install the new license file.';

interface ExpiringSoonParameters extends Durations {
  /** Seconds left. */
  readonly info: number;
  readonly warning: number;
  readonly critical: number;
}

/**
 * Three rules with ranges that do not overlap. Before its expiry, a license moves from the one for information to the warning,
 * and from there to the critical rule, if it is in use. Each alert keeps firing until the next one fires, so there is no gap.
 */
export const createExpiringSoon: RuleFactory<ExpiringSoonParameters> = (name, settings) =>
  (['critical', 'warning', 'info'] as const).map((severity) =>
    createFeatureRule({
      name,
      severity,
      settings,
      threshold: (parameters) => parameters[severity],
      grouping: {
        worst: 'smallest',
        summarize: ({ vendorLicense, expires, count }) => `${count} features of ${vendorLicense} expire${on(expires)}.`,
        remedy: REMEDY,
      },
      condition: (row, { info, warning, critical }, view) => {
        const { expiration } = row;
        if (expiration === undefined) return 'unknown';
        const left = expiration - view.now;
        if (left <= 0) return false;
        const range = left < critical ? 'critical' : left < warning ? 'warning' : left < info ? 'info' : undefined;
        if (range === undefined) return false;
        const isOurs = severity === (range === 'critical' && isUnused(row, view) ? 'warning' : range);
        return isOurs && !isRenewed(row, view, view.now + warning) && { value: left, isRaised: true };
      },
      isKnown: isExpiryKnown,
      label: (left, { now, timeZone }) => expiresOn(now + left, timeZone),
      annotate: (row, left, view, { warning }) => {
        const { now, timeZone } = view;
        const licenses = licensesText(row);
        const count = countText(row);
        const date = localTimeText(now + left, timeZone);
        return {
          summary: `License ${nameOf(row)} expires in ${humanDuration(left)}.`,
          description: `It expires at ${date}${licenses === undefined ? '' : ` (${licenses})`}. ${partText(row, view, now + warning)}${REMEDY}`,
          // for the digest
          ...(count !== undefined && { licenses: count }),
          ...(licenses !== undefined && { figure: licenses }),
        };
      },
      keepFiringFor: ({ for: pendingFor, keepFiringFor }) =>
        severity === 'critical' ? keepFiringFor : pendingFor + keepFiringFor,
    }),
  );

/** Whether as many licenses as before last longer. */
const isRenewed = (row: FeatureRow, view: View, lasts: number): boolean =>
  renewalOf(row, view, lasts)?.isWhole === true;

/** `It is renewed for 4 of 10 licenses. ` */
function partText(row: FeatureRow, view: View, lasts: number): string {
  const renewal = renewalOf(row, view, lasts);
  return renewal === undefined || row.maxAvailable === undefined
    ? ''
    : `It is renewed for ${renewal.licenses} of ${row.maxAvailable} licenses. `;
}
