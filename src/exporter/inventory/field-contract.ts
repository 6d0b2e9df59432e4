import type { Log } from '../../base/model/log.ts';
import type { Answer, ProductRecord } from '../../base/model/records.ts';
import { lastGood, productNames, type Snapshot, WHOLE } from '../../base/model/snapshot.ts';
import { canonical } from '../../base/model/vendor-license.ts';
import type { Fields } from '../../base/query-api/field.ts';
import { type FieldEndpoint, fieldEndpoints, recordFields } from '../../base/query-api/records.ts';
import { createFieldStates, type FieldStates } from './field-states.ts';

/** What is known of the records of one vendor license in the answers of one endpoint. */
interface KeptFields {
  /** Lower case. */
  readonly vendorLicense: string;
  /** Fields that its records should have. */
  readonly expected: readonly string[];
  /** Those that they lack, and since when, epoch seconds. */
  readonly missing: Readonly<Record<string, number>>;
  /** Epoch seconds of the last answer with a record of it. */
  readonly at: number;
}

/** What survives a restart. */
export type KeptContract = Readonly<Partial<Record<FieldEndpoint, readonly KeptFields[]>>>;

/** What is kept, after the clock was set: everything is as old as before. @param by seconds */
export const movedContract = (kept: KeptContract, by: number): KeptContract =>
  Object.fromEntries(
    Object.entries(kept).map(([endpoint, all]) => [
      endpoint,
      all.map(({ vendorLicense, expected, missing, at }) => ({
        vendorLicense,
        expected,
        missing: Object.fromEntries(Object.entries(missing).map(([field, since]) => [field, since + by])),
        at: at + by,
      })),
    ]),
  );

interface FieldContractOptions {
  /** `Endpoint.Field` of fields that the analyzer does not have. */
  readonly absent: readonly string[];
  /** Whether the analyzer is one of this program. It leaves out what its sources do not know. */
  readonly isOwnAnalyzer: () => boolean;
  /** What an earlier process kept. It is read before the first answer is compared. */
  readonly kept: () => KeptContract | undefined;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Called when what survives a restart has changed. */
  readonly onChange: (kept: KeptContract) => void;
}

/** Which fields answers have had so far, so that one that is missing is noticed. */
export interface FieldContract {
  /** Compares the answers that are new in a snapshot. */
  observe(snapshot: Snapshot): void;
  states(): FieldStates;
  kept(): KeptContract;
}

interface Entry {
  readonly expected: Set<string>;
  readonly missing: Map<string, number>;
  at: number;
}

/** A field that nothing rests on is no longer expected after this time without it. A vendor license is forgotten too. */
const DAY = 86_400;
const WEEK = 7 * DAY;
/** Names of vendor licenses in one log entry. */
const NAMES_LOGGED = 20;

const tables: Readonly<Record<FieldEndpoint, Fields>> = recordFields;
const isNeeded = (endpoint: FieldEndpoint, field: string): boolean => tables[endpoint][field]?.isNeeded === true;
const neededOf = (endpoint: FieldEndpoint): readonly string[] =>
  Object.keys(tables[endpoint]).filter((field) => isNeeded(endpoint, field));

/** The fields by vendor license: of the one that a part is about, or else of those that the records name. */
function fieldsByOwner(part: string, answer: Answer<unknown>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const each of answer.fields ?? []) {
    const owner = canonical(part === WHOLE ? each.owner : part);
    found.set(owner, new Set([...(found.get(owner) ?? []), ...each.names]));
  }
  return found;
}

/** The vendor licenses that GetProducts lists, or may lack, and those of them that are known to be outdated: these have no say. */
function currencyOf(snapshot: Snapshot) {
  const { endpoints } = snapshot;
  const products: readonly ProductRecord[] = lastGood(endpoints.GetProducts?.parts.get(WHOLE))?.value.records ?? [];
  const down = lastGood(endpoints.GetServerDown?.parts.get(WHOLE))?.value.records ?? [];
  const outdated = products.filter(({ isCurrent }) => isCurrent === false).map(({ product }) => canonical(product));
  return {
    listed: new Set((productNames(snapshot) ?? []).map(canonical)),
    outdated: new Set([...outdated, ...down.map(({ label }) => canonical(label))]),
  };
}

/**
 * Remembers which fields the answers about each vendor license had. A field that none of its records has any more is
 * missing: the analyzer renamed it, or left it out, and what it said is not known. Names are compared with their case.
 */
