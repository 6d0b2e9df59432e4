import type { MetricName } from '../../src/exporter/metrics/catalogue.ts';
import { createDashboard, feature, vendorLicense } from '../dashboard.ts';
import { featureExpressions, unlessUncounted } from '../feature-table.ts';
import { busyHours, efficiency, peaks, periods, waits } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import {
  DASHED,
  DAYS_LEFT,
  DAYS_LEFT_NAMES,
  figures,
  GOOD_BELOW,
  graph,
  help,
  orNaN,
  PLAIN,
  type Rows,
  SATURATION,
  SERVER_OVER_TIME,
} from '../panels.ts';
import { expiration, IN_RANGE, metric, OF_FEATURE, ONE_FEATURE, ONE_VENDOR_LICENSE, once, select } from '../queries.ts';
import { CAUSE, REMEDY, rowsTable, STATES, UNCOUNTED_NAME, WAIT_NOW } from '../tables.ts';

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
      'One feature: its use against what was bought, how many licenses it needs, who holds it now, when it is busy, its denials, and who waited for it.',
    from: 'now-30d',
    refresh: '5m',
    about: OF_FEATURE,
    variables: [vendorLicense(), feature()],
  })
    .withPanel(
      figures(
        {
          title: 'Now',
          description:
            'Licenses of all versions. In use: checked out, including borrowed ones. Bought: those that have not expired; uncounted if one version is. Share: in use / bought; from 95 % on, the next user may be denied. Waiting: the most requests that waited since the previous collection.',
          unit: 'locale',
          width: 16,
        },
        {
          'in use': { of: NOW.inUse },
          bought: { of: unlessUncounted(NOW.bought, NOW), names: [UNCOUNTED_NAME] },
          share: {
            of: unlessUncounted(`${NOW.inUse} / (${NOW.bought} > 0)`, NOW),
            steps: SATURATION,
            unit: 'percentunit',
            decimals: 0,
            names: [UNCOUNTED_NAME],
          },
          waiting: {
            of: `sum(${metric('license_feature_max_queued', ONE_FEATURE)})`,
            steps: GOOD_BELOW(1, 'orange'),
          },
        },
        rows('Who holds it now'),
      ),
    )
    .withPanel(
      figures(
        {
          title: 'Idle and expiry',
          description:
            'Licenses that are checked out by applications that are idle now, and the days to the first expiry of a version.',
          unit: 'locale',
          width: 8,
        },
        {
          idle: { of: `sum(${metric('license_feature_inactive_use', ONE_FEATURE)})` },
          'days left': {
            of: `(min(${expiration(ONE_FEATURE)}) - time()) / 86400`,
            steps: DAYS_LEFT,
            unit: 'none',
            decimals: 1,
            names: DAYS_LEFT_NAMES,
          },
        },
        { title: 'Show: expiries', url: linkTo('license-expirations', KEEP.asSeveral) },
      ),
    )
    .withPanel(
      peaks(
        {
          title: 'Use against bought',
          description:
            'The most licenses in use, available and reserved, and the most users at one time: for each local day of the analyzer, in a long time range for each week or month. The analyzer can keep this history longer than Prometheus.',
          unit: 'none',
          width: 24,
          height: 9,
        },
        OF_FEATURE,
      ),
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
          { name: 'State', width: 128, colors: { missing: 'orange' } },
          { name: 'Reason', minWidth: 220, wrap: true },
          { name: 'Count', as: 'How many', type: 'number', unit: 'locale', width: 95, unknown: 'unknown' },
          { name: 'Peak', type: 'number', unit: 'locale', width: 80, unknown: 'unknown' },
          { name: 'Peak date', width: 105 },
          { name: 'Money', as: 'Money a year', width: 150 },
          { name: 'Price', as: 'Price each', type: 'number', unit: 'locale', width: 95 },
          { name: 'Currency', width: 80 },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Who holds it now',
          description:
            'Users that hold a license or wait for one, as the analyzer reports them. User names are personal data: the exporter serves them only to those whom access.names lists. "No user is listed": nobody holds it, or the analyzer does not know who does.',
          width: 14,
          height: 10,
        },
        { target: 'users', parameters: { ...OF_FEATURE, sort: 'Since' }, top: 1000, none: 'No user is listed' },
        [
          { name: 'User', minWidth: 110 },
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 130 },
          { name: 'Status', width: 85, names: STATES, steps: PLAIN },
          { name: 'Application for', as: 'For', type: 'number', unit: 'dtdurations', decimals: 0, width: 95 },
          { name: 'Licenses', type: 'number', unit: 'locale', width: 76 },
          { name: 'Host', width: 110 },
        ],
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours: most in use, last 7 days',
          description:
            "Maximum number of licenses in use at once, by weekday and hour in the analyzer's time zone. The last line is what was bought, where the colours end. An hour without data is empty.",
          unit: 'none',
          width: 10,
          height: 10,
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
          width: 8,
          height: 8,
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
          width: 8,
          height: 8,
        },
        OF_FEATURE,
        { series: 'Denials', as: 'denials', color: 'red' },
      ),
    )
    .withPanel(
      efficiency(
        {
          title: 'Hours with at least N in use, last 365 days',
          description:
            'Hours during which at least 1, 2, 3, … licenses were in use at once. Where the bars vanish, more licenses were hardly ever needed. If the last bar is long, all licenses were often in use: what was wanted beyond them is not seen.',
          unit: 'none',
          width: 8,
          height: 8,
        },
        { ...OF_FEATURE, last: LAST },
      ),
    )
    .withPanel(
      waits(
        {
          title: 'Minutes that people waited, by cause',
          description:
            'People who were denied a license, from the first denial to the checkout or the last denial, all of them together. However often a script retries, and on how many hosts, a person waits once. A bar is a local day of the analyzer, in a long time range a week or a month; today has those who wait now.',
          unit: 'locale',
          width: 12,
          height: 8,
        },
        OF_FEATURE,
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'People who waited, by cause',
          description:
            'The people who were denied a license in the time range, each once a day, those who wait now, and what would end it. Known where the log of the license manager names who was denied: FlexNet and RLM, read by this exporter.',
          width: 12,
          height: 8,
        },
        {
          target: 'blocked',
          parameters: { ...OF_FEATURE, ...IN_RANGE, shape: 'totals' },
          top: 20,
          none: 'Nobody waited',
        },
        [
          CAUSE,
          { ...WAIT_NOW, name: 'Now' },
          { name: 'People', type: 'number', unit: 'locale', decimals: 0, width: 65 },
          { name: 'Minutes', type: 'number', unit: 'locale', decimals: 0, width: 72 },
          REMEDY,
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'With fewer licenses',
          description:
            'Hours a year in which that many licenses would not have been enough. Hours in which users were denied hide more demand. The advice says which number is kept, and why no fewer are.',
          height: 9,
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
          { name: 'Advice', minWidth: 145, wrap: true },
        ],
      ),
    )
    .withPanel(
      graph(
        {
          title: 'In use, waiting and held, highest values',
          description:
            'From Prometheus: licenses in use and bought, requests that wait, and licenses that are idle, borrowed, or reserved and unused: check these when users wait. If the number bought drops, an increment was lost. Uncounted licenses have no line.',
          unit: 'none',
          width: 12,
          height: 9,
        },
        {
          'in use': orNaN(AT_MOST.inUse),
          waiting: orNaN(mostOf('license_feature_max_queued')),
          idle: orNaN(mostOf('license_feature_inactive_use')),
          borrowed: orNaN(mostOf('license_feature_borrowed_use')),
          'reserved and unused': orNaN(mostOf('license_feature_unused_reserve')),
          // drawn last, over a use that is equal
          bought: `(${AT_MOST.bought} or (vector(NaN) unless on () ${AT_THE_END.uncounted})) unless on () ${AT_MOST.uncounted}`,
        },
      )
        .axisSoftMax(4)
        .overrideByName('bought', [...colored('text'), DASHED])
        .overrideByName('in use', colored('blue'))
        .overrideByName('waiting', colored('red'))
        .overrideByName('idle', colored('yellow'))
        .overrideByName('borrowed', colored('purple'))
        .overrideByName('reserved and unused', colored('orange')),
    )
    .withPanel(SERVER_OVER_TIME(ONE_VENDOR_LICENSE))
    .withRow(help());
