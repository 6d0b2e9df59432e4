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

/** Did we buy too many, or too few? */
export const optimisation = () =>
  createDashboard({
    uid: 'license-optimisation',
    title: 'Optimisation',
    description:
      'Peak against bought, what is never used, idle or reserved for nothing, and what will be saturated. As far back as Prometheus keeps data.',
    from: 'now-30d',
    refresh: '15m',
    about: { product: '$vendor_license', matchers: OF },
    variables: [vendorLicense(true)],
  })
    .withPanel(
      figure(
        { title: 'Bought', description: 'Licenses with a count, over all features.', unit: 'none' },
        `sum(${bought})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Peak use of them',
          description: 'Sum of the peaks of each feature in the time range. They may lie at different times.',
          unit: 'none',
        },
        `sum(${peak} and ${bought})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        { title: 'Never used', description: 'Features without a single checkout in the time range.', unit: 'none' },
        `sum(${peak} == bool 0)`,
        [[null, 'yellow']],
      ),
    )
    .withPanel(
      figure(
        { title: 'Inactive now', description: 'Licenses checked out by applications nobody uses now.', unit: 'none' },
        `sum(${metric('license_feature_inactive_use', OF)})`,
        [[null, 'yellow']],
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Reserved and unused now',
          description: 'Licenses kept back for users who do not use them.',
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
          description: 'Features whose use, if it goes on as in the last 7 days, reaches what there is within 90 days.',
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
            'Per feature: licenses bought, the most in use, and what covered 95 and 99 % of the time range. Much less than bought: too many; as much: too few.',
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
          description: 'Features without a checkout in the time range, and how many licenses of them there are.',
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
            'Licenses checked out but inactive, on average over the time range. Timeouts of the daemon give them back.',
          unit: 'none',
          noValue: 'nothing is idle, or the analyzer does not know the applications',
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
            'Reservations nobody uses, on average over the time range, and the most who waited for the feature.',
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
            'Use in 90 days if it goes on as in the last 7, against what there is. A trend over few days is a rough guess.',
          unit: 'none',
          noValue: 'nothing is growing towards its limit',
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
          description: 'Features with fewer licenses than a week ago: an increment ended, or a server was changed.',
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
            'Borrowed licenses, and those of them nobody uses: forgotten on a laptop they are gone until they end.',
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
            'Refused requests per day of each chosen vendor license, from the analyzer. Too few licenses, or idle ones in the way.',
          unit: 'none',
        },
        '{"product":$vendor_license,"feature":"%","wildcard":"upstream"}',
      )
        .withTransformation({ id: 'filterFieldsByName', options: { include: { pattern: '^(Time|Denials.*)$' } } })
        .drawStyle(common.GraphDrawStyle.Bars)
        .fillOpacity(60),
    )
    .withPanel(help());
