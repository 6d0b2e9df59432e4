import type { Labels } from '../alerts/alert.ts';
import { tellingOf } from '../alerts/telling.ts';
import { type DigestSchedule, digestAfter } from './digest-schedule.ts';
import { begunSince, dueSince, type Entry, isOngoing, type Ledger } from './ledger.ts';
import type { Group, GroupKind } from './message-group.ts';
import type { MessagesSection } from './settings.ts';

/** When messages about each group are due. Times are epoch seconds. */

/** How alerts are grouped, and how often a group is repeated. */
export interface DueGroupOptions extends MessagesSection {
  readonly groupOf: (labels: Labels) => Group;
  /** When digests are sent; `undefined` without. */
  readonly schedule: DigestSchedule | undefined;
}

/** What is known now. */
export interface GroupView {
  readonly now: number;
  readonly ledger: Ledger;
  /** When the last message about each group was accepted. */
  readonly sentAt: ReadonlyMap<string, number>;
  readonly isInhibited: (labels: Labels) => boolean;
  /** Whether the state of an alert is known since the start. */
  readonly isSettled: (entry: Entry) => boolean;
  /** Whether alerts that a digest would list are still to fire after the start. */
  readonly isDigestEarly: boolean;
}

/** A message that is due now or later. */
export interface DueGroup {
  readonly group: Group;
  /** The alerts that it names. */
  readonly members: readonly (readonly [key: string, entry: Entry])[];
  readonly dueAt: number;
  /** Whether it says nothing new. */
  readonly isReminder: boolean;
}

/** How much longer the first message waits for further alerts. Expiries concern days, not minutes. */
const patience: Readonly<Record<GroupKind, number>> = { alerts: 1, 'urgent expiries': 10, digest: 1 };
/** A digest is repeated in the same hour as the last one, which took some time to send, seconds. */
const SENDING = 3600;

/** The alerts of each group, by its key. */
function groupsOf(ledger: Ledger, { groupOf }: DueGroupOptions) {
  const groups = new Map<string, { readonly group: Group; readonly members: [string, Entry][] }>();
  for (const [key, entry] of ledger) {
    const group = groupOf(entry.labels);
    const known = groups.get(group.key) ?? { group, members: [] };
    known.members.push([key, entry]);
    groups.set(group.key, known);
  }
  return groups;
}

/** The earliest of some times; `undefined` without any. */
const earliest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));

/** How long after the last message the alerts that go on are said again, seconds; `undefined` if they are not. */
function repeatAfter(members: DueGroup['members'], repeatInterval: number | undefined): number | undefined {
  const ongoing = members.filter(([, entry]) => isOngoing(entry));
  if (ongoing.length === 0) return undefined;
  return repeatInterval ?? earliest(ongoing.flatMap(([, { labels }]) => tellingOf(labels).again ?? []));
}

type Due = Pick<DueGroup, 'dueAt' | 'isReminder'> | undefined;

/** A message is due for each change. */
function messageDue(
  kind: GroupKind,
  members: DueGroup['members'],
  last: number | undefined,
  options: DueGroupOptions,
): Due {
  const { groupWait, groupInterval, repeatInterval } = options;
  const changed = earliest(members.flatMap(([, entry]) => dueSince(entry) ?? []));
  if (changed !== undefined) {
    const first = changed + groupWait * patience[kind];
    return { dueAt: last === undefined ? first : Math.max(first, last + groupInterval), isReminder: false };
  }
  const again = repeatAfter(members, repeatInterval);
  return last === undefined || again === undefined ? undefined : { dueAt: last + again, isReminder: true };
}

/** The longest time for which the ends of alerts wait for a digest, seconds. */
const ENDS_WAIT = 5 * 86_400;

/** A digest is due for what has begun since the last one. What has only ended can wait. */
function digestDue(schedule: DigestSchedule, members: DueGroup['members'], last: number | undefined, now: number): Due {
  const begun = earliest(members.flatMap(([, entry]) => begunSince(entry) ?? []));
  if (begun !== undefined) return { dueAt: digestAfter(schedule, begun, now), isReminder: false };
  if (last === undefined) return undefined;
  const again = repeatAfter(members, undefined);
  const ended = earliest(members.flatMap(([, entry]) => dueSince(entry) ?? []));
  const times = [
    again === undefined ? [] : last + again - SENDING,
    // an end after the hour of today waits for the next one
    ended === undefined ? [] : Math.max(last + ENDS_WAIT - SENDING, ended),
  ];
  const from = earliest(times.flat());
  return from === undefined ? undefined : { dueAt: digestAfter(schedule, from, now), isReminder: ended === undefined };
}

/** When the last message about a group was accepted. After an update or other settings it is not known: then since its alerts began. */
const lastOf = (sentAt: number | undefined, members: DueGroup['members']): number | undefined =>
  sentAt ?? members.reduce<number | undefined>((last, [, { sent }]) => latest(last, sent?.startsAt), undefined);

const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

/** The messages about all groups of which there is something to say, now or later. */
export function dueGroups(view: GroupView, options: DueGroupOptions): readonly DueGroup[] {
  const { now, ledger, sentAt, isInhibited, isSettled, isDigestEarly } = view;
  const { schedule } = options;
  return [...groupsOf(ledger, options).values()].flatMap(({ group, members: all }): readonly DueGroup[] => {
    const members = all.filter(
      ([, entry]) => dueSince(entry) !== undefined || (isOngoing(entry) && !isInhibited(entry.labels)),
    );
    const isDigest = group.kind === 'digest' && schedule !== undefined;
    if (members.length === 0 || !members.every(([, entry]) => isSettled(entry))) return [];
    if (isDigest && isDigestEarly) return [];
    const last = lastOf(sentAt.get(group.key), members);
    const due = isDigest ? digestDue(schedule, members, last, now) : messageDue(group.kind, members, last, options);
    return due === undefined ? [] : [{ group, members, ...due }];
  });
}

/** The keys of all groups that have alerts. */
export const groupKeys = (ledger: Ledger, options: DueGroupOptions): ReadonlySet<string> =>
  new Set(groupsOf(ledger, options).keys());
