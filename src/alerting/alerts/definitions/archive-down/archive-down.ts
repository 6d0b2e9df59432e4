import { durationText } from '../../../../base/texts.ts';
import { siteEvaluation } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite } from '../../rule.ts';

/** The archive of the history cannot be used. */
export const archiveDown = engineAlert({
  subject: 'analyzer',
  messages: 'upkeep',
  severities: ['warning'],
  for: '30m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  needs: 'archive',
  condition:
    ({ finding }) =>
    ({ now, recording }) => {
      // without an archive, an alert of before is over
      if (recording?.archive === undefined)
        return { findings: [], isUnknown: () => false, unknownAbout: aboutSite(true), hasNoData: true };
      const { since, lastSuccessAt, problem } = recording.archive;
      const age = now - (lastSuccessAt ?? since);
      const summary = `The archive of the history has not been reached for ${durationText(age)}.`;
      const findings = problem === undefined ? [] : [finding({}, { summary, facts: `The reason: ${problem}.` }, age)];
      // after a restart it is not known yet whether it can be used
      return siteEvaluation(findings, problem === undefined && lastSuccessAt === undefined);
    },
  attention: { what: 'Archive of the history is down', class: 'later' },
  texts: {
    summary: ({ analyzer }) => `The archive of the history of the ${analyzer} cannot be used.`,
    remedy:
      'Nothing is lost: history is recorded in storage.path, and the archive gets the missing days when it is back. Check the database of storage.archive.url. The page /sources of the exporter shows the reason.',
  },
  example: (now) => ({
    recording: {
      since: now - 86_400,
      interval: 300,
      lastRecordedAt: now,
      archive: { since: now - 86_400, lastSuccessAt: now - 3600, problem: 'nothing listens', waiting: 20 },
    },
  }),
});