export function createFieldContract(options: FieldContractOptions): FieldContract {
  const { now, log } = options;
  const absent = new Set(options.absent);
  let entries: ReadonlyMap<FieldEndpoint, Map<string, Entry>> | undefined;
  /** The answers that were compared. */
  const seen = new WeakSet<Answer<unknown>>();
  let listed: ReadonlySet<string> = new Set();
  let states: FieldStates | undefined;

  const all = (): NonNullable<typeof entries> => {
    entries ??= entriesOf(options.kept());
    return entries;
  };
  const of = (endpoint: FieldEndpoint): Map<string, Entry> => all().get(endpoint) ?? new Map();

  const forgetOptional = (endpoint: FieldEndpoint, name: string, entry: Entry, isOwn: boolean): void => {
    const forgotten = [...entry.missing]
      .filter(([field, since]) => (isOwn || !isNeeded(endpoint, field)) && entry.at - since >= WEEK)
      .map(([field]) => field);
    for (const field of forgotten) {
      entry.expected.delete(field);
      entry.missing.delete(field);
    }
    if (forgotten.length > 0) {
      const found = { endpoint, vendor_license: name, fields: forgotten };
      log.info(found, 'fields have been missing for a week, and are no longer expected');
    }
  };

  let isChanged = false;
  let savedAt = Number.NEGATIVE_INFINITY;
  /** Writes what has changed, and at least once a day when each vendor license was last seen. */
  const save = (): void => {
    if (!isChanged && now() - savedAt < DAY) return;
    isChanged = false;
    savedAt = now();
    options.onChange(kept());
  };

  /** @returns the fields that are missing from now on */
  const compare = (endpoint: FieldEndpoint, name: string, names: ReadonlySet<string>, isOwn: boolean): string[] => {
    const at = now();
    const first = { expected: new Set(isOwn ? [] : neededOf(endpoint)), missing: new Map<string, number>(), at };
    const entry: Entry = of(endpoint).get(name) ?? first;
    of(endpoint).set(name, entry);
    entry.at = at;
    const before = describe(entry);
    for (const field of names) entry.expected.add(field);
    const begun: string[] = [];
    for (const field of entry.expected) {
      if (absent.has(`${endpoint}.${field}`)) entry.expected.delete(field);
      if (names.has(field) || !entry.expected.has(field)) entry.missing.delete(field);
      else if (!entry.missing.has(field)) {
        entry.missing.set(field, at);
        begun.push(field);
      }
    }
    forgetOptional(endpoint, name, entry, isOwn);
    isChanged ||= entry === first || describe(entry) !== before;
    return begun;
  };

  const observeAnswer = (
    endpoint: FieldEndpoint,
    part: string,
    answer: Answer<unknown>,
    outdated: ReadonlySet<string>,
  ) => {
    // a name outside the contract is not from the analyzer of this program: something has renamed a field
    const isOwn = options.isOwnAnalyzer() && answer.unknownFields.length === 0;
    const begun = new Map<string, string[]>();
    for (const [name, names] of fieldsByOwner(part, answer)) {
      if (outdated.has(name)) continue;
      for (const field of compare(endpoint, name, names, isOwn)) begun.set(field, [...(begun.get(field) ?? []), name]);
    }
    for (const [field, names] of begun) {
      log.warn(
        { endpoint, field, vendor_licenses: names.slice(0, NAMES_LOGGED), count: names.length },
        'a field is missing from all records; if the analyzer does not have it, add it to analyzer.absent_fields',
      );
    }
  };

  const forgetGone = (): void => {
    for (const byName of all().values()) {
      for (const [name, { at }] of byName) if (!listed.has(name) && now() - at >= WEEK) byName.delete(name);
    }
  };

  const kept = (): KeptContract =>
    Object.fromEntries([...all()].map(([endpoint, byName]) => [endpoint, [...byName].map(keptOf)]));

  return {
    observe: (snapshot) => {
      const currency = currencyOf(snapshot);
      const wasListed = listed;
      listed = currency.listed;
      let isNew = false;
      for (const endpoint of fieldEndpoints) {
        for (const [part, reading] of snapshot.endpoints[endpoint]?.parts ?? []) {
          if (!reading.ok || seen.has(reading.value)) continue;
          seen.add(reading.value);
          isNew = true;
          observeAnswer(endpoint, part, reading.value, currency.outdated);
        }
      }
      if (isNew) forgetGone();
      if (!isNew && [...listed].every((name) => wasListed.has(name)) && listed.size === wasListed.size) return;
      states = undefined;
      save();
    },
    states: () => {
      states ??= createFieldStates(
        [...(entries ?? [])].flatMap(([endpoint, byName]) => statesOf(endpoint, byName, listed)),
      );
      return states;
    },
    kept,
  };
}

/** A text that differs if other fields are expected or missing. */
const describe = ({ expected, missing }: Entry): string => `${expected.size} ${[...missing.keys()].join()}`;

const entriesOf = (kept: KeptContract | undefined): ReadonlyMap<FieldEndpoint, Map<string, Entry>> =>
  new Map(
    fieldEndpoints.map((endpoint) => [
      endpoint,
      new Map((kept?.[endpoint] ?? []).map((each): [string, Entry] => [each.vendorLicense, entryOf(each)])),
    ]),
  );

const entryOf = ({ expected, missing, at }: KeptFields): Entry => ({
  expected: new Set(expected),
  missing: new Map(Object.entries(missing)),
  at,
});

const keptOf = ([vendorLicense, { expected, missing, at }]: [string, Entry]): KeptFields => ({
  vendorLicense,
  expected: [...expected],
  missing: Object.fromEntries(missing),
  at,
});

function statesOf(endpoint: FieldEndpoint, byName: ReadonlyMap<string, Entry>, listed: ReadonlySet<string>) {
  const found = [...byName].filter(([name]) => listed.has(name));
  return Object.keys(tables[endpoint]).flatMap((field) => {
    const expected = found.filter(([, entry]) => entry.expected.has(field));
    if (expected.length === 0) return [];
    const missing = expected.filter(([, entry]) => entry.missing.has(field)).map(([name]) => name);
    return [
      {
        endpoint,
        field,
        isNeeded: isNeeded(endpoint, field),
        expected: expected.map(([name]) => name),
        missing,
      },
    ];
  });
}
