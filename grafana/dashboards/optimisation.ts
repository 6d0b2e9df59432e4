import * as common from '@grafana/grafana-foundation-sdk/common';
import { createDashboard, vendorLicense } from '../dashboard.ts';
import { figure, graph, help, PLAIN, SATURATION, seriesTable, trend } from '../panels.ts';
import { COUNTED, metric, once, select } from '../queries.ts';

const OF = 'vendor_license=~"$vendor_license"';
const FEATURE = ['vendor_license', 'feature', 'version', 'package'];
const bought = `(${metric('license_feature_max_available', OF)} ${COUNTED})`;
/** Over the dashboard's time range. */
const over = (call: (range: string) => string, name: Parameters<typeof select>[0]): string =>
  once(call(`${select(name, OF)}[$__range]`));
const peak = over((range) => `max_over_time(${range})`, 'license_feature_max_in_use');
const quantile = (q: number): string => over((range) => `quantile_over_time(${q}, ${range})`, 'license_feature_in_use');

/** Whether too many or too few licenses were bought. */
export const optimisation = () =>
  createDashboard({
    uid: 'license-optimisation',
    title: 'Optimisation',
    description:
      'Peak usage against bought licenses; licenses that are never used, idle, or reserved and unused; and features that will be saturated. As far back as Prometheus keeps data.',
    from: 'now-30d',
    refresh: '15m',
    about: { product: '$vendor_license', matchers: OF },
    variables: [vendorLicense(true)],
  })
    .withPanel(
      figure(
        { title: 'Bought', description: 'Number of licenses of all features, without uncounted ones.', unit: 'none' },
        `sum(${bought})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Peak use of them',
          description: 'Sum of the peaks of all features in the time range. The peaks can be at different times.',
          unit: 'none',
        },
        `sum(${peak} and ${bought})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        { title: 'Never used', description: 'Features without a checkout in the time range.', unit: 'none' },
        `sum(${peak} == bool 0)`,
        [[null, 'yellow']],
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Inactive now',
          description: 'Licenses checked out by applications that are inactive now.',
          unit: 'none',
        },
        `sum(${metric('license_feature_inactive_use', OF)})`,
        [[null, 'yellow']],
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Reserved and unused now',
          description: 'Licenses reserved for users who do not use them.',
          unit: 'none',
        },
        `sum(${metric('license_feature_unused_reserve', OF)})`,
        [[null, 'yellow']],
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Saturated within 90 days',
          description:
            'Features whose usage reaches the number of bought licenses within 90 days, if the trend of the last 7 days continues.',
          unit: 'none',
        },
        `sum(${over(() => `predict_linear(${select('license_feature_in_use', OF)}[7d], 90 * 86400)`, 'license_feature_in_use')} >= bool ${bought})`,
        [
          [null, 'green'],
          [1, 'orange'],
        ],
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Peak against bought',
          description:
            'For each feature: licenses bought, peak usage, and the number that covered 95 % and 99 % of the time range. If the peak is far below the number bought, there are too many licenses. If it equals it, there may be too few.',
          unit: 'none',
          width: 24,
          height: 12,
        },
        [
          { name: 'Bought', unit: 'none', expression: bought },
          { name: 'Peak', unit: 'none', expression: `${peak} and ${bought}` },
          { name: '99 %', unit: 'none', expression: `${quantile(0.99)} and ${bought}` },
          { name: '95 %', unit: 'none', expression: `${quantile(0.95)} and ${bought}` },
          {
            name: 'Peak share',
            unit: 'percentunit',
            steps: SATURATION,
            expression: `${peak} / (${bought} > 0)`,
          },
        ],
        FEATURE,
        '-Bought',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Never used',
          description: 'Features without a checkout in the time range, and their number of licenses.',
          unit: 'none',
          noValue: 'every feature was used',
        },
        [{ name: 'Licenses', unit: 'none', expression: `${bought} and (${peak} == 0)` }],
        FEATURE,
        '-Licenses',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Idle',
          description:
            'Licenses that are checked out but inactive, averaged over the time range. A timeout of the vendor daemon can release them.',
          unit: 'none',
          noValue: 'no license is idle, or the analyzer does not know the applications',
        },
        [
          {
            name: 'Inactive',
            unit: 'none',
            expression: `topk(20, ${over((range) => `avg_over_time(${range})`, 'license_feature_inactive_use')} > 0)`,
          },
        ],
        FEATURE,
        '-Inactive',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Reserved and unused',
          description:
            'Unused reservations, averaged over the time range, and the maximum number of queued requests for the feature.',
          unit: 'none',
          noValue: 'no reservation is unused',
        },
        [
          {
            name: 'Unused',
            unit: 'none',
            expression: `${over((range) => `avg_over_time(${range})`, 'license_feature_unused_reserve')} > 0`,
          },
          {
            name: 'Waited',
            unit: 'none',
            expression: `${over((range) => `max_over_time(${range})`, 'license_feature_max_queued')} and (${over((range) => `avg_over_time(${range})`, 'license_feature_unused_reserve')} > 0)`,
          },
        ],
        FEATURE,
        '-Unused',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Forecast',
          description:
            'Ratio of licenses in use in 90 days, if the trend of the last 7 days continues. A trend over a few days is only a rough estimate.',
          unit: 'none',
          noValue: 'no feature grows towards its limit',
        },
        [
          {
            name: 'In 90 days',
            unit: 'percentunit',
            steps: SATURATION,
            expression: `topk(20, ${once(`predict_linear(${select('license_feature_in_use', OF)}[7d], 90 * 86400)`)} / (${bought} > 0) >= 0.8)`,
          },
        ],
        FEATURE,
        '-In 90 days',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Pools that shrank',
          description: 'Features with fewer licenses than a week ago: an increment expired, or a server was changed.',
          unit: 'none',
          noValue: 'no pool shrank within a week',
        },
        [
          {
            name: 'Change',
            unit: 'none',
            expression: `${metric('license_feature_max_available', OF)} - ${once(`${select('license_feature_max_available', OF)} offset 7d`)} < 0`,
          },
        ],
        FEATURE,
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Borrowed',
          description:
            'Borrowed licenses, and those of them that are inactive. A license that is borrowed to an unused laptop is not available until the borrow period ends.',
          unit: 'none',
        },
        {
          borrowed: `sum(${metric('license_feature_borrowed_use', OF)})`,
          'borrowed and inactive': `sum(${metric('license_feature_borrowed_inactive_use', OF)})`,
        },
      ),
    )
    .withPanel(
      trend(
        {
          title: 'Denials per day',
          description:
            'Denied requests per day for each selected vendor license, from the analyzer. Either there are too few licenses, or idle users hold them.',
          unit: 'none',
        },
        '{"product":$vendor_license,"feature":"%","wildcard":"upstream"}',
      )
        .withTransformation({ id: 'filterFieldsByName', options: { include: { pattern: '^(Time|Denials.*)$' } } })
        .drawStyle(common.GraphDrawStyle.Bars)
        .fillOpacity(60),
    )
    .withPanel(help());
