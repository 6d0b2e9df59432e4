import { describe } from 'vitest';
import { rules } from '../../src/config/sections/alert-rules.ts';
import { createLocalTime, dateText, dayOfDate } from '../../src/model/local-time.ts';
import { usualOwners } from '../../src/rules/alert.ts';
import { createRuleFile } from '../../src/rules/rule-file.ts';
import { feature, featureLabels } from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';

/** The rules for Prometheus say the day of an expiry in the time zone of the analyzer, in winter and in summer. */

const scenario = createScenarios();

const rulesIn = (timeZone: string) =>
  createRuleFile({
    rules: rules.parse({ LicenseExpiringSoon: { info: '22000d' } }),
    ignore: [],
    unknownHold: 3600,
    owners: usualOwners,
    timeZone,
    job: 'license-exporter',
    runbookBaseUrl: undefined,
    alertmanagerUrl: undefined,
  });

/** A timeline begins at 1970-01-01, when few zones had summer time. */
const [WINTER, SUMMER] = [dayOfDate(2027, 1, 15), dayOfDate(2027, 7, 15)];
const zones = ['UTC', 'America/Los_Angeles', 'Pacific/Auckland', 'Australia/Sydney', 'Asia/Kolkata', 'Europe/London'];

describe.runIf(peer('promtool')).each(zones)('the rules for an analyzer in %s', (zone) => {
  const localTime = createLocalTime(zone);
  const at = {
    'last second in winter': [WINTER, localTime.startOf(WINTER + 1) - 1],
    'last second in summer': [SUMMER, localTime.startOf(SUMMER + 1) - 1],
    'first second in winter': [WINTER, localTime.startOf(WINTER)],
    'first second in summer': [SUMMER, localTime.startOf(SUMMER)],
  } as const;
  const expiries = Object.entries(at);
  const alertOf = (name: string): string =>
    `LicenseExpiringSoon feature=${name} severity=info vendor_license=v;d version=1`;
  scenario(
    'name the day of which an expiry is the last or the first second',
    one(20, Object.assign({}, ...expiries.map(([name, [, expires]]) => feature(featureLabels(name), { expires }))), {
      rules: rulesIn(zone),
      texts: [['LicenseExpiringSoon', 18]],
    }),
    Object.fromEntries(expiries.map(([name]) => [alertOf(name), '15-20'])),
    Object.fromEntries(expiries.map(([name, [day]]) => [alertOf(name), { expires: dateText(day) }])),
  );
});
