import type { MetricName } from '../../src/exporter/metrics/catalogue.ts';
import { createDashboard, feature, vendorLicense } from '../dashboard.ts';
import { featureExpressions, unlessUncounted } from '../feature-table.ts';
import { busyHours, efficiency, peaks, periods } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import {
  DASHED,
  DAYS_LEFT,
  DAYS_LEFT_NAMES,
  figure,
  graph,
  help,
  orNaN,
  PLAIN,
  type Rows,
  SATURATION,
  SERVER_OVER_TIME,
} from '../panels.ts';
import { expiration, metric, OF_FEATURE, ONE_FEATURE, ONE_VENDOR_LICENSE, once, select } from '../queries.ts';
import { rowsTable, STATES, UNCOUNTED_NAME } from '../tables.ts';

const rows = (title: string): Rows => ({
  title: 'Show',
  url: linkTo('license-feature', KEEP.time, KEEP.vendorLicense, KEEP.feature, panelOf(title)),
});

const colored = (color: string) => [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }];

/** The sum over the packages and versions, without losing a short peak between two points of a chart. */
const mostOf = (name: MetricName): string =>
  `sum(${once(`max_over_time(${select(name, ONE_FEATURE)}[$__rate_interval])`)})`;

/** What is in use and bought now, and the most of it between two points of a chart. */
const NOW = featureExpressions(ONE_FEATURE);
const AT_MOST = featureExpressions(ONE_FEATURE, {
  values: (selector) => `max_over_time(${selector}[$__rate_interval])`,
  attributes: (selector) => `last_over_time(${selector}[$__rate_interval])`,
});

/** At each point of a chart the same: before the first sample, a line that does not exist now is not unknown. */
const AT_THE_END = featureExpressions(ONE_FEATURE, {
  values: (selector) => selector,
  attributes: (selector) => `${selector} @ end()`,
});

/** The window of charts that do not follow the time range. */
const LAST = 'last-365-days';

