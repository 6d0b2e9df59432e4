import type { FeatureRecord } from './records.ts';
import { type Figure, isKnown } from './unknown.ts';

/** MaxAvailable of an uncounted license on the wire (spec 2.2), and in a chart. It is no number of licenses. */
export const UNCOUNTED = 99_999;

/** The license type of an uncounted feature. */
const UNCOUNTED_TYPE = 'uncounted';

/**
 * Decides, once for each record, whether its feature is uncounted: its type or its number says so. The record then has the type
 * and no number, so that it is in no sum.
 */
export const decideUncounted = (record: FeatureRecord): FeatureRecord =>
  record.maxAvailable === UNCOUNTED || record.licenseType.toLowerCase() === UNCOUNTED_TYPE
    ? { ...record, licenseType: UNCOUNTED_TYPE, maxAvailable: undefined, available: undefined, logAvailable: undefined }
    : record;

/** Whether any number of licenses can be in use. */
export const isUncounted = ({ licenseType }: { readonly licenseType: string | undefined }): boolean =>
  licenseType === UNCOUNTED_TYPE;

/** Whether a number in a chart stands for uncounted licenses: charts have no type. A sum of an analyzer may contain several. */
export const isUncountedFigure = (licenses: Figure): boolean => isKnown(licenses) && licenses >= UNCOUNTED;

/** The values of a chart without those that stand for uncounted licenses. */
export const countedFigures = (values: Float64Array): Float64Array =>
  values.map((value) => (isUncountedFigure(value) ? Number.NaN : value));
