import { isUncounted } from '../../base/model/uncounted.ts';
import { isKnown, unknown } from '../../base/model/unknown.ts';
import { countText, inUseOfText, numberText, withWeekday } from '../../base/texts.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Labels } from './alert.ts';

/** What stands before the first step in texts. */
export const FIRST_STEP = 'First step: ';

/** Figures of features, and what an alert is about, as an engineer on call reads them. */

/** `1234` or `uncounted`, as mails read it again: without separators; `undefined` if the number is not known. */
export const boughtText = (row: Pick<FeatureRow, 'licenseType' | 'maxAvailable'>): string | undefined =>
  isUncounted(row) ? 'uncounted' : isKnown(row.maxAvailable) ? `${row.maxAvailable}` : undefined;

/** `28 licenses`, `1 license` or `uncounted`; `undefined` if the number is not known. */
export function licensesText(row: Pick<FeatureRow, 'licenseType' | 'maxAvailable'>): string | undefined {
  if (isUncounted(row)) return 'uncounted';
  const { maxAvailable: count } = row;
  return count === unknown ? undefined : countText(count, 'license');
}

/** `26 of 28 licenses`, or `26 licenses` of uncounted ones; `undefined` if a number is not known. */
export function usageText(row: Pick<FeatureRow, 'licenseType' | 'maxAvailable' | 'inUse'>): string | undefined {
  const { inUse, maxAvailable } = row;
  if (inUse === unknown) return undefined;
  if (isUncounted(row)) return countText(inUse, 'uncounted license');
  if (maxAvailable === unknown) return undefined;
  return inUse > maxAvailable
    ? `${numberText(inUse)}${inUseOfText(inUse, maxAvailable, 'license')}`
    : `${numberText(inUse)} of ${countText(maxAvailable, 'license')}`;
}

/** The description of an alert, in sentences: what is known, who is hit, and what to do first. */
export const describe = (facts: string | undefined, impact: string, step: string): string =>
  [facts, impact, `${FIRST_STEP}${step}`].filter((part) => part !== undefined).join(' ');

/** What is known beside the summary: the part of a description before who is hit; empty if that is not said. */
export const factsOf = ({ description = '', impact }: Labels): string =>
  impact === undefined ? '' : description.slice(0, Math.max(0, description.indexOf(impact))).trim();

/** What an alert is about, in the words of its texts. */
export interface About {
  readonly vendorLicense: string;
  /** `12 features of lic01;cdslmd`; of how many is only known to the engine. */
  readonly features: string;
  /** The day of an expiry: ` on Tuesday 2026-12-01`, with the time left where it is known; empty if no day is. */
  readonly onDay: string;
  /** ` today (Tuesday 2026-12-01)`; empty if it is not known, or not the same for all. */
  readonly when: string;
  readonly endpoint: string;
  readonly field: string;
  readonly source: string;
  readonly analyzer: string;
  readonly exporter: string;
}

/**
 * The words of an alert of the engine.
 *
 * @param count of the features that it sums up; `undefined` without them
 * @param when what all of them say of it
 */
export const aboutLabels = (labels: Labels, count?: number, when?: string): About => {
  const {
    vendor_license: vendorLicense = '',
    expires,
    endpoint = '',
    field = '',
    license_source: source = '',
  } = labels;
  const told = when === undefined ? '' : ` ${when}`;
  return {
    ...{ vendorLicense, endpoint, field, source },
    features: count === undefined ? vendorLicense : `${countText(count, 'feature')} of ${vendorLicense}`,
    onDay: told !== '' || expires === undefined ? told : ` on ${withWeekday(expires)}`,
    when: told,
    analyzer: 'license analyzer',
    exporter: 'license exporter',
  };
};

const ANALYZER =
  'analyzer{{ if $labels.analyzer }} {{ $labels.analyzer }}{{ end }}{{ if $labels.shard }} (shard {{ $labels.shard }}){{ end }}';

/** The same as a template of Prometheus. It reads labels only: a query for each alert costs more than all rules together. */
export const aboutTemplate: About = {
  vendorLicense: '{{ $labels.vendor_license }}',
  features: 'features of {{ $labels.vendor_license }}',
  onDay: ' on {{ $labels.expires }}',
  when: '',
  endpoint: '{{ $labels.endpoint }}',
  field: '{{ $labels.field }}',
  source: '{{ $labels.license_source }}{{ if $labels.vendor_license }} of {{ $labels.vendor_license }}{{ end }}',
  analyzer: ANALYZER,
  exporter: `license exporter of ${ANALYZER}`,
};
