import { isTried } from '../../../../exporter/inventory/poll-state.ts';
import { siteEvaluation } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

/** A part of an endpoint cannot be polled, or its list is incomplete, while every endpoint gives some good answer. */
export const pollPartial = engineAlert({
  subject: 'analyzer',
  messages: 'upkeep',
  severities: ['warning'],
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition:
    ({ finding }) =>
    ({ inventory: { polls, up } }) => {
      const partial = polls.filter((poll) => isTried(poll) && (!poll.success || poll.isIncomplete) && up);
      // `up` is unknown until all of them have been polled
      return siteEvaluation(
        partial.map(({ endpoint }) => finding({ endpoint })),
        !polls.every(isTried),
      );
    },
  attention: { what: 'Data is missing', class: 'partly' },
  texts: {
    summary: ({ endpoint, analyzer }) => `Only a part of ${endpoint} of the ${analyzer} can be polled.`,
    remedy:
      'At least one vendor license cannot be polled despite retries and its last good data ages out, or a list has unusable records and what it lacks is not known. The log names the vendor license and the reason; license_poll_incomplete is 1 for a list.',
  },
  example: () => ({ isPartial: true }),
});
