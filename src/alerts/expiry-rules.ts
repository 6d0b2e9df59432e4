import { expiryDay } from '../model/expiry-day.ts';
import type { Finding, Labels } from './alert.ts';
import { createFeatureRule, nameOf } from './feature-rules.ts';
import { humanDuration, type Rule, type RuleFactory, type View } from './rule.ts';
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

interface ExpiredParameters extends Durations {
  /** Seconds after the expiry. */
  readonly within: number;
}

export const createExpired: RuleFactory<ExpiredParameters> = (name, settings) =>
  createFeatureRule({
    name,
    severity: 'critical',
    settings,
    threshold: ({ within }) => within,
    condition: ({ expiration }, { within }, now) => {
      if (expiration === undefined) return 'unknown';
      const since = now - expiration;
      return since >= 0 && since < within && { value: since, isRaised: true };
    },
    isKnown: isExpiryKnown,
    label: (since, { now, timeZone }) => expiresOn(now - since, timeZone),
    annotate: (row, since, { now, timeZone }) => ({
      summary: `License ${nameOf(row)} has expired.`,
      description: `It expired ${humanDuration(since)} ago, at ${localTimeText(now - since, timeZone)}. Install the renewed license file. If it is not needed any more, remove it from the license file, or silence this alert.`,
    }),
  });

const REMEDY = 'Order the renewal and install the new license file.';

interface ExpiringSoonParameters extends Durations {
  /** Seconds left. */
  readonly info: number;
  readonly warning: number;
  readonly critical: number;
  readonly aggregate: 'none' | 'vendor_license';
}

/**
 * Three rules with ranges that do not overlap. Before its expiry, a license moves from the one for information to the warning,
 * and from there to the critical rule. Each alert keeps firing until the next one fires, so there is no gap.
 */
export const createExpiringSoon: RuleFactory<ExpiringSoonParameters> = (name, settings) => {
  const rules = (['critical', 'warning', 'info'] as const).map((severity) =>
    createFeatureRule({
      name,
      severity,
      settings,
      threshold: (parameters) => parameters[severity],
      condition: ({ expiration }, { info, warning, critical }, now) => {
        if (expiration === undefined) return 'unknown';
        const left = expiration - now;
        const [from, to] = { critical: [0, critical], warning: [critical, warning], info: [warning, info] }[
          severity
        ] as [number, number];
        return left > 0 && left >= from && left < to && { value: left, isRaised: true };
      },
      isKnown: isExpiryKnown,
      label: (left, { now, timeZone }) => expiresOn(now + left, timeZone),
      annotate: (row, left, { now, timeZone }) => {
        const licenses = licensesText(row);
        const count = countText(row);
        const date = localTimeText(now + left, timeZone);
        return {
          summary: `License ${nameOf(row)} expires in ${humanDuration(left)}.`,
          description: `It expires at ${date}${licenses === undefined ? '' : ` (${licenses})`}. ${REMEDY}`,
          // for the digest
          ...(count !== undefined && { licenses: count }),
        };
      },
      keepFiringFor: ({ for: pendingFor, keepFiringFor }) =>
        severity === 'critical' ? keepFiringFor : pendingFor + keepFiringFor,
    }),
  );
  return settings.base.aggregate === 'vendor_license' ? rules.map(aggregateByVendorLicense) : rules;
};

/** Maximum number of features in the annotation of an aggregated alert. */
const MAX_LISTED = 10;

/** One finding that replaces those of single features of a vendor license. */
function sumUp({ name, severity }: Rule, vendorLicense: string, members: readonly Finding[]): Finding {
  const sorted = members.toSorted((a, b) => a.value - b.value);
  const value = members.reduce((least, member) => Math.min(least, member.value), Number.POSITIVE_INFINITY);
  const listed = sorted
    .slice(0, MAX_LISTED)
    .map(({ labels, value: left }) => `${labels.feature} (${humanDuration(left)})`);
  const others = sorted.length > MAX_LISTED ? ` and ${sorted.length - MAX_LISTED} more` : '';
  return {
    labels: { alertname: name, severity, vendor_license: vendorLicense },
    annotations: {
      summary: `Licenses of ${vendorLicense} expire: ${sorted.length}, the first in ${humanDuration(value)}.`,
      description: `${listed.join(', ')}${others}. ${REMEDY}`,
    },
    value,
    isRaised: true,
  };
}

/** One alert for each vendor license instead of one for each feature. */
function aggregateByVendorLicense(rule: Rule): Rule {
  return {
    ...rule,
    *evaluate(view) {
      const { findings, unknownAbout, hasNoData } = yield* rule.evaluate(view);
      const groups = Map.groupBy(findings, ({ labels }) => labels.vendor_license ?? '');
      return {
        findings: [...groups].map(([vendorLicense, members]) => sumUp(rule, vendorLicense, members)),
        // the alert may be about the license whose expiry is unknown
        isUnknown: ({ vendor_license: name = '' }) =>
          !isExpiryKnown(view, name) ||
          view.inventory.features
            .rows()
            .some(({ vendorLicense, expiration }) => vendorLicense === name && expiration === undefined),
        unknownAbout,
        hasNoData,
      };
    },
  };
}
