import { unknown } from '../../../../base/model/unknown.ts';
import { integer } from '../../../../base/settings/values.ts';
import { countText, numberText } from '../../../../base/texts.ts';
import { featureCondition, inUseText, isUsageKnown, nameOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

const parameters = {
  above: integer(0, 1_000_000).prefault(0).describe('The alert fires if more requests are queued.'),
};

/** Users wait for a license. */
export const requestsQueued = engineAlert({
  subject: 'feature',
  worst: 'largest',
  messages: 'usage',
  severities: ['warning'],
  for: '10m',
  keepFiringFor: '10m',
  parameters,
  threshold: { value: ({ above }) => above, text: numberText },
  condition: featureCondition<typeof parameters>(() => ({
    condition: ({ isReported, maxQueued }, { above }) => {
      if (!isReported) return 'not reported';
      if (maxQueued === unknown) return 'unknown';
      return maxQueued > above && { value: maxQueued, isRaised: true };
    },
    isKnown: isUsageKnown,
    tell: (row, queued) => {
      const inUse = inUseText(row);
      return {
        summary: `${countText(queued, 'request waits', 'requests wait')} for ${nameOf(row)}.`,
        facts: inUse && `${inUse}.`,
        figure: countText(queued, 'waits', 'wait'),
      };
    },
  })),
  attention: { what: 'Requests wait', class: 'waits' },
  texts: {
    summary: ({ features }) => `Requests wait for ${features}.`,
    impact: 'Users are waiting for a license.',
    step: 'Look for idle checkouts, unused reservations and borrowed licenses.',
  },
  example: () => ({ features: [{ maxQueued: 3 }] }),
});
