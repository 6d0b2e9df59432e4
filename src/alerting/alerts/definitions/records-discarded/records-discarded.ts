import { ratio } from '../../../../base/settings/values.ts';
import { numberText, percentText } from '../../../../base/texts.ts';
import { isTried, type PollState } from '../../../../exporter/inventory/poll-state.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite } from '../../rule.ts';

const parameters = {
  share: ratio.prefault(0.1).describe('The alert fires if a larger share of the records of an endpoint is discarded.'),
};

/** Whether its records are unknown: there is no good answer, not even an earlier one. */
const isUnread = (poll: PollState): boolean => !poll.answered && poll.records + poll.discarded.bad_record === 0;

/** Records of an endpoint cannot be used. */
export const recordsDiscarded = engineAlert({
  subject: 'analyzer',
  messages: 'upkeep',
  severities: ['warning'],
  for: '10m',
  keepFiringFor: '5m',
  parameters,
  threshold: { value: ({ share }) => share, text: percentText },
  condition:
    ({ settings: { base }, finding }) =>
    ({ inventory: { polls } }) => {
      const findings = polls.flatMap(({ endpoint, records, discarded: { bad_record: bad } }) => {
        // NaN without records: no comparison is true
        const share = bad / (bad + records);
        const summary = `${(share * 100).toPrecision(3)} % of the records of ${endpoint} are discarded.`;
        const facts = `${numberText(bad)} of ${numberText(bad + records)} records are not objects or have no name.`;
        return share > base.share ? [finding({ endpoint }, { summary, facts }, share)] : [];
      });
      return {
        findings,
        isUnknown: ({ endpoint }) => polls.some((poll) => poll.endpoint === endpoint && isUnread(poll)),
        unknownAbout: aboutSite(polls.some((poll) => !isTried(poll) || isUnread(poll))),
        hasNoData: !polls.every(isTried),
      };
    },
  attention: { what: 'Data is discarded', class: 'partly' },
  texts: {
    summary: ({ endpoint, analyzer }) => `Records of ${endpoint} of the ${analyzer} are discarded.`,
    impact: 'Vendor licenses or features are missing on pages, in charts and in alerts.',
    step: 'Run "license-exporter doctor" to compare the answers with the specification.',
  },
  example: () => ({ badRecords: 9 }),
});
