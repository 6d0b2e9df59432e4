import type { Labels } from '../alerts/alert.ts';
import { dueSince, type Entry, isOngoing, type Ledger } from './ledger.ts';
import type { Group } from './message-group.ts';
import type { MessagesSection } from './settings.ts';

/** When messages about each group are due. Times are epoch seconds. */

/** How alerts are grouped, and how often a group is repeated. */
export interface DueGroupOptions extends MessagesSection {
  readonly groupOf: (labels: Labels) => Group;
  /** Whether a digest repeats expiries. */
  readonly hasDigest: boolean;
}

/** What is known now. */
export interface GroupView {
  readonly ledger: Ledger;
  /** When the last message about each group was accepted. */
  readonly sentAt: ReadonlyMap<string, number>;
  readonly isInhibited: (labels: Labels) => boolean;
  /** Whether the state of an alert is known since the start. */
  readonly isSettled: (entry: Entry) => boolean;
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

/** Messages about expiries wait longer for further ones, by this factor: they concern days, not minutes. */
const EXPIRY_PATIENCE = 10;

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

/** The messages about all groups of which there is something to say, now or later. */
export function dueGroups(view: GroupView, options: DueGroupOptions): readonly DueGroup[] {
  const { ledger, sentAt, isInhibited, isSettled } = view;
  const { groupWait, groupInterval, repeatInterval, hasDigest } = options;
  return [...groupsOf(ledger, options).values()].flatMap(({ group, members: all }): readonly DueGroup[] => {
    const members = all.filter(
      ([, entry]) => dueSince(entry) !== undefined || (isOngoing(entry) && !isInhibited(entry.labels)),
    );
    if (members.length === 0 || !members.every(([, entry]) => isSettled(entry))) return [];
    const since = members.flatMap(([, entry]) => dueSince(entry) ?? []);
    const last = sentAt.get(group.key);
    if (since.length > 0) {
      const first = since.reduce((a, b) => Math.min(a, b)) + groupWait * (group.isAboutExpiries ? EXPIRY_PATIENCE : 1);
      const dueAt = last === undefined ? first : Math.max(first, last + groupInterval);
      return [{ group, members, dueAt, isReminder: false }];
    }
    if (last === undefined || (group.isAboutExpiries && hasDigest)) return [];
    return [{ group, members, dueAt: last + repeatInterval, isReminder: true }];
  });
}

/** The keys of all groups that have alerts. */
export const groupKeys = (ledger: Ledger, options: DueGroupOptions): ReadonlySet<string> =>
  new Set(groupsOf(ledger, options).keys());
