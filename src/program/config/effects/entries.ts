import type { OwnerEntry } from '../../../base/model/owners.ts';
import type { PriceEntry } from '../../../base/model/prices.ts';
import { canonical } from '../../../base/model/vendor-license.ts';
import { createPattern } from '../../../base/model/wildcard.ts';
import { nearest } from '../../../base/settings/names.ts';
import type { FeatureLabels } from '../../../exporter/inventory/feature-row.ts';
import type { Config } from '../config.ts';
import type { Placed } from '../entry-file.ts';
import { type NamedPart, withHint } from './effect.ts';
import { CORRECT, listedEffect } from './expressions.ts';
import type { SiteNames } from './site-names.ts';

/** Entries with the names of vendor licenses and features: of owners, prices, reservations, and features whose history is polled. */

/** What an entry is about. */
interface Entry {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package?: string;
  readonly featureType?: string;
}

/** What stands for any text in the names of an entry; `none` where they are no patterns. */
type Wildcard = '*' | '%' | 'none';

/** Signs of patterns of another kind. `%` and `*` are hardly in a name. */
const foreign: Readonly<Record<Wildcard, RegExp>> = { '*': /\.\*|%/, '%': /\*/, none: /[*%]/ };

const kinds: Readonly<Record<Wildcard, string>> = {
  '*': 'the wildcard here is *',
  '%': 'the wildcard here is %',
  none: 'here are names, and no patterns',
};

function shown(
  { vendorLicense, feature, package: packageName = '', featureType = '' }: Entry,
  wildcard: Wildcard,
): string {
  const isAny = (text: string): boolean => text === '' || text === wildcard;
  const texts = [vendorLicense, ...(feature === wildcard ? [] : [feature])].map((text) => JSON.stringify(text));
  const ofPackage = isAny(packageName) ? [] : [`package ${JSON.stringify(packageName)}`];
  const ofType = isAny(featureType) ? [] : [`feature type ${JSON.stringify(featureType)}`];
  return [...texts, ...ofPackage, ...ofType].join(', ');
}

/** Names that are compared with a misspelt one: more take too long. */
const MOST_NAMES = 2000;

/** What to write instead, if that can be guessed. */
function remedyFor<E>(
  { vendorLicense, feature }: Entry,
  { wildcard, correct = CORRECT }: Kind<E>,
  site: SiteNames,
  hasOwner: boolean,
): string {
  const meant = (name: string, known: readonly string[]): string | undefined =>
    known.length > MOST_NAMES ? undefined : nearest(name, known);
  const names = site.vendorLicenses.map(({ name }) => name);
  if (!hasOwner) {
    const isServer = names.some((name) => canonical(name).startsWith(`${canonical(vendorLicense)};`));
    if (isServer && wildcard !== 'none') return `write ${vendorLicense};${wildcard} for all daemons of the server`;
    const near = meant(vendorLicense, names);
    return near === undefined ? correct : `did you mean ${near}?`;
  }
  const owner = site.vendorLicenses.find(({ name }) => canonical(name) === canonical(vendorLicense));
  const near = meant(feature, [...new Set(owner?.features.map((labels) => labels.feature))]);
  return near === undefined || near === feature ? correct : `did you mean ${near}?`;
}

/** What is common to all kinds of entries. */
interface Kind<E> {
  readonly wildcard: Wildcard;
  /** Whether an entry that matches as much decides in place of a later one. Without it, each counts. */
  readonly decidesFor?: (earlier: E, later: E) => boolean;
  /** Whether features that were recorded count, although they are not listed any more. */
  readonly countsRecorded?: true;
  /** What the entry does not do then, as the end of a sentence; empty if it has an effect all the same. */
  readonly purpose: string;
  /** What to do about one that is not misspelt. */
  readonly correct?: string;
}

function partOf<E extends Entry>(
  { entry, key, where }: Placed<E>,
  kind: Kind<E>,
  earlier: string | undefined,
): NamedPart {
  const { wildcard, purpose, countsRecorded = false } = kind;
  const { vendorLicense, feature, package: packageName = '', featureType = '' } = entry;
  const matcherOf = (text: string, ignoreCase: boolean) =>
    createPattern(text, { ignoreCase, ...(wildcard !== 'none' && { wildcard }) });
  // without a wildcard, a name with % would be one
  const exact = (text: string, ignoreCase: boolean) => (value: string) =>
    ignoreCase ? value.toLowerCase() === text.toLowerCase() : value === text;
  const compare = wildcard === 'none' ? exact : matcherOf;
  const ofOwner = compare(canonical(vendorLicense), true);
  const ofFeature = compare(feature, false);
  const ofPackage = packageName === '' ? () => true : compare(packageName, false);
  const isAny = feature === wildcard && (packageName === '' || packageName === wildcard) && featureType === '';
  const isLike = (labels: FeatureLabels): boolean =>
    ofFeature(labels.feature) &&
    ofPackage(labels.package) &&
    (featureType === '' || featureType === labels.featureType);
  const name = shown(entry, wildcard);
  const isForeign = [vendorLicense, feature].some((text) => text !== wildcard && foreign[wildcard].test(text));
  return {
    key,
    where,
    effectIn: (known) => {
      if (earlier !== undefined)
        return {
          none: `${name} is never read: ${earlier} comes first and matches all of it; move it before that, or remove it`,
        };
      const effect = listedEffect(
        known,
        { vendorLicense: ofOwner, ...(!isAny && { feature: { isNamed: ofFeature, isLike } }) },
        (site) => {
          const hasOwner = site.vendorLicenses.some((one) => ofOwner(one.name));
          const what = hasOwner ? 'feature' : 'vendor license';
          const inVain = purpose === '' ? '' : `, and ${purpose}`;
          return `${name} matches no ${what} that the analyzer lists${inVain}; ${remedyFor(entry, kind, site, hasOwner)}`;
        },
        (site) => (countsRecorded ? site.recorded() : []),
      );
      const hint = `${name} holds a sign of other patterns, and ${kinds[wildcard]}; correct it if it is meant as one`;
      return withHint(effect, isForeign ? hint : undefined, known);
    },
  };
}

