import type { Evaluation, RuleFactory, SourceState, View } from './rule.ts';
import { aboutSite, createRule, humanDuration } from './rule.ts';
import type { Adjustable, Durations } from './rule-settings.ts';

/** Rules about the license managers that an analyzer in this process collects from, and about its history. */

interface SourceDownParameters extends Durations {
  /** Failed readings in succession. */
  readonly readings: number;
}

/** The labels of a source. Another label `source` says who sends the alert. */
const labelsOf = ({ name, manager }: SourceState) => ({ license_source: name, manager });

/** An evaluation of the sources. Without any, there is no data; a source that was removed has no alerts. */
const evaluateSources = (
  { sources = [] }: View,
  findings: Evaluation['findings'],
  isUnknown: (source: SourceState, vendorLicense: string | undefined) => boolean,
): Evaluation => ({
  findings,
  isUnknown: ({ license_source: name, vendor_license: vendorLicense }) => {
    const source = sources.find((candidate) => candidate.name === name);
    return source !== undefined && isUnknown(source, vendorLicense);
  },
  // also if it is only not known whether a vendor license is of this source
  unknownAbout: aboutSite(
    sources.length === 0 || sources.some((source) => isUnknown(source, undefined) || isUnknown(source, '')),
  ),
  hasNoData: sources.every(({ failedReadings }) => failedReadings === undefined),
});

const isDown = ({ failedReadings = 0 }: SourceState, readings: number): boolean => failedReadings >= readings;

export const createSourceDown: RuleFactory<SourceDownParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    threshold: ({ readings }) => readings,
    evaluate: (view, { finding }) => {
      const { readings } = settings.base;
      const findings = (view.sources ?? [])
        .filter((source) => isDown(source, readings))
        .flatMap((source) => {
          const { vendorLicenses, failedReadings = 0 } = source;
          // one that has never been read has no vendor licenses
          return (vendorLicenses.length === 0 ? [''] : vendorLicenses).map((vendorLicense) => {
            const about = vendorLicense === '' ? '' : ` of ${vendorLicense}`;
            const [what, means] =
              source.isServerDown === true
                ? ['is down', 'Users may not be able to check out licenses.']
                : ['cannot be read', 'Whether users can check out licenses is not known.'];
            const annotations = {
              summary: `License source ${source.name}${about} ${what}.`,
              description: `The last ${failedReadings} readings of ${source.name} (${source.manager}) failed. ${means} The page /sources shows the reason and the remedy.`,
            };
            return finding({ ...labelsOf(source), vendor_license: vendorLicense }, annotations, failedReadings);
          });
        });
      return evaluateSources(view, findings, (source, vendorLicense) => {
        const { failedReadings, vendorLicenses } = source;
        if (failedReadings === 0) return false;
        // after a restart, a source that still fails has not been counted as down yet
        return !isDown(source, readings) || (vendorLicense !== undefined && vendorLicenses.length === 0);
      });
    },
  });

/** What the rule needs of the settings of the others. */
interface OtherSettings {
  readonly LicenseSourceDown: Adjustable<SourceDownParameters>;
}

/** A source that is down has no redundancy to lose: LicenseSourceDown is the alert about it. */
export const createRedundancyLost: RuleFactory<Durations, OtherSettings> = (name, settings, { LicenseSourceDown }) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    evaluate: (view, { finding }) => {
      const findings = (view.sources ?? []).flatMap((source) => {
        const { members } = source;
        const up = members.filter((member) => member.up === true).length;
        const isLost = up > 0 && members.some((member) => member.up === false);
        if (!isLost || source.failedReadings !== 0) return [];
        const annotations = {
          summary: `${up} of ${members.length} servers of license source ${source.name} answer.`,
          description: `License source ${source.name} (${source.manager}) still serves licenses, but one more server that fails may end that. The page /sources names the server that is down.`,
        };
        return [finding(labelsOf(source), annotations, up)];
      });
      return evaluateSources(view, findings, (source) => {
        const { failedReadings, members } = source;
        if (failedReadings !== 0) return !isDown(source, LicenseSourceDown.base.readings);
        return members.length > 1 && members.some(({ up }) => up === undefined);
      });
    },
  });

interface HistoryNotRecordedParameters extends Durations {
  /** Seconds. */
  readonly silence: number;
}

/** Intervals of collections without a sample. One collection may take longer than its interval. */
const SILENT_INTERVALS = 3;

export const createHistoryNotRecorded: RuleFactory<HistoryNotRecordedParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: ({ silence }) => silence,
    evaluate: ({ now, recording }, { finding }) => {
      if (recording === undefined)
        return { findings: [], isUnknown: () => false, unknownAbout: aboutSite(true), hasNoData: true };
      const { since, interval, lastRecordedAt } = recording;
      const age = now - (lastRecordedAt ?? since);
      if (age > Math.max(settings.base.silence, SILENT_INTERVALS * interval)) {
        const annotations = {
          summary: `History has not been recorded for ${humanDuration(age)}.`,
          description:
            'What is not recorded now is missing from charts and from advice permanently. The page /sources shows the reason. Check the disk of storage.path and embedded_analyzer.store_max_size.',
        };
        return {
          findings: [finding({}, annotations, age)],
          isUnknown: () => false,
          unknownAbout: aboutSite(false),
          hasNoData: false,
        };
      }
      // after a restart it is not known yet whether it can record
      const isUnknown = lastRecordedAt === undefined;
      return { findings: [], isUnknown: () => isUnknown, unknownAbout: aboutSite(isUnknown), hasNoData: isUnknown };
    },
  });
