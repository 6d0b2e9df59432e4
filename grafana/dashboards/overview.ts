import { createDashboard } from '../dashboard.ts';
import { linkTo, panelOf, severalLink } from '../links.ts';
import { figure, GOOD_BELOW, help, PLAIN, pair, SATURATION, states } from '../panels.ts';
import { metric, select } from '../queries.ts';
import { BOUGHT, DAYS, jsonTable, SHARE, type Shown } from '../tables.ts';
import { total, totalPair } from '../total-panel.ts';

const PRODUCT: Shown = { name: 'Product', as: 'Vendor license', width: 180 };
/** It takes what the other columns leave. */
const WIDE_PRODUCT: Shown = { name: 'Product', as: 'Vendor license' };

/** The features of all vendor licenses. */
const EVERYTHING = { product: ['%'] };

const panel = (title: string) => ({ title: `Show: ${title}`, url: linkTo('license-overview', panelOf(title)) });

/** What needs attention now, then servers and expiries. */
export const overview = () =>
  createDashboard({
    uid: 'license-overview',
    title: 'Overview',
    description: 'What needs attention now, the most urgent first; the license servers; and what expires next.',
    from: 'now-24h',
    refresh: '1m',
    about: { annotated: false },
    variables: [],
  })
    .withPanel(
      pair(
        {
          title: 'Servers down',
          description:
            'Vendor licenses whose server or daemon has sent no data for 30 minutes, and those that were down at some time of the last 24 hours. Check the license server and its daemon.',
          unit: 'none',
        },
        {
          now: [`sum(${metric('license_server_up')} == bool 0)`, GOOD_BELOW(1)],
          'in 24 h': [
            // not while nothing is known now: a day without data would end in "0"
            `sum(min without (job, instance) (min_over_time(${select('license_server_up')}[24h])) == bool 0) and sum(${select('license_server_up')})`,
            GOOD_BELOW(1, 'orange'),
          ],
        },
        panel('License servers'),
      ),
    )
    .withPanel(
      totalPair(
        {
          title: 'Expiries',
          description:
            'All licenses that have expired, however long ago, and those that expire within 30 days. Renew them, or remove them. The list below has only those that have expired in the last 14 days. A sign beside the title names the vendor licenses that were never collected: their expiries are not known.',
          unit: 'none',
        },
        { target: 'expirations', payload: EVERYTHING },
        {
          Expired: { as: 'expired in all', steps: GOOD_BELOW(1) },
          'Within 30 days': { as: 'in 30 days', steps: GOOD_BELOW(1, 'orange') },
        },
        { title: 'Show the licenses', url: linkTo('license-expirations', panelOf('Upcoming')) },
      ),
    )
    .withPanel(
      total(
        {
          title: 'Saturated',
          description: 'Features with at least 95 % of their licenses in use now. The next user may be denied.',
          unit: 'none',
        },
        { target: 'features', payload: EVERYTHING, field: 'Saturated', steps: [[1, 'orange']] },
        panel('Busiest features'),
      ),
    )
    .withPanel(
      total(
        {
          title: 'Waiting requests',
          description: 'Maximum number of waiting requests since the previous collection, summed over all features.',
          unit: 'none',
        },
        { target: 'features', payload: EVERYTHING, field: 'Max queued', steps: [[1, 'orange']] },
        panel('Busiest features'),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Users now',
          description: 'Distinct users over all vendor licenses, each counted once.',
          unit: 'none',
        },
        `max(${select('license_concurrent_users')})`,
        PLAIN,
        panel('License servers'),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Data age',
          description:
            'Age of the oldest collection among the servers that are up. The analyzer collects every few minutes. After 30 minutes without data, a vendor license counts as down.',
          unit: 's',
        },
        `time() - min(${metric('license_vendor_license_last_collection_timestamp_seconds')} and on (vendor_license) (${metric('license_server_up')} == 1))`,
        GOOD_BELOW(1800),
        'license-exporter',
      ).decimals(0),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Needs attention',
          description:
            'What needs action: what cannot be used now first, then what is coming. These are the alerts that fire, whether or not they are sent anywhere. A license that has expired is listed for 14 days (within of LicenseExpired), and longer on the dashboard Expirations. Names lead to the vendor license and the feature.',
          width: 24,
          height: 13,
        },
        { target: 'attention', top: 200, owner: 'Product', none: 'Nothing needs attention' },
        [
          { name: 'Severity', width: 80, colors: { critical: 'red', warning: 'orange' } },
          { name: 'What', width: 150 },
          PRODUCT,
          { name: 'Feature', width: 150 },
          { name: 'Details', minWidth: 380, wrap: true },
          { name: 'Since', unit: 'dateTimeFromNow', width: 140 },
          { name: 'Owner', width: 110 },
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'License servers',
          description:
            'Every vendor license, those with a problem first, as of the last poll. Usage that is not known is empty.',
          width: 15,
          height: 13,
        },
        { target: 'products', payload: { sort: 'State' }, top: 200, owner: 'Product' },
        [
          WIDE_PRODUCT,
          {
            name: 'State',
            width: 105,
            colors: { down: 'red', outdated: 'orange', 'never collected': 'gray', unknown: 'gray' },
          },
          // without a bar: a sum of features is far from full
          { name: 'Share', as: 'Share in use', unit: 'percentunit', decimals: 0, steps: SATURATION, width: 110 },
          { name: 'Distinct users', as: 'Users', width: 60 },
          { name: 'Collected', as: 'Last data', unit: 'dateTimeFromNow', width: 140 },
          { name: 'Next expiry', width: 100, link: severalLink('license-expirations', 'Product') },
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Next expiries',
          description: 'The licenses that expire next. Those that have expired need attention, and are listed above.',
          width: 9,
          height: 13,
        },
        {
          target: 'expirations',
          payload: { ...EVERYTHING, status: ['upcoming'], within: 365 },
          top: 100,
          owner: 'Product',
          none: 'No license expires within a year',
        },
        [
          { ...PRODUCT, width: 168 },
          { name: 'Feature' },
          { name: 'Expires', width: 95, link: severalLink('license-expirations', 'Product') },
          DAYS,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Busiest features',
          description: 'The features with the largest share of their licenses in use now.',
          width: 15,
          height: 12,
        },
        { target: 'features', payload: EVERYTHING, top: 100, owner: 'Product' },
        [
          PRODUCT,
          { name: 'Feature' },
          SHARE,
          { name: 'In use', width: 70 },
          { ...BOUGHT, width: 80 },
          { name: 'Max queued', as: 'Waiting', steps: GOOD_BELOW(1, 'orange'), width: 75 },
        ],
      ),
    )
    .withPanel(
      states(
        {
          title: 'Servers over time',
          description: 'Whether each license server and daemon sent data. During a gap, the state is not known.',
          unit: 'none',
          width: 9,
          height: 12,
        },
        { '{{vendor_license}}': metric('license_server_up') },
        { good: 'up', bad: 'down' },
      ),
    )
    .withRow(help());
