import type { Forecasts } from '../../../../src/alerting/alerts/rule.ts';
import type { SourceHealth } from '../../../../src/base/model/observation/source.ts';
import type { Endpoint, History } from './history.ts';
import { historyPartOf } from './replica-poll.ts';
import { ALL, type AllTold, type Received, type Told } from './told.ts';
import type { WorldFeature, WorldVendorLicense } from './world.ts';

/** What is true for a process at one tick, by what it was told. Nothing here reads the engine or the inventory. */

/** A list with unusable records may lack something that exists, for this long, seconds. */
const MAY_LACK = 86_400;

/** What a process sees at one tick. */
export interface Sight {
  /** By the clock of its host, epoch seconds. */
  readonly now: number;
  /** `undefined` before the first poll of a process. */
  readonly told: AllTold | undefined;
  readonly authenticated: boolean | undefined;
  readonly sources: readonly SourceHealth[] | undefined;
  readonly forecasts: Forecasts | undefined;
}

/** An endpoint as the process was told of it. */
export interface Poll {
  readonly endpoint: Endpoint;
  readonly parts: readonly Told[];
  readonly isTried: boolean;
  /** Every part was good. */
  readonly isGood: boolean;
  /** Some part was good, and not only an empty list beside parts that failed. */
  readonly isAnswered: boolean;
}

/** What a process knows by its last answers, without what it remembers of earlier ones. */
export class Facts {
  readonly now: number;
  readonly sight: Sight;
  readonly history: History;

  constructor(history: History, sight: Sight) {
    this.history = history;
    this.sight = sight;
    this.now = sight.now;
  }

  /** Nothing has been asked yet. */
  get isBlank(): boolean {
    return this.sight.told === undefined;
  }

  /** The last good answer of a part if it is young enough to be shown. */
  fresh(endpoint: Endpoint, part: string): Received | undefined {
    const by = this.sight.told?.get(endpoint);
    const last = by?.parts.get(part)?.last;
    return by !== undefined && last !== undefined && this.now - last.at <= by.maxAge ? last : undefined;
  }

