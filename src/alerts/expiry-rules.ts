import { type Finding, raised } from './alert.ts';
import { createFeatureRule, nameOf } from './feature-rules.ts';
import { humanDuration, type Rule, type View } from './rule.ts';
import type { RuleSettings } from './rule-settings.ts';

/** Rules about licenses that end, or have ended. */

type Expired = RuleSettings['LicenseExpired'];
type ExpiringSoon = RuleSettings['LicenseExpiringSoon'];

const isExpiryKnown = ({ inventory }: View, vendorLicense: string): boolean =>
  inventory.knowledge.expiries(vendorLicense);

export function createExpired(settings: Expired): Rule {
  return createFeatureRule<Expired['base']>({
    name: 'LicenseExpired',
    severity: 'critical',
    settings,
    assess: ({ expiration }, { within }, now) => {
      if (expiration === undefined) return 'unknown';
      const since = now - expiration;
      return since >= 0 && since < within ? { value: since, isRaised: true } : undefined;
    },
    isKnown: isExpiryKnown,
    annotate: (entry, since) => ({
      summary: `License ${nameOf(entry)} has expired.`,
      description: `It expired ${humanDuration(since)} ago. Install the renewed license file, or silence the alert if it is not renewed; it ends by itself after a while.`,
    }),
  });
}

const REMEDY = 'Order the renewal and install the new license file.';

/**
 * Two rules with ranges that do not overlap, so that a license that comes near its end moves from one severity to the
 * other. The warning is kept until the critical one fires: no gap where they meet.
 */
export function createExpiringSoon(settings: ExpiringSoon): readonly Rule[] {
  const rules = (['critical', 'warning'] as const).map((severity) =>
    createFeatureRule<ExpiringSoon['base']>({
      name: 'LicenseExpiringSoon',
      severity,
      settings,
      assess: ({ expiration }, { warning, critical }, now) => {
        if (expiration === undefined) return 'unknown';
        const left = expiration - now;
        const [from, to] = severity === 'critical' ? [0, critical] : [critical, warning];
        return left > 0 && left >= from && left < to ? { value: left, isRaised: true } : undefined;
      },
      isKnown: isExpiryKnown,
      annotate: (entry, left) => ({
        summary: `License ${nameOf(entry)} expires in ${humanDuration(left)}.`,
        description: `${entry.maxAvailable === undefined ? '' : `${entry.maxAvailable} licenses. `}${REMEDY}`,
      }),
      keepFiringFor: ({ for: pendingFor, keepFiringFor }) =>
        severity === 'warning' ? pendingFor + keepFiringFor : keepFiringFor,
    }),
  );
  return settings.base.aggregate === 'vendor_license' ? rules.map(aggregated) : rules;
}

/** Features that the annotation of an aggregated alert names. */
const NAMED = 10;

/** What is said of a vendor license with findings about several of its features. */
function summed({ name, severity }: Rule, vendorLicense: string, members: readonly Finding[]): Finding {
  const sorted = members.toSorted((a, b) => a.value - b.value);
  const value = sorted[0]?.value ?? 0;
  const listed = sorted.slice(0, NAMED).map((member) => `${member.labels.feature} (${humanDuration(member.value)})`);
  const others = sorted.length > NAMED ? ` and ${sorted.length - NAMED} more` : '';
  const annotations = {
    summary: `Licenses of ${vendorLicense} expire: ${sorted.length}, the first in ${humanDuration(value)}.`,
    description: `${listed.join(', ')}${others}. ${REMEDY}`,
  };
  return raised({ alertname: name, severity, vendor_license: vendorLicense }, annotations, value);
}

/** One alert for each vendor license in place of one for each feature. */
function aggregated(rule: Rule): Rule {
  return {
    ...rule,
    judge: (view) => {
      const { findings, isBlind } = rule.judge(view);
      const groups = Map.groupBy(findings, ({ labels }) => labels.vendor_license ?? '');
      return {
        findings: [...groups].map(([vendorLicense, members]) => summed(rule, vendorLicense, members)),
        // a license that is not known may be the one that the alert is about
        isUnknown: ({ vendor_license: name = '' }) =>
          !isExpiryKnown(view, name) ||
          view.inventory.features
            .rows()
            .some(({ vendorLicense, expiration }) => vendorLicense === name && expiration === undefined),
        isBlind,
      };
    },
  };
}
