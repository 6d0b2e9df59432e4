import type { PolledEndpoint } from '../../../../base/model/snapshot.ts';
import { isTried } from '../../../../exporter/inventory/poll-state.ts';
import { siteEvaluation } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

/** What an endpoint says, for people who do not know its name. */
const subjects: Readonly<Record<PolledEndpoint, string>> = {
  GetProducts: 'the vendor licenses and when their data was collected',
  GetServerDown: 'which license servers are down',
  GetFeatures: 'features and their licenses in use',
  GetExpirationFeatures: 'when licenses expire',
  GetConcurrentUsers: 'how many users work now',
  GetHistory: 'the usage and the denials of the last days',
};

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
        partial.map(({ endpoint }) => finding({ endpoint }, { facts: `It is about ${subjects[endpoint]}.` })),
        !polls.every(isTried),
      );
    },
  attention: { what: 'Data is missing', class: 'partly' },
  texts: {
    summary: ({ endpoint, analyzer }) => `The ${analyzer} gives only a part of the data of ${endpoint}.`,
    impact:
      'Users are not affected. For some vendor licenses, this data is missing or old on pages and in charts, and alerts about it may come late.',
    step: 'Read the log of the exporter, which names the vendor licenses and the reason.',
  },
  example: () => ({ isPartial: true }),
});
