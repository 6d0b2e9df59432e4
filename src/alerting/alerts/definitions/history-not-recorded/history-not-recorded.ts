import { duration } from '../../../../base/settings/values.ts';
import { durationText, localTimeText, withWeekday } from '../../../../base/texts.ts';
import { siteEvaluation } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite } from '../../rule.ts';

const parameters = {
  silence: duration(60, 86_400)
    .prefault('30m')
    .describe('The alert fires if nothing is recorded for this long, or for three collections if that is longer.'),
};

/** Intervals of collections without a sample. One collection may take longer than its interval. */
const SILENT_INTERVALS = 3;

/** An analyzer in this process collects, and cannot record. */
export const historyNotRecorded = engineAlert({
  subject: 'analyzer',
  messages: 'fault',
  severities: ['warning'],
  for: '0s',
  keepFiringFor: '0s',
  parameters,
  threshold: { value: ({ silence }) => silence, text: durationText },
  needs: 'recording',
  condition:
    ({ settings: { base }, finding }) =>
    ({ now, recording, timeZone }) => {
      // without such an analyzer, an alert of before is over
      if (recording === undefined)
        return { findings: [], isUnknown: () => false, unknownAbout: aboutSite(true), hasNoData: true };
      const { since, interval, lastRecordedAt } = recording;
      const last = lastRecordedAt ?? since;
      const age = now - last;
      const isSilent = age > Math.max(base.silence, SILENT_INTERVALS * interval);
      const summary = `History has not been recorded for ${durationText(age)}.`;
      const facts = `Nothing has been recorded since ${withWeekday(localTimeText(last, timeZone))}.`;
      // after a restart it is not known yet whether it can record
      return siteEvaluation(
        isSilent ? [finding({}, { summary, facts }, age)] : [],
        !isSilent && lastRecordedAt === undefined,
      );
    },
  attention: { what: 'History is not recorded', class: 'partly' },
  texts: {
    summary: ({ analyzer }) => `History of the ${analyzer} is not recorded.`,
    impact: 'Users are not affected. Charts and the advice on the number of licenses lack this time permanently.',
    step: 'Read the reason on the page /sources of the exporter: usually the disk of storage.path is full, or embedded_analyzer.store_max_size is reached.',
  },
  example: (now) => ({
    recording: { since: now - 86_400, interval: 300, lastRecordedAt: now - 1801, archive: undefined },
  }),
});