  /** Whether what an answer lacks does not exist. */
  #isWhole(answer: Received | undefined): boolean {
    return answer !== undefined && (answer.unusableSince === undefined || this.now - answer.unusableSince >= MAY_LACK);
  }

  /** The newest list of vendor licenses, of any age. */
  get #list(): Received | undefined {
    return this.sight.told?.get('GetProducts')?.parts.get(ALL)?.last;
  }

  /** An empty list was told, and is not accepted yet. */
  get isListRefused(): boolean {
    return this.sight.told?.get('GetProducts')?.parts.get(ALL)?.failure === 'refused';
  }

  /** The newest list says that there is nothing. */
  get isListEmpty(): boolean {
    const list = this.#list;
    return list !== undefined && list.site.vendorLicenses.length === 0 && list.kept.size === 0;
  }

  /** What the list lacks does not exist, if it lists something. */
  get isListWhole(): boolean {
    return this.#isWhole(this.fresh('GetProducts', ALL));
  }

  get isListKnown(): boolean {
    return this.isListWhole && !this.isListEmpty;
  }

  /** It may be there although the list lacks it: records are unusable. */
  isKept(vendorLicense: string): boolean {
    const since = this.#list?.kept.get(vendorLicense);
    return since !== undefined && this.now - since < MAY_LACK;
  }

  /** The newest list has it, or may lack it by mistake. */
  isListed(vendorLicense: string): boolean {
    const isIn = this.#list?.site.vendorLicenses.some(({ name }) => name === vendorLicense) === true;
    return isIn || this.isKept(vendorLicense) || this.isDown(vendorLicense);
  }

  /** The newest list has it, or may lack it by mistake, and counts: it is young enough, or GetServerDown still says what is down. */
  isShown(vendorLicense: string): boolean {
    const counts = (['GetProducts', 'GetServerDown'] as const).some((each) => this.fresh(each, ALL) !== undefined);
    return counts && this.isListed(vendorLicense);
  }

  /** As a list that is young enough shows it. */
  vendorLicense(name: string): WorldVendorLicense | undefined {
    return this.fresh('GetProducts', ALL)?.site.vendorLicenses.find((each) => each.name === name);
  }

  /** Whether the list of servers that are down lists all of them. */
  get areDownKnown(): boolean {
    return this.fresh('GetServerDown', ALL)?.unusable === 0;
  }

  isDown(vendorLicense: string): boolean {
    const answer = this.fresh('GetServerDown', ALL);
    return answer?.site.vendorLicenses.some(({ name, isDown }) => name === vendorLicense && isDown) === true;
  }

  /** The analyzer goes on with its last figures of it: they are not those of now. */
  isWithheld(vendorLicense: string): boolean {
    return this.isDown(vendorLicense) || this.vendorLicense(vendorLicense)?.isCurrent === false;
  }

  /** The answer that has the features of a vendor license. */
  #answerOf(endpoint: 'GetFeatures' | 'GetExpirationFeatures', vendorLicense: string): Received | undefined {
    const isAsked = this.sight.told?.get(endpoint)?.parts.has(vendorLicense) === true;
    return this.fresh(endpoint, isAsked ? vendorLicense : ALL);
  }

  #feature(endpoint: 'GetFeatures' | 'GetExpirationFeatures', index: number): WorldFeature | undefined {
    const answer = this.#answerOf(endpoint, this.ownerOf(index));
    return answer?.site.features.find((each) => each.index === index);
  }

  ownerOf(index: number): string {
    return this.history.vendorLicenses[this.history.features[index]?.vendorLicense ?? -1] ?? '';
  }

  /** As GetFeatures shows it. */
  served(index: number): WorldFeature | undefined {
    return this.#feature('GetFeatures', index);
  }

  /** As GetFeatures or GetExpirationFeatures shows it. */
  listed(index: number): WorldFeature | undefined {
    return this.served(index) ?? this.#feature('GetExpirationFeatures', index);
  }

  isFeatureListed(index: number): boolean {
    return this.listed(index) !== undefined;
  }

  /** Epoch seconds. */
  expiration(index: number): number | undefined {
    return this.#feature('GetExpirationFeatures', index)?.expiration ?? this.served(index)?.expiration;
  }

  /** What GetFeatures lacks of a vendor license does not exist. */
  areServedKnown(vendorLicense: string): boolean {
    return this.#isWhole(this.#answerOf('GetFeatures', vendorLicense));
  }

  /** Every endpoint that has expiries is known to lack nothing. */
  areExpiriesKnown(vendorLicense: string): boolean {
    const isOff = this.sight.told?.has('GetExpirationFeatures') === false && this.history.polling.expirations === 0;
    const hasExpiries = isOff || this.#isWhole(this.#answerOf('GetExpirationFeatures', vendorLicense));
    return hasExpiries && this.areServedKnown(vendorLicense);
  }

  /** Denials of the newest day; `undefined` if they are not known. */
  denials(index: number): number | undefined {
    const answer = this.fresh('GetHistory', historyPartOf(this.history, index));
    return answer?.site.features.find((each) => each.index === index)?.denials;
  }

  get polls(): readonly Poll[] {
    return [...(this.sight.told ?? [])].map(([endpoint, { parts: told }]) => {
      const parts = [...told.values()];
      const isGood = parts.length > 0 && parts.every((part) => part.isGood);
      const hasSome = [...told].some(([part, { isGood: ok, last }]) => ok && this.#records(endpoint, part, last) > 0);
      return { endpoint, parts, isTried: parts.length > 0, isGood, isAnswered: isGood || hasSome };
    });
  }

  /** Records of the last good answers of an endpoint. */
  recordsOf(endpoint: Endpoint): number {
    const parts = this.sight.told?.get(endpoint)?.parts ?? [];
    return [...parts].reduce((sum, [part, { last }]) => sum + this.#records(endpoint, part, last), 0);
  }

  /** Records of an answer. A chart counts as one. */
  #records(endpoint: Endpoint, part: string, answer: Received | undefined): number {
    if (answer === undefined) return 0;
    const { vendorLicenses, features } = answer.site;
    const ofPart = features.filter(({ vendorLicense }) => part === ALL || vendorLicense === part);
    const counts: Readonly<Record<Endpoint, number>> = {
      GetProducts: vendorLicenses.length,
      GetServerDown: vendorLicenses.filter(({ isDown }) => isDown).length,
      GetFeatures: ofPart.length,
      GetExpirationFeatures: ofPart.length,
      GetHistory: 1,
    };
    return counts[endpoint];
  }
}
