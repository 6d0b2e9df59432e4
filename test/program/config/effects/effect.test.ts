import { describe, expect, it } from 'vitest';
import { createIgnore } from '../../../../src/alerting/alerts/engine.ts';
import { WHOLE } from '../../../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../../../src/base/scheduling/slices.ts';
import { matchers } from '../../../../src/base/settings/labels.ts';
import { createSelection } from '../../../../src/exporter/inventory/selection.ts';
import { lookAt, type NamedPart, shortened } from '../../../../src/program/config/effects/effect.ts';
import { ownerParts, priceParts } from '../../../../src/program/config/effects/entries.ts';
import { allParts, knownBy } from '../../../../src/program/config/effects/named-settings.ts';
import {
  completenessOf,
  type FormerName,
  type Seen,
  type SiteNames,
  siteNamesOf,
} from '../../../../src/program/config/effects/site-names.ts';
import { loadConfig } from '../../../../src/program/config/load.ts';
import type { Problem } from '../../../../src/program/config/problems.ts';
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

interface Lists {
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
}

function siteOf(scenario: Scenario = two, more: Partial<Seen> = {}, select?: Lists): SiteNames {
  const snapshot = { ...createSnapshot(scenario), off: ['GetExpirationFeatures'] as const };
  const selection = select ? createSelection({ shard: { index: 0, total: 1 }, ...select }) : everything;
  const inventory = deriveInventoryNow(snapshot, NOW, { ...selection, usageWhenNotCurrent: 'withhold' });
  return runAtOnce(
    siteNamesOf({ snapshot, inventory, sources: [], recorded: () => [], remembered: () => [], shards: 1, ...more }),
  );
}

type Settings = Partial<Record<SettingKey, unknown>>;

