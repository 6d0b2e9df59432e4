import { isTried } from '../../../../exporter/inventory/poll-state.ts';
import { siteCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

/** The analyzer gives no good answer. One that rejects the logon can be reached. */
export const analyzerUnreachable = engineAlert({
  subject: 'analyzer',
  messages: 'fault',
  severities: ['critical'],
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition: siteCondition(({ inventory: { polls }, authenticated }) => {
    if (authenticated === false) return false;
    const failing = polls.filter((poll) => isTried(poll) && !poll.answered).map(({ endpoint }) => endpoint);
    if (failing.length > 0) return { facts: `No good answer from ${failing.join(', ')}.` };
    return (polls.length === 0 || !polls.every(isTried)) && 'unknown';
  }),
  attention: { what: 'Analyzer cannot be polled', class: 'site' },
  texts: {
    summary: ({ analyzer }) => `The ${analyzer} cannot be polled.`,
    impact: 'There is no new data about any license server: nobody is told of a new outage.',
    step: 'Check whether the analyzer runs, and the network path to it. "license-exporter doctor" shows what each endpoint answers.',
  },
  example: () => ({ products: 'failed' }),
});
