import { once, select } from './queries.ts';
import { type Shown, UNCOUNTED } from './tables.ts';

/** Figures of features, for tables of series. */

/** How many licenses of each feature there are, or the figure that stands for uncounted ones. */
export const boughtExpression = (matchers: string): string => {
  const uncounted = select('license_feature_info', `${matchers},license_type="uncounted"`);
  const info = `max by (vendor_license, feature, version, package, feature_type) (${uncounted})`;
  return `(0 * ${info} ${UNCOUNTED}) or ${once(select('license_feature_max_available', matchers))}`;
};

/** @param condition the rows that meet it: a large site has 20,000 features */
export const waiting = (matchers: string, condition: string): Shown & { readonly expression: string } => ({
  name: 'Waiting',
  expression: once(`${select('license_feature_max_queued', matchers)}${condition}`),
  unit: 'locale',
  decimals: 0,
  width: 95,
  steps: [
    [null, 'text'],
    [1, 'orange'],
  ],
});
