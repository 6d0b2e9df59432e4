import { isKnown } from '../../../../base/model/unknown.ts';
import { duration, integer } from '../../../../base/settings/values.ts';
import { countText, localDateText, numberText, withWeekday } from '../../../../base/texts.ts';
import type { Finding } from '../../alert.ts';
import { featureKey } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite, type View } from '../../rule.ts';

const parameters = {
  above: integer(0, 1_000_000).prefault(0).describe('The alert fires if more requests are denied in a day.'),
  warning: integer(1, 1_000_000)
    .prefault(3)
    .describe('It is a warning if at least this many requests are denied in a day, and else for information.'),
  max_age: duration(1, 365 * 86_400)
    .prefault('2d')
    .describe('Maximum age of that day.'),
};

const dayText = (at: number, timeZone: string): string => withWeekday(localDateText(at, timeZone));

/** The day before, also if the clock was set in between. */
const dayBefore = (now: number, timeZone: string): string =>
  dayText(Date.parse(localDateText(now, timeZone)) / 1000 - 86_400, 'UTC');

/** The newest day of each feature whose denials are known. The inventory contains only current history. */
function newestDays({ now, denied = [], inventory: { history }, timeZone }: View) {
  const newest = "That is the newest day of the analyzer's history.";
  const recorded = history.map((row) => ({ ...row, when: `on ${dayText(row.at, timeZone)}`, facts: newest }));
  const when = { today: `today (${dayText(now, timeZone)})`, yesterday: `yesterday (${dayBefore(now, timeZone)})` };
  const recent = denied.map(({ day, ...row }) => ({ ...row, at: now, when: when[day], facts: undefined }));
  const days = [...recorded, ...recent];
  const known = days.flatMap(
    ({ vendorLicense, feature, package: pkg, featureType, denials: count, at, when: on, facts }) => {
      if (!isKnown(count)) return [];
      const subject = { vendor_license: vendorLicense, feature, package: pkg, feature_type: featureType };
      return [
        [featureKey(subject), { at, told: { when: on, facts }, vendorLicense, feature, subject, count }] as const,
      ];
    },
  );
  // of two days of a feature, the first one counts
  return new Map(known.reverse());
}

/** Requests were denied. */
export const denials = engineAlert({
  subject: 'feature',
  worst: 'largest',
  messages: 'usage',
  severities: ['warning', 'info'],
  for: '5m',
  keepFiringFor: '10m',
  parameters,
  threshold: { value: ({ above }) => above, text: numberText },
  needs: 'denials',
  condition:
    ({ severity, parametersOf, finding }) =>
    (view) => {
      const { now, denied, inventory } = view;
      const days = newestDays(view);
      const findings = [...days.values()].flatMap(({ vendorLicense, feature, subject, count, at, told }): Finding[] => {
        const { enabled, above, warning, maxAge } = parametersOf({ vendorLicense, feature });
        if (!enabled || count <= above || now - at >= maxAge) return [];
        if (severity !== (count >= warning ? 'warning' : 'info')) return [];
        const requests = `${countText(count, 'request')} for ${feature} of ${vendorLicense}`;
        const summary = `${requests} ${count === 1 ? 'was' : 'were'} denied ${told.when}.`;
        return [finding(subject, { ...told, summary, figure: `${numberText(count)} denied` }, count)];
      });
      const areDenialsKnown =
        denied !== undefined || inventory.polls.some(({ endpoint, success }) => endpoint === 'GetHistory' && success);
      return {
        findings,
        isUnknown: (labels) => (labels.feature === undefined ? !areDenialsKnown : !days.has(featureKey(labels))),
        unknownAbout: aboutSite(!areDenialsKnown),
        hasNoData: inventory.history.length === 0 && denied === undefined,
      };
    },
  attention: { what: 'Denials', class: 'denied' },
  texts: {
    summary: ({ features, when }) => `Requests for ${features} were denied${when}.`,
    impact: 'Users were refused a license.',
    step: 'Compare the highest use with the number of licenses, on the dashboard Licenses / Feature.',
  },
  example: () => ({ denials: 3 }),
});
