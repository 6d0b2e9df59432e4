import { evaluateSources, isDown, labelsOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { sourceDown } from '../source-down/source-down.ts';

/** Not all servers of a redundant set answer. A source that is down has no redundancy to lose. */
export const redundancyLost = engineAlert({
  subject: 'analyzer',
  messages: 'fault',
  severities: ['warning'],
  for: '5m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  needs: 'sources',
  condition: ({ finding, settingsOf }) => {
    const { readings } = settingsOf(sourceDown).base;
    return (view) => {
      const findings = (view.sources ?? []).flatMap((source) => {
        const { name, failedReadings, members } = source;
        const up = members.filter((member) => member.up === true).length;
        if (failedReadings !== 0 || up === 0 || !members.some((member) => member.up === false)) return [];
        const summary = `${up} of ${members.length} servers of license source ${name} ${up === 1 ? 'answers' : 'answer'}.`;
        return [finding(labelsOf(source), { summary }, up)];
      });
      return evaluateSources(view, findings, (source) => {
        const { failedReadings, members } = source;
        if (failedReadings !== 0) return !isDown(source, readings);
        return members.length > 1 && members.some(({ up }) => up === undefined);
      });
    };
  },
  attention: { what: 'Redundancy lost', class: 'partly' },
  texts: {
    summary: ({ source }) => `Not all servers of license source ${source} answer.`,
    impact: 'Users are not affected yet. If one more of its servers fails, users may be unable to check out a license.',
    step: 'Find the server that is down on the page /sources of the exporter, and start it again.',
  },
  example: () => ({ sources: [{ members: [{ up: true }, { up: false }] }] }),
});
