import { isTried } from '../../../inventory/poll-state.ts';
import { engineAlert } from '../../definition.ts';
import { siteCondition } from '../../site-condition.ts';

/** An analyzer without vendor licenses: all that is monitored has gone, which no other alert is about. */
export const productsEmpty = engineAlert({
  subject: 'analyzer',
  severities: ['critical'],
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition: siteCondition(({ inventory: { polls } }) => {
    const poll = polls.find(({ endpoint }) => endpoint === 'GetProducts');
    // a poll that fails keeps the number of records of the last good one
    if (poll === undefined || !isTried(poll) || !poll.success) return 'unknown';
    return poll.records === 0 && {};
  }),
  attention: { what: 'Analyzer reports nothing', class: 'site' },
  texts: {
    summary: ({ analyzer }) => `The ${analyzer} reports no vendor license.`,
    remedy:
      'GetProducts answers with an empty list: no license server is monitored. Check whether the analyzer has lost its configuration, and whether the account may see the vendor licenses.',
  },
  example: () => ({ products: [] }),
});
