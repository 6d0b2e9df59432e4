import { aboutSite, type Evaluation, type SourceState, type View } from './rule.ts';

/** The license managers that an analyzer in this process collects from, for conditions. */

/** The labels of a source. Another label `source` says who sends the alert. */
export const labelsOf = ({ name, manager }: SourceState) => ({ license_source: name, manager });

/** Whether as many readings in succession failed. */
export const isDown = ({ failedReadings = 0 }: SourceState, readings: number): boolean => failedReadings >= readings;

/** An evaluation of the sources. Without any, there is no data; a source that was removed has no alerts. */
export const evaluateSources = (
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