/** What is said of settings, and how many are not known. */
function lookWith(settings: Settings, site: SiteNames | undefined) {
  const flags = new Map(Object.entries(settings)) as Map<SettingKey, unknown>;
  const config = loadConfig({ flags, env: {}, requireAnalyzer: false });
  const { problems, hints, unknown } = runAtOnce(lookAt(allParts(config), { ...knownBy(config), site }));
  const textOf = ({ key, message }: Problem): string => `${key}: ${message}`;
  const asked = hints.length === 0 ? {} : { asked: hints.map(textOf) };
  return { said: problems.map(textOf), ...asked, unknown: unknown.map(({ key }) => key) };
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

describe('an alert about what is not listed any more', () => {
  const gone = { vendorLicense: 'lic01;cdslmd', feature: 'gone' };
  const remembered = (): readonly FormerName[] => [{ vendorLicense: 'old01;lmgrd', feature: '' }, gone];
  const override = (alert: string, fields: object) => ({
    'alerting.rules': { [alert]: { overrides: [{ enabled: false, ...fields }] } },
  });

  it.each<Settings>([
    { 'alerting.ignore': ['alertname="LicenseVendorLicenseVanished", vendor_license="old01;lmgrd"'] },
    { 'alerting.ignore': ['vendor_license=~"old.*"'] },
    { 'alerting.ignore': ['alertname=~"License.*Vanished", feature="gone", vendor_license="lic01;cdslmd"'] },
    { 'alerting.ignore': ['alertname="LicenseDenials", feature="gone"'] },
    override('LicenseVendorLicenseVanished', { vendor_license: '^old01' }),
    override('LicenseFeatureVanished', { feature: 'gone' }),
    override('LicenseDenials', { vendor_license: 'lic01', feature: '^gone$' }),
  ])('has what %j is about', (settings) => {
    expect(lookWith(settings, siteOf(two, { remembered }))).toEqual(nothing);
    const { said, unknown } = lookWith(settings, siteOf(two, { remembered: () => undefined }));
    expect([said, unknown.length]).toEqual([[], 1]);
    expect(lookWith(settings, siteOf()).said).toHaveLength(1);
  });

  it('can be about what was recorded, and what history is polled of', () => {
    const settings = { 'alerting.ignore': ['alertname="LicenseDenials", feature="gone"'] };
    expect(lookWith(settings, siteOf(two, { recorded: () => [gone] }))).toEqual(nothing);
    const history = {
      'metrics.collectors.history': true,
      'history.features': [{ vendor_license: 'lic01;cdslmd', feature: 'gone' }],
    };
    const { said } = lookWith({ ...settings, ...history }, siteOf());
    expect(said).toEqual([expect.stringMatching(/^history\.features.*lists; correct it, unless it is gone and/)]);
  });

  it('is looked for again when it becomes known', () => {
    const before = siteOf(two, { remembered: () => undefined });
    expect(completenessOf(siteOf())).toBe(completenessOf(siteOf(two, { remembered })));
    expect(completenessOf(siteOf())).not.toBe(completenessOf(before));
  });

  it.each<Settings>([
    { 'alerting.ignore': ['alertname="LicenseServerDown", vendor_license="old01;lmgrd"'] },
    override('LicenseFeatureSaturated', { feature: 'gone' }),
  ])('but not what %j is about', (settings) => {
    expect(lookWith(settings, siteOf(two, { remembered })).said).toHaveLength(1);
  });
});

it('names all that an entry of a history is about', () => {
  const entry = { vendor_license: 'lic01;cdslmd', feature: 'base', package: 'suite', feature_type: 'component' };
  const settings = { 'metrics.collectors.history': true, 'history.features': [entry] };
  expect(lookWith(settings, siteOf()).said).toEqual([
    expect.stringContaining('"lic01;cdslmd", "base", package "suite", feature type "component" matches no feature'),
  ]);
});

describe('an entry that every alert satisfies', () => {
  it.each([
    ['owner!="cad"', 'no alert has a label owner; '],
    ['owner=""', 'no alert has a label owner; '],
    ['license_source!="x"', 'no alert has license_source="x"; '],
    ['alertname!="LicensDenials", team=""', 'no alert has alertname="LicensDenials", did you mean LicenseDenials?'],
  ])('%s ignores all', (entry, reason) => {
    const { said } = lookWith({ 'alerting.ignore': [entry] }, siteOf());
    expect(said).toEqual([expect.stringContaining(` ignores every alert: ${reason}`)]);
    expect(createIgnore([matchers.parse(entry)])({ alertname: 'LicenseServerDown' })).toBe(true);
  });

  it('does not make the others of its entry be in vain', () => {
    expect(lookWith({ 'alerting.ignore': ['severity="info", owner!="cad"'] }, siteOf())).toEqual(nothing);
  });
});

describe('a text with a sign of other patterns', () => {
  const names: Scenario = {
    ...two,
    features: {
      [WHOLE]: good(
        answer([
          ...['mesh-100%', 'a.*b', 'c*'].map((name) => feature({ feature: name })),
          feature({ feature: 'mesh', serverName: 'lic02', daemon: 'flowd' }),
        ]),
      ),
    },
  };
  const price = { 'rightsizing.without_reservations': [{ vendor_license: '%', feature: 'c*' }] };

  it.each<[Settings, string]>([
    [owners('*', 'mesh-100%'), 'owners[0]: "*", "mesh-100%" holds a sign of other patterns'],
    [price, 'rightsizing.without_reservations[0]: "%", "c*" holds a sign of other patterns'],
    [{ 'select.include': ['lic0*1;'] }, 'select.include[0]: "lic0*1;" is a regular expression'],
    [{ 'select.exclude': ['mesh-*100'] }, 'select.exclude[0]: "mesh-*100" is a regular expression'],
    [{ 'alerting.ignore': ['feature=~"mesh_*"'] }, 'alerting.ignore[0]: feature: "mesh_*" is a regular expression'],
    [{ 'alerting.ignore': ['feature="c*"'] }, 'alerting.ignore[0]: feature="c*" is compared as it is'],
    [
      { 'alerting.rules': { LicenseFeatureSaturated: { overrides: [{ feature: 'mesh_*', enabled: false }] } } },
      'alerting.rules.LicenseFeatureSaturated.overrides[0]: "mesh_*" is a regular expression',
    ],
  ])('%j is asked about, until a site has it', (settings, text) => {
    const { said, asked, unknown } = lookWith(settings, undefined);
    expect([said, asked?.length, unknown.length]).toEqual([[], 1, 1]);
    expect(asked?.[0]).toContain(text);
    expect(lookWith(settings, siteOf(names))).toEqual(nothing);
    const failing: Scenario = { ...names, products: failed(), features: { [WHOLE]: failed() } };
    expect(lookWith(settings, siteOf(failing))).toMatchObject({ said: [], unknown });
  });

  it('is named if a site does not have it', () => {
    const settings = { ...owners('*', 'mash-100%'), 'select.include': ['lic', 'lcense*'] };
    expect(lookWith(settings, siteOf()).said).toEqual([
      expect.stringContaining('"lcense*" is a regular expression'),
      expect.stringContaining('"mash-100%" holds a sign of other patterns'),
    ]);
  });

  it('is only asked about if no site names what it is compared with', () => {
    const settings = { 'alerting.rules': { LicenseServerDown: { icon_pattern: 'Server*' } } };
    expect(lookWith(settings, undefined)).toMatchObject({
      said: [],
      asked: [expect.stringContaining('alerting.rules.LicenseServerDown: "Server*" is a regular expression')],
    });
    expect(lookWith(settings, siteOf())).toEqual({ said: [], unknown: ['alerting.rules.LicenseServerDown'] });
  });
});

describe('what is listed and not selected', () => {
  const select = { include: [], exclude: [/solver/u, /^lic02/u] };

  it.each<Settings>([
    owners('lic02;*'),
    owners('*', 'solver'),
    { 'alerting.ignore': ['alertname="LicenseServerDown", vendor_license="lic02;flowd"'] },
    { 'alerting.ignore': ['alertname="LicenseFeatureSaturated", feature="solver"'] },
    {
      'embedded_analyzer.sources': [
        { name: 'a', manager: 'json', via: { file: 'x' }, features: { include: ['solv'] } },
      ],
    },
  ])('is not known to be what %j is about', (settings) => {
    const sources = [{ name: 'a', up: true, vendorLicenses: ['lic01;cdslmd'] }];
    const { said, unknown } = lookWith(settings, siteOf(two, { sources }, select));
    expect([said, unknown.length]).toEqual([[], 1]);
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
