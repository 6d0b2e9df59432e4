/** Licenses that could come back, by what the license manager says of their checkouts. Times are epoch seconds. */

/**
 * Why a license could come back. It is evidence, and no verdict: a job can use several licenses on one host.
 *
 * - `orphan`: the application has ended
 * - `idle`: nobody has used the application for an hour
 * - `duplicate`: the same person has a later checkout on the same host
 * - `borrowed`: for more than 7 days to come, or an hour beyond its end. It returns only on its own host
 */
export const reclaimKinds = ['orphan', 'idle', 'duplicate', 'borrowed'] as const;
export type ReclaimKind = (typeof reclaimKinds)[number];

/** What must be known of a checkout. */
export interface HeldLicenses {
  readonly user: string;
  readonly host: string;
  readonly licenses: number;
  readonly since?: number | undefined;
  /** Empty if it has none. */
  readonly handle: string;
  /** Handle of the checkout whose licenses it uses too; empty if it has its own. */
  readonly shareHandle: string;
  readonly isBorrowed: boolean | undefined;
  /** When the server takes it back by itself, at the latest. */
  readonly until?: number | undefined;
  /** Undefined if it is not known. */
  readonly application: 'active' | 'inactive' | 'suspended' | 'terminated' | 'blocked' | undefined;
  /** How long the application is in that state, seconds. */
  readonly seconds?: number | undefined;
}

/** How long nobody has used an application that is idle, seconds. */
export const IDLE = 3600;
/** How far away the end of a borrowed license is, seconds. */
export const LONG_BORROWED = 7 * 86_400;
/** A list can be half an hour old, and its times are rounded: a license whose end passed this many seconds ago is not back. */
export const OVERDUE = 3600;

/** Whether nobody uses its application; undefined if it is not known, or not for how long. */
function isIdle({ application, seconds }: HeldLicenses): boolean | undefined {
  if (application === undefined) return undefined;
  if (application !== 'inactive' && application !== 'suspended') return false;
  return seconds === undefined ? undefined : seconds >= IDLE;
}

/** Those whose licenses no other one uses. */
function soleOf<T extends HeldLicenses>(all: readonly T[]): readonly T[] {
  const usedBy = ({ handle, shareHandle }: HeldLicenses): string => shareHandle || handle;
  const uses = new Map<string, number>();
  for (const held of all) uses.set(usedBy(held), (uses.get(usedBy(held)) ?? 0) + 1);
  return all.filter((held) => held.licenses > 0 && (usedBy(held) === '' || uses.get(usedBy(held)) === 1));
}

function ownKind(held: HeldLicenses, now: number): ReclaimKind | undefined {
  const { application, isBorrowed, until } = held;
  // the server keeps a borrowed one, also after the application has ended
  if (isBorrowed === true) {
    const isLong = until !== undefined && (until - now > LONG_BORROWED || until < now - OVERDUE);
    return isLong ? 'borrowed' : undefined;
  }
  if (application === 'terminated') return 'orphan';
  return isIdle(held) === true ? 'idle' : undefined;
}

const isComparable = ({ user, host, since, handle }: HeldLicenses): boolean =>
  user !== '' && host !== '' && since !== undefined && handle !== '';

/**
 * The checkouts of one feature of one vendor license that could come back, each with one kind. Of several checkouts of a person on
 * one host that have no other kind, the latest is not a duplicate; those whose beginning is not known are not compared.
 */
export function reclaimable<T extends HeldLicenses>(
  all: readonly T[],
  now: number,
): readonly { readonly held: T; readonly kind: ReclaimKind }[] {
  const sole = soleOf(all);
  const kinds = sole.map((held) => ownKind(held, now));
  const others = sole.filter((held, at) => kinds[at] === undefined && held.isBorrowed !== true && isComparable(held));
  const persons = Map.groupBy(others, ({ user, host }) => JSON.stringify([user.toLowerCase(), host.toLowerCase()]));
  const earlier = new Set(
    persons.values().flatMap((own) => own.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0)).slice(1)),
  );
  return sole.flatMap((held, at) => {
    const kind = kinds[at] ?? (earlier.has(held) ? 'duplicate' : undefined);
    return kind === undefined ? [] : [{ held, kind }];
  });
}

/** What the source of all checkouts of a feature says of them. */
export interface ReclaimEvidence {
  /** Whether an application is idle. */
  readonly idle: boolean;
  /** Whether an application has ended. */
  readonly orphan: boolean;
  /** Which are borrowed. */
  readonly borrowed: boolean;
}

/** Licenses by kind. A kind is left out if what it rests on is not known of one of the checkouts. */
export function reclaimableLicenses(
  all: readonly HeldLicenses[],
  evidence: ReclaimEvidence,
  now: number,
): Readonly<Partial<Record<ReclaimKind, number>>> {
  const counts: Record<ReclaimKind, number> = { orphan: 0, idle: 0, duplicate: 0, borrowed: 0 };
  for (const { held, kind } of reclaimable(all, now)) counts[kind] += held.licenses;
  const sole = soleOf(all);
  const isKnown: Record<ReclaimKind, boolean> = {
    orphan: evidence.orphan && sole.every(({ application }) => application !== undefined),
    idle: evidence.idle && sole.every((held) => isIdle(held) !== undefined),
    duplicate: sole.length < 2 || sole.every(isComparable),
    borrowed: evidence.borrowed && sole.every(({ isBorrowed, until }) => isBorrowed !== true || until !== undefined),
  };
  return Object.fromEntries(reclaimKinds.flatMap((kind) => (isKnown[kind] ? [[kind, counts[kind]]] : [])));
}
