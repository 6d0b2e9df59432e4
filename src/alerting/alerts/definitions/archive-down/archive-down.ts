import { durationText, localTimeText, withWeekday } from '../../../../base/texts.ts';
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
    ({ now, recording, timeZone }) => {
      // without an archive, an alert of before is over
      if (recording?.archive === undefined)
        return { findings: [], isUnknown: () => false, unknownAbout: aboutSite(true), hasNoData: true };
      const { since, lastSuccessAt, problem } = recording.archive;
      const last = lastSuccessAt ?? since;
      const age = now - last;
      const summary = `The archive of the history has not been reached for ${durationText(age)}.`;
      const facts = `The last time was ${withWeekday(localTimeText(last, timeZone))}. The reason: ${problem}.`;
      const findings = problem === undefined ? [] : [finding({}, { summary, facts }, age)];
      // after a restart it is not known yet whether it can be used
      return siteEvaluation(findings, problem === undefined && lastSuccessAt === undefined);
    },
  attention: { what: 'Archive of the history is down', class: 'later' },
  texts: {
    summary: ({ analyzer }) => `The archive of the history of the ${analyzer} cannot be used.`,
    impact:
      'Users of licenses are not affected. History is recorded in storage.path, and programs that read the archive get the missing days when it is back.',
    step: 'Check whether the database of storage.archive.url runs, and whether this host reaches it.',
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
