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
    return emptiness !== undefined && {};
  }),
  attention: { what: 'Analyzer reports nothing', class: 'site' },
  texts: {
    summary: ({ analyzer }) => `The ${analyzer} reports no vendor license, or none that is selected.`,
    remedy:
      'No license server is monitored: GetProducts answers with an empty list, or with vendor licenses of which the settings select none. The first page says which. Check whether the analyzer has lost its configuration, whether the account may see the vendor licenses, and select.include and select.exclude.',
  },
  example: () => ({ products: [] }),
});
