import { type HeldLicenses, type ReclaimKind, reclaimable, reclaimKinds } from '../../../base/model/reclaim.ts';
import type { UserRecord } from '../../../base/model/records.ts';
import { type Figure, isKnown, unknown } from '../../../base/model/unknown.ts';
import { applicationStates } from '../../grafana/answers/user-names.ts';

/** Which checkouts of a feature could come back, by what GetUsers says of them. */

/** A checkout, as it is evaluated and shown. */
export interface Held extends HeldLicenses {
  readonly display: string;
  /** As GetUsers has it; empty if it is not known. */
  readonly server: string;
}

/** A checkout that could come back. */
export interface Reclaimable {
  readonly held: Held;
  readonly kind: ReclaimKind;
  /** Checkouts of the same person on the same host. */
  readonly siblings: number;
}

/** Of how many checkouts something is not known, by which some of them could come back. */
export interface Gaps {
  readonly checkouts: number;
  /** What their applications do, or for how long. */
  readonly application: number;
  /** Whether they are borrowed, or how long borrowed ones are. */
  readonly borrowed: number;
  /** What two checkouts are compared by: user, beginning and handle. */
  readonly compared: number;
  /** How many licenses they hold: these are not among the others. */
  readonly uncounted: number;
  /** Licenses in use at the last poll beyond those of the checkouts; unknown if it is not known how many are in use. */
  readonly unlisted: Figure;
}

/** The checkouts of a feature, evaluated. */
export interface Evaluated {
  /** What can come back at once first, then the longest. */
  readonly found: readonly Reclaimable[];
  readonly gaps: Gaps;
}

function applicationOf({ appStatus }: UserRecord): HeldLicenses['application'] {
  if (appStatus === undefined || appStatus === '') return undefined;
  return applicationStates.find((name, number) => name === appStatus || number === Number(appStatus));
}

const handleOf = (handle: string): string => (handle === 'undef' ? '' : handle);

/** The checkouts of an answer, without requests that wait. */
function heldOf(records: readonly UserRecord[]): readonly Held[] {
  return records.flatMap((record): Held[] => {
    const { usedLicenses: licenses, borrowedLicenses: borrowed } = record;
    if (licenses === undefined || licenses === 0) return [];
    return [
      {
        user: record.userName,
        host: record.userHost,
        display: record.userDisplay,
        licenses,
        since: record.usageTime,
        handle: handleOf(record.licenseHandle),
        shareHandle: handleOf(record.shareHandle),
        isBorrowed: borrowed === undefined ? undefined : borrowed > 0,
        until: record.until,
        application: applicationOf(record),
        seconds: record.appDuration,
        server: record.server,
      },
    ];
  });
}

/** Whether it is not known how many licenses a record holds. One that waits holds none. */
const isUncounted = ({ usedLicenses, queuedLicenses = 0 }: UserRecord): boolean =>
  usedLicenses === undefined && queuedLicenses === 0;

function gapsOf(all: readonly Held[], uncounted: number, inUse: Figure): Gaps {
  const listed = all.reduce((sum, { licenses }) => sum + licenses, 0);
  const count = (isUnknown: (held: Held) => boolean): number => all.filter(isUnknown).length;
  return {
    checkouts: all.length,
    application: count(
      ({ application, seconds }) =>
        application === undefined ||
        ((application === 'inactive' || application === 'suspended') && seconds === undefined),
    ),
    borrowed: count(({ isBorrowed, until }) => isBorrowed === undefined || (isBorrowed && until === undefined)),
    compared: count(({ user, since, handle }) => user === '' || since === undefined || handle === ''),
    uncounted,
    unlisted: isKnown(inUse) ? Math.max(0, inUse - listed) : unknown,
  };
}

const byKind = (a: Reclaimable, b: Reclaimable): number =>
  reclaimKinds.indexOf(a.kind) - reclaimKinds.indexOf(b.kind) ||
  (b.held.seconds ?? 0) - (a.held.seconds ?? 0) ||
  (a.held.since ?? 0) - (b.held.since ?? 0);

const personOf = ({ user, host }: Held): string => `${user.toLowerCase()}\n${host.toLowerCase()}`;

/** What could come back of the checkouts of a feature, in steps. @param inUse by the last poll @param now epoch seconds */
export function* evaluating(records: readonly UserRecord[], inUse: Figure, now: number): Generator<void, Evaluated> {
  const all = heldOf(records);
  yield;
  const kinds = reclaimable(all, now);
  yield;
  const ofPerson = Map.groupBy(all, personOf);
  const found = kinds.map(({ held, kind }) => ({ held, kind, siblings: ofPerson.get(personOf(held))?.length ?? 1 }));
  return { found: found.sort(byKind), gaps: gapsOf(all, records.filter(isUncounted).length, inUse) };
}