/** One feature: now and over time. */
export const featureDashboard = () =>
  createDashboard({
    uid: 'license-feature',
    title: 'Feature',
    description:
      'One feature: who holds it now, when it is busy, its usage and denials by day, how many licenses it needs.',
    from: 'now-30d',
    refresh: '5m',
    about: OF_FEATURE,
    variables: [vendorLicense(), feature()],
  })
    .withPanel(
      figure(
        {
          title: 'In use',
          description: 'Licenses of all versions checked out now, including borrowed ones.',
          unit: 'none',
        },
        NOW.inUse,
        PLAIN,
        rows('Who holds it now'),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Bought',
          description: 'Licenses of all versions that have not expired; uncounted if one of them is.',
          unit: 'none',
        },
        unlessUncounted(NOW.bought, NOW),
        PLAIN,
        rows('Licenses and use, highest values'),
      ).mappings([UNCOUNTED_NAME]),
    )
    .withPanel(
      figure(
        {
          title: 'Share',
          description:
            'In use / bought, of all versions together. At 95 % or more, the next user may be denied. Uncounted licenses have no share.',
          unit: 'percentunit',
        },
        unlessUncounted(`${NOW.inUse} / (${NOW.bought} > 0)`, NOW),
        SATURATION,
        rows('Licenses and use, highest values'),
      ).mappings([UNCOUNTED_NAME]),
    )
    .withPanel(
      figure(
        {
          title: 'Waiting',
          description: 'Maximum number of waiting requests since the previous collection.',
          unit: 'none',
        },
        `sum(${metric('license_feature_max_queued', ONE_FEATURE)})`,
        [
          [null, 'text'],
          [1, 'orange'],
        ],
        rows('Who holds it now'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Idle', description: 'Licenses checked out by applications that are idle now.', unit: 'none' },
        `sum(${metric('license_feature_inactive_use', ONE_FEATURE)})`,
        PLAIN,
        rows('Held but not used, highest values'),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Days left',
          description: 'Days until the first of its licenses expires.',
          unit: 'none',
        },
        `(min(${expiration(ONE_FEATURE)}) - time()) / 86400`,
        DAYS_LEFT,
        { title: 'Show', url: linkTo('license-expirations', KEEP.asSeveral) },
      )
        .decimals(1)
        .mappings([...DAYS_LEFT_NAMES]),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Advice',
          description:
            'What the recorded history says about the number of licenses, computed once a night. Idle and borrowed licenses count as used, and a full pool hides demand.',
          width: 24,
          height: 5,
        },
        { target: 'rightsizing', parameters: OF_FEATURE, top: 10, none: 'No advice on this feature' },
        [
          { name: 'State', width: 130, colors: { missing: 'orange' } },
          { name: 'Count', as: 'How many', type: 'number', unit: 'locale', width: 95, unknown: 'unknown' },
          { name: 'Peak', type: 'number', unit: 'locale', width: 80, unknown: 'unknown' },
          { name: 'Peak date', width: 105 },
          { name: 'Reason', minWidth: 380, wrap: true },
        ],
      ),
    )
    .withPanel(SERVER_OVER_TIME(ONE_VENDOR_LICENSE))
    .withPanel(
      rowsTable(
        {
          title: 'Who holds it now',
          description:
            'Users that hold a license or wait for one, as the analyzer reports them. User names are personal data: the exporter serves them only to those whom access.names lists. "No user is listed": nobody holds it, or the analyzer does not know who does.',
          width: 24,
          height: 11,
        },
        { target: 'users', parameters: { ...OF_FEATURE, sort: 'Since' }, top: 100, none: 'No user is listed' },
        [
          { name: 'User', minWidth: 180 },
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 130 },
          { name: 'Status', width: 85, unknown: 'held', names: STATES, steps: PLAIN },
          { name: 'Application for', as: 'For', type: 'number', unit: 's', decimals: 0, width: 90 },
          { name: 'Licenses', type: 'number', unit: 'locale', width: 76 },
          { name: 'Host', minWidth: 180 },
        ],
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours: most in use, last 7 days',
          description:
            "Maximum number of licenses in use at once, by weekday and hour in the analyzer's time zone. The scale of colours is below the map. An hour without data is empty.",
          unit: 'none',
          width: 12,
          height: 9,
        },
        { ...OF_FEATURE, last: 'last-7-days' },
      ),
    )
    .withPanel(
      periods(
        {
          title: 'License-hours',
          description:
            'Hours of all licenses in use, added up. A bar is a local day of the analyzer, in a long time range a week or a month.',
          unit: 'locale',
        },
        OF_FEATURE,
        { series: 'Elapsed Time', as: 'license-hours', color: 'blue' },
      ),
    )
    .withPanel(
      periods(
        {
          title: 'Denials',
          description:
            'Denied requests. A bar is a local day of the analyzer, in a long time range a week or a month. A script that retries counts each time.',
          unit: 'locale',
        },
        OF_FEATURE,
        { series: 'Denials', as: 'denials', color: 'red' },
      ),
    )
    .withPanel(
      peaks(
        {
          title: 'Peak and bought by day',
          description:
            'Maxima per local day of the analyzer: available licenses, licenses in use, distinct users at one time, and reserved licenses. The analyzer can keep this history longer than Prometheus.',
          unit: 'none',
        },
        OF_FEATURE,
      ),
    )
    .withPanel(
      efficiency(
        {
          title: 'Hours with at least N in use, last 365 days',
          description:
            'Hours during which at least 1, 2, 3, … licenses were in use at once. Where the bars vanish, more licenses were hardly ever needed. If the last bar is long, all licenses were often in use: what was wanted beyond them is not seen.',
          unit: 'none',
          height: 9,
        },
        { ...OF_FEATURE, last: LAST },
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'With fewer licenses',
          description:
            'Hours a year in which that many licenses would not have been enough. Hours in which users were denied hide more demand. The advice says which number is kept, and why no fewer are.',
          height: 10,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_FEATURE, shape: 'steps' },
          top: 30,
          none: 'No fewer licenses would do, or it is not known',
        },
        [
          { name: 'Licenses', type: 'number', unit: 'locale', width: 80 },
          {
            name: 'Hours short a year',
            as: 'Too few, hours',
            type: 'number',
            unit: 'locale',
            decimals: 1,
            width: 130,
          },
          {
            name: 'Saving',
            as: 'Saving',
            type: 'number',
            unit: 'locale',
            decimals: 0,
            unknown: '–',
            width: 85,
          },
          { name: 'Currency', width: 90 },
          { name: 'Advice', minWidth: 145 },
        ],
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Licenses and use, highest values',
          description:
            'Licenses in use, waiting requests, and available licenses, from Prometheus. If the number of available licenses drops, an increment was lost. Uncounted licenses have no line.',
          unit: 'none',
          height: 10,
        },
        {
          'in use': orNaN(AT_MOST.inUse),
          waiting: orNaN(mostOf('license_feature_max_queued')),
          // drawn last, over a use that is equal
          bought: `(${AT_MOST.bought} or (vector(NaN) unless on () ${AT_THE_END.uncounted})) unless on () ${AT_MOST.uncounted}`,
        },
        'max',
      )
        .overrideByName('bought', [...colored('text'), DASHED])
        .overrideByName('in use', colored('blue'))
        .overrideByName('waiting', colored('orange')),
    )
    .withPanel(
      graph(
        {
          title: 'Held but not used, highest values',
          description: 'Licenses that are borrowed, idle, or reserved and unused. Check these when users wait.',
          unit: 'none',
          width: 24,
          height: 9,
        },
        {
          idle: orNaN(mostOf('license_feature_inactive_use')),
          borrowed: orNaN(mostOf('license_feature_borrowed_use')),
          'reserved and unused': orNaN(mostOf('license_feature_unused_reserve')),
        },
        'max',
      )
        .axisSoftMax(4)
        .overrideByName('idle', colored('blue'))
        .overrideByName('borrowed', colored('purple'))
        .overrideByName('reserved and unused', colored('text')),
    )
    .withRow(help());
