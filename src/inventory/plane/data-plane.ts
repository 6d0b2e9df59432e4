import { uptime as osUptime } from 'node:os';
import { QueryError } from '../../model/failure.ts';
import { createOwners, noOwners, type OwnerEntry, type OwnerMapping } from '../../model/owners.ts';
import type { RecordOwner, StoredAnswer } from '../../model/records.ts';
import type { PolledAnswers, PolledEndpoint } from '../../model/snapshot.ts';
import { recordFields } from '../../query-api/records.ts';
import { expirationRecords, featureRecords, PRESENT_FIELDS } from '../columns/record-fields.ts';
import { RecordStore } from '../columns/record-store.ts';
import { TextTable } from '../columns/text-table.ts';
import { structureLimitsOf } from '../decoding/body-limits.ts';
import type { IncomingAnswer } from '../decoding/decoder.ts';
import { FieldsByOwner } from '../decoding/fields-by-owner.ts';
import { keepLacking } from '../decoding/kept-records.ts';
import { createLocalDecoder } from '../decoding/local-decoder.ts';
import { isStored, RecordStream, type StoredEndpoint } from '../decoding/record-stream.ts';
import { releaseRecords, type StoredRecords, usableSlots } from '../decoding/stored-records.ts';
import type { FeatureColumns, SharedFeatures } from '../feature-columns.ts';
import { FeatureDerivation, type FeatureStores } from '../feature-derivation.ts';
import type { Derived, FeaturesRequest } from '../features-request.ts';
import type { CreatePageRenderer, PageRenderer, PageRendering, PageUpdate } from './page-renderer.ts';

/** What is known about an answer before its first byte. */
export interface Opening {
  readonly endpoint: PolledEndpoint;
  /** Path and parameters. */
  readonly question: string;
  readonly permanentAfter: number;
}

/** The records of an answer, and the question that it answers. */
interface Held {
  readonly endpoint: StoredEndpoint;
  readonly question: string;
  readonly records: StoredRecords;
  /** Number of streams that compare with it. */
  readers: number;
  isDropped: boolean;
}

/**
 * Holds the records of features and their expiries from the bytes of an answer to the finished page. It runs in one
 * thread, and knows no threads.
 */
export class DataPlane<Rendering extends PageRendering, Update extends PageUpdate> {
  readonly #stores: FeatureStores;
  readonly #derivation: FeatureDerivation;
  readonly #uptime: () => number;
  readonly #held = new Map<number, Held>();
  /** The newest answer to each question. */
  readonly #newest = new Map<string, Held>();
  #handles: number;
  #columns: FeatureColumns | undefined;
  readonly #createRenderer: CreatePageRenderer<Rendering, Update>;
  #renderer: PageRenderer<Rendering, Update> | undefined;
  /** The generation that was rendered last. */
  #rendered: number | undefined;
  #version: number;
  #owners: OwnerMapping = noOwners;

  /**
   * @param firstHandle handles of answers, and versions of the page, are larger than this
   * @param uptime seconds of a clock that is never set
   */
  constructor(createRenderer: CreatePageRenderer<Rendering, Update>, firstHandle = 0, uptime: () => number = osUptime) {
    this.#createRenderer = createRenderer;
    this.#uptime = uptime;
    this.#handles = firstHandle;
    this.#version = firstHandle;
    const texts = new TextTable();
    const features: RecordStore = new RecordStore(featureRecords.layout, (slot) =>
      featureRecords.releaseTexts(slot, features, texts),
    );
    const expirations: RecordStore = new RecordStore(expirationRecords.layout, (slot) =>
      expirationRecords.releaseTexts(slot, expirations, texts),
    );
    this.#stores = { features, expirations, texts };
    this.#derivation = new FeatureDerivation(this.#stores);
  }

  /** Begins to decode an answer. */
  open(opening: Opening): IncomingAnswer<PolledAnswers[PolledEndpoint]> {
    const { endpoint, question, permanentAfter } = opening;
    if (isStored(endpoint)) return this.#openStored(endpoint, opening);
    return createLocalDecoder({ permanentAfter }).open(endpoint, question);
  }

