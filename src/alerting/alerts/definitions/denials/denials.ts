import { isKnown } from '../../../../base/model/unknown.ts';
import {
  causeRemedies,
  causeTexts,
  elsewhereText,
  minutesText,
  type WaitedPeople,
  waitedText,
} from '../../../../base/people.ts';
import { duration, integer } from '../../../../base/settings/values.ts';
import { capitalized, countText, localDateText, numberText, withWeekday } from '../../../../base/texts.ts';
import type { Finding } from '../../alert.ts';
import { featureKey } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite, type DeniedFeature, deniedCount, type View } from '../../rule.ts';

type Denied = Pick<DeniedFeature, 'denials' | 'waited'>;

/** `today (Mon 2026-09-28)` and `today`. */
interface Day {
  readonly when: string;
  readonly short: string;
}

interface Told {
  readonly summary: string;
  readonly figure: string;
}

const parameters = {
  above: integer(0, 1_000_000)
    .prefault(0)
    .describe(
      'The alert fires if more people wait in a day, or where people are not known, if more requests are denied.',
    ),
  warning: integer(1, 1_000_000)
    .prefault(3)
    .describe(
      'It is a warning if at least this many people wait in a day, or requests are denied; else for information.',
    ),
  max_age: duration(1, 365 * 86_400)
    .prefault('2d')
    .describe('Maximum age of that day.'),
};

const dayText = (at: number, timeZone: string): string => withWeekday(localDateText(at, timeZone));

/** The day before, also if the clock was set in between. */
const dayBefore = (now: number, timeZone: string): string =>
  dayText(Date.parse(localDateText(now, timeZone)) / 1000 - 86_400, 'UTC');

/** `All busy: 93 min. 2 people wait now. More licenses end it.` The last is for the cause of most minutes. */
function factsOf({ causes, waiting }: WaitedPeople): string {
  const parts = causes.map(({ cause, seconds }) => `${causeTexts[cause]}: ${minutesText(seconds)}`);
  const wait = waiting === 0 ? '' : ` ${countText(waiting, 'person waits', 'people wait')} now.`;
  const [most] = causes;
  return `${capitalized(parts.join(', '))}.${wait}${most === undefined ? '' : ` ${causeRemedies[most.cause]}`}`;
}

/** What is said of one feature. */
function sentenceOf({ denials: count, waited }: Denied, of: string, { when, short }: Day): Told {
  if (waited === undefined) {
    const summary = `${countText(count, 'request')} for ${of} ${count === 1 ? 'was' : 'were'} denied ${when}.`;
    return { summary, figure: `${numberText(count)} denied ${short}` };
  }
  const elsewhere = waited.elsewhere === undefined ? '' : `; ${elsewhereText(waited.elsewhere)}`;
  const figure = `${countText(waited.people, 'person', 'people')} waited ${short}`;
  return { summary: `${waitedText(waited)} for ${of} ${when}${elsewhere}.`, figure };
}

/** The newest day of each feature whose denials are known. The inventory contains only current history. */
function newestDays({ now, denied = [], inventory: { history }, timeZone }: View) {
  const newest = "That is the newest day of the analyzer's history.";
  const recorded = history.map(({ denials: count, ...row }) => ({
    ...row,
    when: `on ${dayText(row.at, timeZone)}`,
    short: `on ${localDateText(row.at, timeZone)}`,
    facts: newest,
    denied: isKnown(count) ? { denials: count, waited: undefined } : undefined,
  }));
  const when = { today: `today (${dayText(now, timeZone)})`, yesterday: `yesterday (${dayBefore(now, timeZone)})` };
  const recent = denied.map(({ day, denials: count, waited, ...row }) => ({
    ...row,
    at: now,
    when: when[day],
    short: day,
    facts: waited && factsOf(waited),
    denied: { denials: count, waited },
  }));
  const known = [...recent, ...recorded].flatMap(
    ({ vendorLicense, feature, package: pkg, featureType, denied: some, at, when: on, short, facts }) => {
      if (some === undefined) return [];
      const subject = { vendor_license: vendorLicense, feature, package: pkg, feature_type: featureType };
      return [
        [
          featureKey(subject),
          { at, short, told: { when: on, facts }, vendorLicense, feature, subject, denied: some },
        ] as const,
      ];
    },
  );
  // what this process recorded counts before the history of the analyzer: it knows people
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
      const findings = [...days.values()].flatMap(
        ({ vendorLicense, feature, subject, denied: some, at, short, told }): Finding[] => {
          const count = deniedCount(some);
          const { enabled, above, warning, maxAge } = parametersOf({ vendorLicense, feature });
          if (!enabled || count <= above || now - at >= maxAge) return [];
          if (severity !== (count >= warning ? 'warning' : 'info')) return [];
          const sentence = sentenceOf(some, `${feature} of ${vendorLicense}`, { ...told, short });
          return [finding(subject, { ...told, ...sentence }, count)];
        },
      );
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
    step: 'See on the dashboard Licenses / Feature why requests were denied, and compare the highest use with the number of licenses.',
  },
  example: () => ({ denials: 3 }),
});
