import { z } from 'zod';
import { runSliced } from '../../base/scheduling/slices.ts';
import { createJsonState, type JsonStateOptions } from '../../base/storage/json-state.ts';
import { setAside } from '../../base/storage/set-aside.ts';
import type { ExpiringVersion } from './capacity-samples.ts';
import type { Listed, ListedVendorLicense } from './listed.ts';

/** Minimum time between two saves, seconds: the file of a large site has some megabytes. */
const SAVE_INTERVAL = 60;
const CONSEQUENCE = 'after a restart, what has vanished meanwhile and lost licenses are not noticed';

const missedAt = z.number().optional();
/** A list, because there can be as many as features. */
const version = z.tuple([z.string(), z.string(), z.string(), z.number(), z.number()]).transform((kept) => {
  const [name, pkg, featureType, licenses, expiration] = kept;
  return { version: name, package: pkg, featureType, licenses, expiration };
});
const feature = z.object({
  name: z.string(),
  isReported: z.boolean(),
  missedAt,
  samples: z.array(z.tuple([z.number(), z.number()])),
  versions: z.array(version).default([]),
  hasExpired: z.literal(true).optional(),
});
const vendorLicense = z.object({ name: z.string(), missedAt, features: z.array(feature) });
/** Each vendor license is a text of its own, because the file is made and read in slices. */
const content = z.object({ since: z.number(), vendorLicenses: z.array(z.string()) });

/** The file in which what was listed survives a restart. */
export interface ListedFile {
  /** Reads the file into an empty memory. Does nothing if there is no file that can be used. Never rejects. */
  load(listed: Listed): Promise<void>;
  /**
   * Saves what has changed, at most once a minute. Does not wait for the disk.
   *
   * @param now epoch seconds
   * @returns whether it is saved
   */
  keep(listed: Listed, now: number): Promise<boolean>;
  /** Saves what has changed. Resolves when it is written, or cannot be. */
  finish(listed: Listed): Promise<void>;
}

const listOf = (of: ExpiringVersion) => [of.version, of.package, of.featureType, of.licenses, of.expiration];

function* write({ since, vendorLicenses }: Listed): Generator<void, object> {
  const texts: string[] = [];
  for (const each of vendorLicenses.values()) {
    const features = [...each.features.values()].map(({ licenses: _, lasts: __, versions, ...kept }) =>
      versions.length === 0 ? kept : { ...kept, versions: versions.map(listOf) },
    );
    texts.push(JSON.stringify({ ...each, features }));
    yield;
  }
  return { since, vendorLicenses: texts };
}

/** @throws Error if it is not what was written */
function* read(found: unknown): Generator<void, readonly [since: number, ListedVendorLicense[]]> {
  const { since, vendorLicenses } = content.parse(found);
  const listed: ListedVendorLicense[] = [];
  for (const text of vendorLicenses) {
    const { features, ...rest } = vendorLicense.parse(JSON.parse(text));
    listed.push({ ...rest, features: new Map(features.map((each) => [each.name, each])) });
    yield;
  }
  return [since, listed];
}

/** @param names all names of the analyzer, the present one first. What another one listed is not used, and the log says so */
export function createListedFile(
  path: string,
  names: readonly [string, ...string[]],
  surroundings: Pick<JsonStateOptions<unknown>, 'stamp' | 'writes' | 'log'>,
): ListedFile {
  const [analyzer] = names;
  const { writes, log } = surroundings;
  let newest: object = {};
  let [isSaved, savedAt, written] = [false, Number.NEGATIVE_INFINITY, Promise.resolve()];
  const state = createJsonState({
    ...surroundings,
    path,
    consequence: CONSEQUENCE,
    content: () => ({ analyzer, ...newest }),
    read: (found, by) => ({ found, by }),
  });
  /** Whether the file lacks something, also because of its disk. */
  const isDue = ({ since, isChanged }: Listed): boolean => since !== undefined && (isChanged || !isSaved);
  const save = async (listed: Listed): Promise<void> => {
    isSaved = true;
    listed.isChanged = false;
    newest = await runSliced(write(listed));
    written = state.save().then(() => {
      isSaved = writes.problem() === undefined;
    });
  };
  return {
    load: async (listed) => {
      const { found, by = 0 } = state.load() ?? {};
      if (found === undefined) return;
      const of = String(found.analyzer);
      if (!names.includes(of)) {
        log.warn({ file: path, of, analyzer }, 'what was listed is of another analyzer and is not used');
        return;
      }
      try {
        listed.restore(...(await runSliced(read(found))));
        if (by !== 0) listed.move(by);
        isSaved = true;
      } catch {
        // the message shows some of the content
        setAside({ path, reason: 'it has lists of another form', lost: CONSEQUENCE }, log);
      }
    },
    keep: async (listed, now) => {
      if (!isDue(listed) || now - savedAt < SAVE_INTERVAL) return false;
      savedAt = now;
      await save(listed);
      return true;
    },
    finish: async (listed) => {
      if (isDue(listed)) await save(listed);
      await written;
    },
  };
}
