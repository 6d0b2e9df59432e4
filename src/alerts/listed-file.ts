import type { Log } from '../model/log.ts';
import { runSliced } from '../scheduling/slices.ts';
import type { FileWrites } from '../storage/file-writes.ts';
import { createJsonState } from '../storage/json-state.ts';
import type { Stamp } from '../storage/stamp.ts';
import { createFeature, Listed, type ListedFeature, type ListedVendorLicense } from './listed.ts';

/** Minimum time between two saves, seconds: the file of a large site has some megabytes. */
const SAVE_INTERVAL = 60;
/** Features in one text of the file. Texts are made in slices, and what is left for the end is quick. */
const PER_TEXT = 1000;

/** The file in which what was listed survives a restart. */
export interface ListedFile {
  /** Reads the file into an empty memory. Does nothing if there is no file that can be used. */
  load(listed: Listed): void;
  /**
   * Saves what has changed, at most once a minute. Does not wait for the disk, but the memory must not change meanwhile.
   *
   * @param now epoch seconds
   * @returns `undefined` if nothing is saved
   */
  keep(listed: Listed, now: number): Promise<Saving | undefined>;
  /** Saves what has changed. Resolves when it is written, or cannot be. */
  finish(listed: Listed): Promise<void>;
}

/** A write that has begun. */
interface Saving {
  /** Resolves when it has ended, in any way. */
  readonly written: Promise<void>;
}

/** A feature as the file has it. No time is 0. */
const written = ({ name, isReported, missedAt = 0, samples }: ListedFeature): readonly unknown[] => [
  name,
  isReported ? 1 : 0,
  missedAt,
  ...samples,
];

/** The content of the file but for its head. Yields between slices of work. */
function* contentOf(listed: Listed): Generator<void, object> {
  const vendorLicenses: unknown[] = [];
  const features: string[] = [];
  for (const each of listed.vendorLicenses.values()) {
    const place = vendorLicenses.push([each.name, each.missedAt ?? 0]) - 1;
    let rows: unknown[] = [];
    const finish = (): void => {
      if (rows.length > 0) features.push(JSON.stringify([place, ...rows]));
      rows = [];
    };
    for (const feature of each.features.values()) {
      rows.push(written(feature));
      if (rows.length < PER_TEXT) continue;
      finish();
      yield;
    }
    finish();
  }
  return { since: listed.since, vendorLicenses, features };
}

const isNumbers = (values: readonly unknown[]): values is readonly number[] =>
  values.every((value) => typeof value === 'number' && Number.isFinite(value));

/** @throws Error if it is not what was written */
function readFeature(owner: ListedVendorLicense, row: unknown): ListedFeature {
  const [name, isReported, missedAt, ...samples] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  if (typeof name !== 'string' || !isNumbers([isReported, missedAt, ...samples]) || samples.length % 2 === 1) {
    throw new Error('it has features of another form');
  }
  const feature = createFeature(owner, name);
  feature.isReported = isReported === 1;
  feature.missedAt = missedAt === 0 ? undefined : (missedAt as number);
  feature.samples.push(...(samples as number[]));
  return feature;
}

/** @throws Error if it is not a list */
function parse(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // the message of the parser shows some of the content
  }
  throw new Error('it has a list that is not complete');
}

/** @throws Error if it is not what was written */
function readListed({ since, vendorLicenses, features }: Readonly<Record<string, unknown>>, by: number): Listed {
  if (typeof since !== 'number' || !Array.isArray(vendorLicenses) || !Array.isArray(features)) {
    throw new Error('it has no lists');
  }
  const owners = vendorLicenses.map((row): ListedVendorLicense => {
    const [name, missedAt] = Array.isArray(row) ? (row as readonly unknown[]) : [];
    if (typeof name !== 'string' || typeof missedAt !== 'number')
      throw new Error('it has vendor licenses of another form');
    return { name, missedAt: missedAt === 0 ? undefined : missedAt, features: new Map() };
  });
  for (const text of features) {
    const [place, ...rows] = parse(String(text));
    const owner = owners[Number(place)];
    if (owner === undefined) throw new Error('it has features of no vendor license');
    for (const row of rows) {
      const feature = readFeature(owner, row);
      owner.features.set(feature.name, feature);
    }
  }
  const listed = new Listed();
  listed.restore(since, owners);
  if (by !== 0) listed.move(by);
  return listed;
}

/** How problems of the file are reported, and what its times are of. */
interface Surroundings {
  readonly stamp: () => Stamp;
  readonly writes: FileWrites;
  readonly log: Log;
}

/** @param names all names of the analyzer, the present one first. What another one listed is not used, and the log says so */
export function createListedFile(
  path: string,
  names: readonly [string, ...string[]],
  surroundings: Surroundings,
): ListedFile {
  const [analyzer] = names;
  let newest: object = {};
  let [savedChanges, savedAt] = [-1, Number.NEGATIVE_INFINITY];
  const state = createJsonState<Listed | undefined>({
    ...surroundings,
    path,
    consequence: 'after a restart, what has vanished meanwhile and lost licenses are not noticed',
    content: () => ({ analyzer, ...newest }),
    read: (content, by) => {
      if (names.some((name) => name === content.analyzer)) return readListed(content, by);
      const of = String(content.analyzer);
      surroundings.log.warn({ file: path, of, analyzer }, 'what was listed is of another analyzer and is not used');
      return undefined;
    },
  });
  const save = async (listed: Listed): Promise<Saving> => {
    savedChanges = listed.changes;
    newest = await runSliced(contentOf(listed));
    return { written: state.save() };
  };
  /** Whether the file lacks something, also because of its disk. */
  const isDue = ({ since, changes }: Listed): boolean =>
    since !== undefined && (changes !== savedChanges || surroundings.writes.problem() !== undefined);
  return {
    load: (listed) => {
      const found = state.load();
      if (found?.since === undefined) return;
      listed.restore(found.since, found.vendorLicenses.values());
      savedChanges = listed.changes;
    },
    keep: async (listed, now) => {
      if (!isDue(listed) || now - savedAt < SAVE_INTERVAL) return undefined;
      savedAt = now;
      return save(listed);
    },
    finish: async (listed) => {
      if (isDue(listed)) await (await save(listed)).written;
    },
  };
}
