import { isTried } from '../../../../exporter/inventory/poll-state.ts';
import { siteCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

/** No vendor licenses: all that is monitored has gone, or was never selected, which no other alert is about. */
export const productsEmpty = engineAlert({
  subject: 'analyzer',
  messages: 'fault',
  severities: ['critical'],
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition: siteCondition(({ inventory: { polls, emptiness } }) => {
    const poll = polls.find(({ endpoint }) => endpoint === 'GetProducts');
    // a poll that fails keeps the number of records of the last good one
    if (poll === undefined || !isTried(poll) || !poll.success) return 'unknown';
    if (emptiness === undefined) return false;
    const facts =
      emptiness === 'not listed'
        ? 'GetProducts answers with an empty list.'
        : 'GetProducts lists vendor licenses, and select.include and select.exclude select none of them.';
    return { facts };
  }),
  attention: { what: 'Analyzer reports nothing', class: 'site' },
  texts: {
    summary: ({ analyzer }) => `The ${analyzer} reports no vendor license, or none that is selected.`,
    impact: 'No license server is monitored: nobody is told of an outage.',
    step: 'Check whether the analyzer shows license servers on its own pages. If it does, check what its account may see, and select.include and select.exclude.',
  },
  example: () => ({ products: [] }),
});