/** Patterns that are compared with later entries: with more, loading would take long. */
const MOST_PATTERNS = 200;

interface Earlier<E> {
  readonly placed: Placed<E>;
  readonly matches: (entry: Entry) => boolean;
}

/** Finds, for each entry in turn, an earlier one that matches at least as much and decides in its place. */
class EarlierEntries<E extends Entry> {
  /** Entries without a wildcard in their names, by these. */
  readonly #byNames = new Map<string, Earlier<E>[]>();
  readonly #patterns: Earlier<E>[] = [];
  readonly #wildcard: '*' | '%';
  readonly #decidesFor: (earlier: E, later: E) => boolean;

  constructor(wildcard: '*' | '%', decidesFor: (earlier: E, later: E) => boolean) {
    this.#wildcard = wildcard;
    this.#decidesFor = decidesFor;
  }

  next(placed: Placed<E>): Placed<E> | undefined {
    const { entry } = placed;
    const key = `${canonical(entry.vendorLicense)}\n${entry.feature}`;
    const same = this.#byNames.get(key) ?? [];
    const isEarlier = ({ placed: earlier, matches }: Earlier<E>): boolean =>
      matches(entry) && this.#decidesFor(earlier.entry, entry);
    const found = same.find(isEarlier) ?? this.#patterns.find(isEarlier);
    const own: Earlier<E> = { placed, matches: this.#matcherOf(entry) };
    if (!key.includes(this.#wildcard)) this.#byNames.set(key, [...same, own]);
    else if (this.#patterns.length < MOST_PATTERNS) this.#patterns.push(own);
    return found?.placed;
  }

  /** A pattern that matches the text of another one matches all that the other one does. */
  #matcherOf({ vendorLicense, feature, package: packageName }: Entry): Earlier<E>['matches'] {
    const wildcard = this.#wildcard;
    const ofOwner = createPattern(canonical(vendorLicense), { ignoreCase: true, wildcard });
    const ofFeature = createPattern(feature, { ignoreCase: false, wildcard });
    const ofPackage = createPattern(packageName ?? wildcard, { ignoreCase: false, wildcard });
    return (entry) =>
      ofOwner(canonical(entry.vendorLicense)) && ofFeature(entry.feature) && ofPackage(entry.package ?? wildcard);
  }
}

function partsOf<E extends Entry>(placed: readonly Placed<E>[], kind: Kind<E>): readonly NamedPart[] {
  const { wildcard, decidesFor } = kind;
  const before = wildcard === 'none' || decidesFor === undefined ? undefined : new EarlierEntries(wildcard, decidesFor);
  return placed.map((one) => {
    const earlier = before?.next(one);
    return partOf(one, kind, earlier && (earlier.key === '' ? earlier.where : `${earlier.key} (${earlier.where})`));
  });
}

/** Labels that an entry gives. */
const givenBy = ({ labels }: OwnerEntry): readonly string[] =>
  Object.keys(labels).filter((name) => labels[name] !== '');

/** The entries of owners, the first ones first. */
export const ownerParts = (placed: readonly Placed<OwnerEntry>[]): readonly NamedPart[] =>
  partsOf(placed, {
    wildcard: '*',
    purpose: 'gives nothing an owner',
    decidesFor: (earlier, later) => {
      // `*` is about the vendor license too
      if (later.feature === '*' && earlier.feature !== '*') return false;
      const given = givenBy(earlier);
      return givenBy(later).every((label) => given.includes(label));
    },
  });

/** The rows of a price file. */
export const priceParts = (placed: readonly Placed<PriceEntry>[]): readonly NamedPart[] =>
  partsOf(placed, {
    wildcard: '%',
    purpose: 'nothing has its price',
    decidesFor: () => true,
  });

/** The entries of `rightsizing.without_reservations`. */
export const reservationParts = (
  placed: readonly Placed<Config['rightsizing']['withoutReservations'][number]>[],
): readonly NamedPart[] =>
  partsOf(placed, { wildcard: '%', countsRecorded: true, purpose: 'says nothing about reservations' });

/** The entries of `history.features`. The history of a feature that is not listed is polled too. */
export const historyParts = (placed: readonly Placed<Config['history']['features'][number]>[]): readonly NamedPart[] =>
  partsOf(placed, {
    wildcard: 'none',
    purpose: '',
    correct: 'correct it, unless it is gone and its history is wanted',
  });
