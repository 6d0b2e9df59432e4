import type { MetricName } from '../src/exporter/metrics/catalogue.ts';
import { once, select } from './queries.ts';
import { UNCOUNTED } from './tables.ts';

/** Figures of features, for tables of series. */

const VERSION = 'vendor_license, feature, version, package, feature_type';

/** Expressions about one feature. All are about the same versions and packages. */
interface FeatureExpressions {
  /** Not known while it is not known of one version. */
  readonly inUse: string;
  /** The sum of counted licenses. Not known while it is not known of one version; one that is uncounted has no number. */
  readonly bought: string;
  /** A number as long as a version is uncounted: then the feature is. */
  readonly uncounted: string;
}

/**
 * In use and bought of one feature, as the exporter merges records: versions are added up, with an unknown one the sum is unknown,
 * and with an uncounted one the feature is uncounted.
 *
 * @param over what is read of the values and of the attributes of a version; a chart reads what was between two of its points
 */
export function featureExpressions(
  matchers: string,
  over: { readonly values: (selector: string) => string; readonly attributes: (selector: string) => string } = {
    values: (selector) => selector,
    attributes: (selector) => selector,
  },
): FeatureExpressions {
  const versions = (more = ''): string =>
    `max by (${VERSION}) (${over.attributes(select('license_feature_info', `${matchers}${more}`))})`;
  const total = (name: MetricName): string => {
    const values = once(over.values(select(name, matchers)));
    return `(sum(${values}) unless on () count(${versions()} unless on (${VERSION}) ${values}))`;
  };
  return {
    inUse: total('license_feature_in_use'),
    bought: total('license_feature_max_available'),
    uncounted: `count(${versions(',license_type="uncounted"')})`,
  };
}

/** A figure of one feature, or the one that stands for uncounted licenses. */
export const unlessUncounted = (figure: string, { uncounted }: FeatureExpressions): string =>
  `0 * ${uncounted} ${UNCOUNTED} or ${figure}`;