  /** Keeps only these answers of an endpoint. The others cannot be derived from any more. */
  keep(endpoint: StoredEndpoint, handles: readonly number[]): void {
    const kept = new Set(handles);
    for (const [handle, held] of this.#held) {
      if (held.endpoint !== endpoint || kept.has(handle)) continue;
      this.#held.delete(handle);
      if (this.#newest.get(held.question) === held) this.#newest.delete(held.question);
      held.isDropped = true;
      this.#releaseUnused(held);
    }
    // if the newest answer was rejected, the next one is compared with the one before it
    for (const held of this.#held.values()) if (!this.#newest.has(held.question)) this.#newest.set(held.question, held);
  }

  /** @param oldestInUse the oldest generation that a reader still uses */
  derive(request: FeaturesRequest, oldestInUse: number): Derived<SharedFeatures> {
    const slotsOf = (handle: number): Uint32Array => {
      const held = this.#held.get(handle);
      if (held === undefined) throw new Error(`the records of answer ${handle} are not held`);
      return held.records.slots;
    };
    // the renderer compares with the generation that it rendered last
    const oldest = Math.min(oldestInUse, this.#rendered ?? oldestInUse);
    const derived = this.#derivation.derive(request, slotsOf, oldest);
    this.#columns = derived.columns;
    const { features, expirations, texts } = this.#stores;
    return {
      ...derived,
      columns: {
        ...derived.columns,
        features: features.shared,
        expirations: expirations.shared,
        texts: texts.share(),
      },
    };
  }

  /** The next rendering shows the owners by these entries. */
  useOwners(entries: readonly OwnerEntry[]): void {
    this.#owners = createOwners(entries);
  }

  /** Renders the newest generation. Chunks that the page has are not rendered again. */
  render(rendering: Rendering): Update {
    if (this.#columns === undefined) throw new Error('there are no features to render');
    const renderer =
      this.#renderer === undefined || rendering.base !== this.#version
        ? this.#createRenderer(rendering)
        : this.#renderer;
    // a renderer that fails is not used again
    this.#renderer = undefined;
    this.#rendered = undefined;
    const update = renderer.render(this.#columns, this.#version + 1, rendering, this.#owners);
    this.#renderer = renderer;
    this.#rendered = this.#columns.generation;
    this.#version = update.version;
    return update;
  }

  /** For measurements. */
  counts(): { readonly features: number; readonly expirations: number; readonly texts: number } {
    const { features, expirations, texts } = this.#stores;
    return { features: features.used, expirations: expirations.used, texts: texts.count };
  }

  #openStored(endpoint: StoredEndpoint, { question, permanentAfter }: Opening): IncomingAnswer<StoredAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<StoredAnswer>();
    const previous = this.#newest.get(question);
    if (previous !== undefined) previous.readers += 1;
    const { features, expirations, texts } = this.#stores;
    const place =
      endpoint === 'GetFeatures'
        ? { fields: featureRecords, store: features, texts }
        : { fields: expirationRecords, store: expirations, texts };
    const stream = new RecordStream({
      endpoint,
      store: place.store,
      texts,
      permanentAfter,
      limits: structureLimitsOf(endpoint),
      previous: previous?.records,
    });
    let isOpen = true;
    const close = (): void => {
      isOpen = false;
      if (previous === undefined) return;
      previous.readers -= 1;
      this.#releaseUnused(previous);
    };
    const attempt = (work: () => void): void => {
      if (!isOpen) return;
      try {
        work();
      } catch (error) {
        stream.abort();
        close();
        reject(error);
      }
    };
    return {
      write: (chunk) => {
        attempt(() => stream.write(chunk));
        return undefined;
      },
      end: () =>
        attempt(() => {
          const records = keepLacking(stream.end(), previous?.records, place, this.#uptime());
          close();
          resolve(this.#hold({ endpoint, question, records, readers: 0, isDropped: false }));
        }),
      abort: () =>
        attempt(() => {
          throw new QueryError('aborted', 'the request was canceled');
        }),
      result: promise,
    };
  }

  #hold(held: Held): StoredAnswer {
    this.#handles += 1;
    this.#held.set(this.#handles, held);
    this.#newest.set(held.question, held);
    const { discarded, unknownFields, incomplete } = held.records;
    const count = usableSlots(held.records).length;
    return { handle: this.#handles, count, ...this.#ownersOf(held), discarded, unknownFields, incomplete };
  }

  #ownersOf({ endpoint, records }: Held): Pick<StoredAnswer, 'owners' | 'fields'> {
    const fields = new FieldsByOwner(recordFields[endpoint]);
    if (endpoint !== 'GetFeatures') {
      const { expirations } = this.#stores;
      const present = expirations.numberColumn(PRESENT_FIELDS);
      for (const slot of usableSlots(records)) fields.add('', expirations.number(slot, present));
      return { owners: [], fields: fields.list() };
    }
    const { features, texts } = this.#stores;
    const [server, daemon] = [features.textColumn('serverName'), features.textColumn('daemon')];
    const counts = new Map<string, RecordOwner & { count: number }>();
    const present = features.numberColumn(PRESENT_FIELDS);
    let last: { server: number; daemon: number; owner: RecordOwner & { count: number }; bits: number } | undefined;
    for (const slot of usableSlots(records)) {
      const ids = { server: features.text(slot, server), daemon: features.text(slot, daemon) };
      if (last?.server !== ids.server || last.daemon !== ids.daemon) {
        const key = `${ids.server} ${ids.daemon}`;
        const owner = counts.get(key) ?? {
          serverName: texts.string(ids.server),
          daemon: texts.string(ids.daemon),
          count: 0,
        };
        counts.set(key, owner);
        last = { ...ids, owner, bits: Number.NaN };
      }
      last.owner.count += 1;
      const bits = features.number(slot, present);
      // nearly all records of a vendor license have the same fields
      if (last.bits === bits) continue;
      last.bits = bits;
      fields.add(`${last.owner.serverName};${last.owner.daemon}`, bits);
    }
    return { owners: [...counts.values()], fields: fields.list() };
  }

  #releaseUnused(held: Held): void {
    if (!held.isDropped || held.readers > 0) return;
    const { features, expirations } = this.#stores;
    releaseRecords(held.records, held.endpoint === 'GetFeatures' ? features : expirations);
  }
}
