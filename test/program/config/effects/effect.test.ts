import { describe, expect, it } from 'vitest';
import { WHOLE } from '../../../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../../../src/base/scheduling/slices.ts';
import { lookAt, type NamedPart, shortened } from '../../../../src/program/config/effects/effect.ts';
import { ownerParts, priceParts } from '../../../../src/program/config/effects/entries.ts';
import { allParts, knownBy } from '../../../../src/program/config/effects/named-settings.ts';
import { type Seen, type SiteNames, siteNamesOf } from '../../../../src/program/config/effects/site-names.ts';
import { loadConfig } from '../../../../src/program/config/load.ts';
import type { SettingKey } from '../../../../src/program/config/settings.ts';
import { deriveInventoryNow, everything } from '../../../support/derived-inventory.ts';
import { priceEntry } from '../../../support/price-entry.ts';
import {
  answer,
  createSnapshot,
  failed,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../../support/scenario.ts';

/** What is said with what is known of a site, and that nothing is said of what is not. */

/** Two vendor licenses: `base` and `solver` of the first, `mesh` of the second. */
const two: Scenario = {
  products: good(answer([product(), product({ product: 'lic02;flowd' })])),
  down: good(answer([])),
  features: {
    [WHOLE]: good(
      answer([
        feature(),
        feature({ feature: 'solver' }),
        feature({ feature: 'mesh', serverName: 'lic02', daemon: 'flowd' }),
      ]),
    ),
  },
};

function siteOf(scenario: Scenario = two, more: Partial<Seen> = {}): SiteNames {
  const snapshot = { ...createSnapshot(scenario), off: ['GetExpirationFeatures'] as const };
  const inventory = deriveInventoryNow(snapshot, NOW, { ...everything, usageWhenNotCurrent: 'withhold' });
  return runAtOnce(siteNamesOf({ snapshot, inventory, sources: [], recorded: () => [], shards: 1, ...more }));
}

type Settings = Partial<Record<SettingKey, unknown>>;

/** What is said of settings, and how many are not known. */
function lookWith(settings: Settings, site: SiteNames | undefined) {
  const flags = new Map(Object.entries(settings)) as Map<SettingKey, unknown>;
  const config = loadConfig({ flags, env: {}, requireAnalyzer: false });
  const { problems, unknown } = runAtOnce(lookAt(allParts(config), { ...knownBy(config), site }));
  return { said: problems.map(({ key, message }) => `${key}: ${message}`), unknown: unknown.map(({ key }) => key) };
}

const nothing = { said: [], unknown: [] };
const owners = (vendorLicense: string, name = '*') => ({
  owners: [{ vendor_license: vendorLicense, feature: name, owner: 'cad' }],
});

describe('with a site of which all is known', () => {
  it.each<Settings>([
    owners('LIC01;*'),
    owners('*', 'mesh'),
    owners('lic01;cdslmd;site-b', 's*r'),
    { 'alerting.ignore': ['vendor_license=~"lic01.*", feature!="base"'] },
    { 'alerting.ignore': ['severity="info"'] },
    { 'alerting.ignore': ['feature!~"nothing|solver"'] },
    { 'alerting.ignore': ['version="1.0", package=""'] },
    { ...owners('*'), 'alerting.ignore': ['owner="cad", alertname=~"License.*"'] },
    { 'alerting.ignore': ['site="berlin"'], 'alerting.external_labels': { site: 'berlin' } },
    { 'select.include': ['lic'], 'select.exclude': ['mesh'] },
    { 'rightsizing.without_reservations': [{ vendor_license: 'lic02;%', feature: 'me%' }] },
  ])('nothing is said of %j', (settings) => {
    expect(lookWith(settings, siteOf())).toEqual(nothing);
  });

  it.each<[Settings, string]>([
    [owners('lic03;*'), 'owners[0]: "lic03;*" matches no vendor license that'],
    [owners('lic02', '*'), 'write lic02;* for all daemons of the server'],
    [owners('lic01;*', 'mesh'), 'owners[0]: "lic01;*", "mesh" matches no feature that'],
    [owners('lic01;cdslmd', 'Solver'), 'did you mean solver?'],
    [{ 'alerting.ignore': ['vendor_license="lic01;cdslmd", feature="mesh"'] }, 'matches no feature that'],
    [{ 'alerting.ignore': ['owner="cad"'] }, 'no alert has a label owner'],
    [{ ...owners('*'), 'alerting.ignore': ['owner="cda"'] }, 'no alert has owner="cda", did you mean cad?'],
    [{ 'alerting.ignore': ['alertname!="LicensDenials"'] }, 'no alert has alertname="LicensDenials", did you mean'],
    [{ 'alerting.ignore': ['license_source="flex"'] }, 'no alert has license_source="flex"'],
    [{ 'alerting.ignore': ['feature="sol*"'] }, 'is compared as it is; for a pattern, write feature=~"sol.*"'],
    [{ 'alerting.ignore': ['alertname="LicenseDenials", severity="critical"'] }, 'both this name and this severity'],
    [
      { 'alerting.rules': { LicenseServerDown: { icon_pattern: 'Server*' } } },
      'alerting.rules.LicenseServerDown: "Server*" is a regular expression',
    ],
    [{ 'rightsizing.without_reservations': [{ vendor_license: 'lic01*' }] }, 'the wildcard here is %'],
    [{ 'datasource.pseudonym_key_file': 'key' }, 'is not read without datasource.pseudonymise: true'],
    [
      { 'embedded_analyzer.retention.history': '20d' },
      'embedded_analyzer.retention.history: retention.history is below retention.samples',
    ],
    [{ 'embedded_analyzer.source_defaults': { interval: '2m' } }, 'has no effect without sources'],
    [{ 'embedded_analyzer.source_files': ['/nowhere/*.yml'] }, 'source_files[0]: matches no file'],
  ])('%j is named', (settings, expected) => {
    const { said, unknown } = lookWith(settings, siteOf());
    expect(said.join('\n')).toContain(expected);
    expect([said.length, unknown]).toEqual([1, []]);
  });

  it('a feature that was recorded has its reservations', () => {
    const gone = { vendorLicense: 'lic01;cdslmd', feature: 'gone' };
    const settings = { 'rightsizing.without_reservations': [{ vendor_license: 'lic01;%', feature: 'gone' }] };
    expect(lookWith(settings, siteOf(two, { recorded: () => [gone] }))).toEqual(nothing);
    expect(lookWith(settings, siteOf(two, { recorded: () => undefined })).unknown).toHaveLength(1);
    expect(lookWith(settings, siteOf()).said).toHaveLength(1);
  });
});

describe('what is not known has no verdict', () => {
  const settings: Settings = { ...owners('lic01;*', 'gone'), 'alerting.ignore': ['vendor_license="lic09;x"'] };
  const [record] = [feature({ feature: 'mesh', serverName: 'lic02', daemon: 'flowd' })];

  it('without a site', () => {
    expect(lookWith(settings, undefined)).toEqual({ said: [], unknown: ['alerting.ignore[0]', 'owners[0]'] });
  });

  it.each<[string, Scenario, Partial<Seen>]>([
    ['no answer yet', {}, {}],
    ['GetProducts failed', { ...two, products: failed() }, {}],
    ['records that cannot be used', { ...two, products: good(answer([product()], { bad_record: 1 })) }, {}],
    ['another shard', two, { shards: 2 }],
    ['a source that is not read yet', two, { sources: [{ name: 'a', up: undefined, vendorLicenses: [] }] }],
    ['a source with more', two, { sources: [{ name: 'a', up: true, vendorLicenses: ['lic03;x'] }] }],
  ])('%s', (_, scenario, more) => {
    expect(lookWith(settings, siteOf(scenario, more))).toEqual({
      said: [],
      unknown: ['alerting.ignore[0]', 'owners[0]'],
    });
  });

  it.each<[string, Scenario]>([
    ['GetFeatures failed', { ...two, features: { [WHOLE]: failed() } }],
    ['its features failed', { ...two, features: { 'lic01;cdslmd': failed(), 'lic02;flowd': good(answer([record])) } }],
    ['its server is down', { ...two, down: good(answer([{ label: 'lic01;cdslmd' }])) }],
    ['it lists nothing', { ...two, features: { [WHOLE]: good(answer([record])) } }],
  ])('of a feature: %s', (_, scenario) => {
    const { said, unknown } = lookWith(settings, siteOf(scenario));
    expect(unknown).toEqual(['owners[0]']);
    expect(said).toEqual([
      expect.stringContaining('alerting.ignore[0]: vendor_license="lic09;x" matches no vendor license'),
    ]);
  });
});

describe('an entry that comes too late', () => {
  const known = { owners: [], users: undefined, site: undefined };
  const rowsWith = (parts: readonly NamedPart[]) => runAtOnce(lookAt(parts, known)).problems.map(({ where }) => where);
  const price = (where: number, fields: Parameters<typeof priceEntry>[0]) => ({
    entry: priceEntry(fields),
    key: '',
    where: String(where),
  });
  const owner = (where: number, vendorLicense: string, name: string, labels: Record<string, string>) => ({
    entry: { vendorLicense, feature: name, labels },
    key: '',
    where: String(where),
  });

  it('is never read', () => {
    const prices = [
      price(1, { vendorLicense: 'lic01;%', feature: 'so%' }),
      price(2, { vendorLicense: 'LIC01;cdslmd', feature: 'solver' }),
      price(3, { vendorLicense: 'lic01;cdslmd', feature: 'base' }),
      price(4, { vendorLicense: 'lic01;%', feature: 'so%', package: 'suite' }),
      price(5, {}),
      price(6, { feature: 'mesh' }),
    ];
    expect(rowsWith(priceParts(prices))).toEqual(['2', '4', '6']);
  });

  it('of owners only if its labels are all given', () => {
    const entries = [
      owner(1, 'lic01;*', 'solver', { owner: 'cad' }),
      owner(2, 'lic01;x', 'solver', { owner: 'cfd' }),
      owner(3, 'lic01;x', 'solver', { owner: 'cfd', team: 'a' }),
      owner(4, 'lic01;*', '*', { owner: 'cad' }),
      owner(5, 'lic01;y', '*', { team: '', owner: 'cfd' }),
      owner(6, '*', 'solver', { owner: 'all' }),
    ];
    expect(rowsWith(ownerParts(entries))).toEqual(['2', '5']);
  });
});

it('names five of a setting and of a file in the log, and counts the rest', () => {
  const problems = Array.from({ length: 8 }, (_, i) => [
    { key: '', where: `p.csv:${i}`, message: 'a' },
    { key: `owners[${i}]`, where: `c.yml:${i}`, message: 'b' },
  ]).flat();
  const said = shortened([...problems, { key: 'access.names[0]', where: 'c.yml:9', message: 'c' }]);
  expect(said).toHaveLength(13);
  expect(said[5]).toBe('p.csv: 3 more entries have no effect; license-exporter doctor names all');
  expect(said[11]).toBe('owners: 3 more entries have no effect; license-exporter doctor names all');
  expect(said[12]).toBe('c.yml:9: access.names[0]: c');
});
