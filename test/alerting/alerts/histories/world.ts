import type { Forecasts } from '../../../../src/alerting/alerts/rule.ts';
import { activeEpisodes, type Feature, type History, timeOf, UNCOUNTED, type Unknownable } from './history.ts';

/** A feature at one tick. `undefined` is a value that the analyzer does not know. */
export interface WorldFeature extends Omit<Feature, Unknownable | 'vendorLicense'> {
  readonly vendorLicense: string;
  readonly licenseType: string;
  /** Index in the history. */
  readonly index: number;
  /** Epoch seconds, `Infinity` for a permanent license. */
  readonly expiration: number | undefined;
  readonly maxAvailable: number | undefined;
  readonly inUse: number | undefined;
  readonly queued: number | undefined;
  /** Of the newest day of the analyzer's history. */
  readonly denials: number | undefined;
}

export interface WorldVendorLicense {
  readonly name: string;
  readonly isDown: boolean;
  readonly isCurrent: boolean;
  /** Epoch seconds. */
  readonly collectionTime: number | undefined;
}

/** The site as the analyzer knows it at one tick. */
export interface World {
  readonly vendorLicenses: readonly WorldVendorLicense[];
  readonly features: readonly WorldFeature[];
  /** Whether the analyzer has lost its vendor licenses, and answers empty lists. */
  readonly isEmpty: boolean;
}

function vendorLicenseAt(history: History, index: number, tick: number): readonly WorldVendorLicense[] {
  const active = <Is extends Parameters<typeof activeEpisodes>[1]>(is: Is) =>
    activeEpisodes(history, is, tick).find((episode) => 'vendorLicense' in episode && episode.vendorLicense === index);
  if (active('vendor license removed') !== undefined) return [];
  const down = active('server down');
  const stopped = activeEpisodes(history, 'collection stopped', tick).find((each) => each.vendorLicense === index);
  const lastCollection =
    stopped !== undefined
      ? timeOf(history, stopped.from) - stopped.age
      : timeOf(history, down === undefined ? tick : down.from) - (down === undefined ? 45 : 1800);
  return [
    {
      name: history.vendorLicenses[index] ?? '',
      isDown: down !== undefined,
      isCurrent: active('not current') === undefined,
      collectionTime: active('collection unknown') === undefined ? lastCollection : undefined,
    },
  ];
}

function featureAt(history: History, index: number, tick: number): readonly WorldFeature[] {
  const base = history.features[index];
  const of = <Episode extends { readonly feature: number }>(episodes: readonly Episode[]): readonly Episode[] =>
    episodes.filter(({ feature }) => feature === index);
  if (base === undefined || of(activeEpisodes(history, 'feature removed', tick)).length > 0) return [];
  const versions = of(activeEpisodes(history, 'new version', tick)).toSorted((a, b) => a.from - b.from);
  const version = versions.at(-1);
  const renewals = [...versions, ...of(activeEpisodes(history, 'renewed', tick))].toSorted((a, b) => a.from - b.from);
  const capacity = of(activeEpisodes(history, 'capacity', tick)).at(-1);
  const unknown = new Set(of(activeEpisodes(history, 'value unknown', tick)).map(({ field }) => field));
  const expiration = renewals.at(-1)?.expiration ?? base.expiration;
  const denials = of(activeEpisodes(history, 'denials', tick)).at(-1);
  const known = <Value>(field: Unknownable, value: Value): Value | undefined =>
    unknown.has(field) ? undefined : value;
  const { maxAvailable } = capacity ?? version ?? base;
  return [
    {
      ...base,
      index,
      licenseType: maxAvailable === UNCOUNTED ? 'uncounted' : 'floating',
      vendorLicense: history.vendorLicenses[base.vendorLicense] ?? '',
      version: version?.version ?? base.version,
      expiration: known('expiration', expiration === 'permanent' ? Number.POSITIVE_INFINITY : expiration),
      maxAvailable: known('maxAvailable', maxAvailable),
      inUse: known('inUse', of(activeEpisodes(history, 'in use', tick)).at(-1)?.inUse ?? base.inUse),
      queued: known('queued', of(activeEpisodes(history, 'queued', tick)).at(-1)?.queued ?? base.queued),
      denials: denials === undefined ? 0 : denials.denials,
    },
  ];
}

/** When the licenses of a feature run out. A pass names features that are gone since then. */
const runsOutAt = (history: History, index: number, tick: number): number | undefined => {
  const found = activeEpisodes(history, 'runs out', tick)
    .filter(({ feature }) => feature === index)
    .at(-1);
  return found === undefined ? history.features[index]?.runsOut : found.runsOut;
};

/** What right-sizing expects at one tick, as of a pass an hour ago. A day is a second here, so that a date can pass within a history. */
export function forecastsAt(history: History, tick: number): Forecasts | undefined {
  if (activeEpisodes(history, 'no pass', tick).length > 0) return undefined;
  const [failing] = activeEpisodes(history, 'passes fail', tick);
  return {
    computedAt: failing === undefined ? timeOf(history, tick) - 3600 : timeOf(history, failing.from) - failing.age,
    rows: history.features.map(({ vendorLicense, feature, package: pkg, featureType }, index) => ({
      vendorLicense: history.vendorLicenses[vendorLicense] ?? '',
      feature,
      package: pkg,
      featureType,
      state: 'fine',
      ...{ bought: undefined, count: undefined, needed: undefined, enough: undefined, recentPeak: undefined },
      confirmedRunsOut: runsOutAt(history, index, tick),
      runsOut: undefined,
      unusedSince: undefined,
      isNeverUsed: false,
      days: 365,
    })),
    startOf: (day) => day,
  };
}

/** The site at one tick. */
export function worldAt(history: History, tick: number): World {
  const vendorLicenses = history.vendorLicenses.flatMap((_, index) => vendorLicenseAt(history, index, tick));
  const names = new Set(vendorLicenses.map(({ name }) => name));
  const features = history.features
    .flatMap((_, index) => featureAt(history, index, tick))
    .filter(({ vendorLicense }) => names.has(vendorLicense));
  const isLost = activeEpisodes(history, 'products empty', tick).length > 0;
  return { vendorLicenses, features, isEmpty: isLost || vendorLicenses.length === 0 };
}
