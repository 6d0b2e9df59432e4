import { recordFields } from '../../../../base/query-api/records.ts';
import { countText, namesText } from '../../../../base/texts.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite } from '../../rule.ts';

/** A field that the analyzer has had, or should have, is in no record. */
export const fieldMissing = engineAlert({
  subject: 'analyzer',
  messages: 'upkeep',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition:
    ({ finding }) =>
    ({ inventory: { fields, polls } }) => {
      const findings = fields.list
        .filter(({ missing }) => missing.length > 0)
        .map(({ endpoint, field, missing }) => {
          const meanings: Readonly<Record<string, { readonly meaning: string } | undefined>> = recordFields[endpoint];
          const meaning = meanings[field]?.meaning;
          const says = meaning === undefined ? '' : `The field means: ${meaning} `;
          const facts = `${says}It is missing for ${countText(missing.length, 'vendor license')}: ${namesText(missing)}.`;
          return finding({ endpoint, field }, { facts });
        });
      return {
        findings,
        isUnknown: ({ endpoint, field }) =>
          !fields.list.some((known) => known.endpoint === endpoint && known.field === field) &&
          !polls.some((poll) => poll.endpoint === endpoint && poll.success),
        unknownAbout: aboutSite(polls.some(({ success }) => !success)),
        hasNoData: fields.list.length === 0,
      };
    },
  attention: { what: 'A field is missing', class: 'partly' },
  texts: {
    summary: ({ field, endpoint, analyzer }) => `The ${analyzer} no longer reports ${field} of ${endpoint}.`,
    impact:
      'Users are not affected. Pages and charts lack this value. Alerts that need it do not end, and new ones may not begin.',
    step: 'Check whether the analyzer was updated, or a proxy changes its answers. If the analyzer does not have this field, add it to analyzer.absent_fields.',
  },
  example: () => ({ missingFields: ['Product'] }),
});
