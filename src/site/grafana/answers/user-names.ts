import { createHmac } from 'node:crypto';
import type { UserRecord } from '../../../base/model/records.ts';
import { createPattern } from '../../../base/model/wildcard.ts';
import { countText, namesText } from '../../../base/texts.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { UsersPolicy } from './backend.ts';
import { type Combination, type CombinationAnswers, type Combinations, IDLE_FOR, productCell } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import {
  type Cell,
  type Column,
  cell,
  keyOf,
  LazyList,
  millis,
  type Notice,
  number,
  type Table,
  type TargetAnswer,
  table,
  text,
} from './panel-data.ts';
import type { Query } from './query.ts';

/** @throws DatasourceError if this daemon does not serve names of users */
export function requireUsers({ refusal }: Pick<UsersPolicy, 'refusal'>): void {
  const why = refusal();
  if (why !== undefined) throw new DatasourceError('users_not_served', why);
}

/**
 * A pseudonym of a user: the beginning of a keyed hash of the name. Like the API, it ignores case. It can only be traced to
 * the user with the key.
 */
function pseudonym(name: string, key: string): string {
  if (name === '') return '';
  return createHmac('sha256', key).update(name.toLowerCase()).digest('hex').slice(0, 12);
}

/** How names are shown. @param key of the hashes that replace them; `undefined` if they are shown as they are */
export const shownName =
  (key: string | undefined) =>
  (name: string): string =>
    key === undefined ? name : pseudonym(name, key);

/** Spec 2.3: what the application that holds a license does. */
export const applicationStates = ['inactive', 'active', 'suspended', 'terminated', 'blocked'] as const;

const stateText = (status: string | number | undefined): Cell =>
  status === undefined || status === '' ? null : (applicationStates[Number(status)] ?? String(status));

/** A checkout whose application does anything but work, or is not known to. A request that waits holds nothing. */
type Idleness = 'idle' | 'not idle' | 'not known';

function idlenessOf({ appStatus, usedLicenses }: UserRecord): Idleness {
  const state = stateText(appStatus);
  if (state === 'active' || usedLicenses === 0) return 'not idle';
  return applicationStates.some((one) => one === state) ? 'idle' : 'not known';
}

/** Seconds; null unless it is idle. */
const idleFor = (user: UserRecord): Cell => (idlenessOf(user) === 'idle' ? cell(user.appDuration) : null);

const IDLE: Column = { ...number(IDLE_FOR), unit: 's' };

/** The text of a handle, which is `undef` without one. */
const handleText = (handle: string): Cell => (handle === 'undef' ? null : handle);

/** The fields of spec 2.3. @param shown a name as it may be shown */
const cellsOf = (shown: (name: string) => string): readonly (readonly [Column, (user: UserRecord) => Cell])[] => [
  [text('User'), ({ userName }) => shown(userName)],
  [text('Host'), ({ userHost }) => shown(userHost)],
  [text('Display'), ({ userDisplay }) => shown(userDisplay)],
  [{ text: 'Since', type: 'time' }, ({ usageTime }) => millis(usageTime)],
  [number('Licenses'), ({ usedLicenses }) => cell(usedLicenses)],
  [number('Queued'), ({ queuedLicenses }) => cell(queuedLicenses)],
  [number('Borrowed'), ({ borrowedLicenses }) => cell(borrowedLicenses)],
  [text('Status'), ({ licenseModelStatus }) => cell(licenseModelStatus)],
  [text('Application'), ({ appStatus }) => stateText(appStatus)],
  [{ ...number('Application for'), unit: 's' }, ({ appDuration }) => cell(appDuration)],
  [text('Full name'), ({ displayName }) => (displayName == null ? null : shown(displayName))],
  [text('License model'), ({ licenseModel }) => cell(licenseModel)],
  [text('Handle'), ({ licenseHandle }) => handleText(licenseHandle)],
  [text('Share handle'), ({ shareHandle }) => handleText(shareHandle)],
  [text('Mapped to'), ({ mapped }) => cell(mapped)],
];

/** The filter for the analyzer. A pseudonym cannot be a filter, because the analyzer does not know it. */
export const usersFilter = ({ values }: Query, { pseudonymKey }: UsersPolicy): string | undefined =>
  pseudonymKey === undefined ? values.user : undefined;

/** Names of columns that a table of one combination has only if `columns` or `sort` names them. */
const ownerNames: readonly string[] = ['Product', 'Feature', 'product', 'feature'];

/** Whether a query names the column of idle checkouts, which others do not have. */
export const asksIdle = ({ values: { lists, sort = '' } }: Query): boolean =>
  [...(lists.columns ?? []), ...(lists.with ?? []), sort].some((name) => keyOf(name) === keyOf(IDLE.text));

type UserAnswers = CombinationAnswers<{ readonly records: readonly UserRecord[] }>['answers'];

/** How names are shown, and which of them are asked for. With pseudonyms, the analyzer could not filter them. */
function shownBy({ values }: Query, { pseudonymKey }: UsersPolicy) {
  const shown = shownName(pseudonymKey);
  const isAskedFor =
    pseudonymKey === undefined || values.user === undefined
      ? () => true
      : createPattern(values.user, { ignoreCase: true });
  return { shown, isAskedFor };
}

/** Of which checkouts it is not known whether, or for how long, they are idle. */
export function unknownIdle(query: Query, answers: UserAnswers, policy: UsersPolicy): string | undefined {
  const { shown, isAskedFor } = shownBy(query, policy);
  const users = answers.flatMap(({ answer }) => answer.records);
  const count = users
    .filter(({ userName }) => isAskedFor(shown(userName)))
    .filter((user) => idlenessOf(user) !== 'not idle' && idleFor(user) === null).length;
  return count === 0 ? undefined : `the application of ${countText(count, 'checkout')}`;
}

/** Of which vendor licenses the users are those of the last collection, because their data is not current. */
export function notCurrent(answers: UserAnswers, inventory: Inventory | undefined): readonly Notice[] {
  const listed = new Set(
    answers.flatMap(({ combination, answer }) =>
      answer.records.length > 0 ? productCell(combination, true).toLowerCase() : [],
    ),
  );
  const names = (inventory?.vendorLicenses ?? []).flatMap(({ vendorLicense, isWithheld }) =>
    isWithheld && listed.has(vendorLicense.toLowerCase()) ? vendorLicense : [],
  );
  if (names.length === 0) return [];
  return [{ severity: 'warning', text: `holders of ${namesText(names)} are those of the last collection` }];
}

/** Who holds licenses now, with pseudonyms in place of names if there is a key for them. */
export function usersTable(
  query: Query,
  { areSeveralProducts, areSeveralFeatures }: Combinations,
  answers: UserAnswers,
  policy: UsersPolicy,
): Table {
  const { values, isForRows } = query;
  const { shown, isAskedFor } = shownBy(query, policy);
  const cells = [...cellsOf(shown), ...(asksIdle(query) ? [[IDLE, idleFor] as const] : [])];
  const named = [...(values.lists.columns ?? []), (values.sort ?? '').replace(/^-/, '')];
  const hasOwner = areSeveralProducts || areSeveralFeatures || named.some((name) => ownerNames.includes(name));
  const owner = (combination: Combination): readonly Cell[] =>
    hasOwner ? [productCell(combination, isForRows), combination.feature] : [];
  const rows = new LazyList(() =>
    answers.values().flatMap(({ combination, answer }) =>
      answer.records
        .values()
        .filter((user) => isAskedFor(shown(user.userName)))
        .map((user) => [...owner(combination), ...cells.map(([, read]) => read(user))]),
    ),
  );
  const columns = cells.map(([column]) => column);
  return table('users', hasOwner ? [text('Product'), text('Feature'), ...columns] : columns, rows);
}

/** Columns that identify a person. */
const NAMES = ['User', 'Full name', 'Host', 'Display'];

/** Different people in a table of users, for the log. */
export function namesIn({ items }: TargetAnswer): number {
  const people = (items as readonly Table[]).flatMap(({ columns, rows }) => {
    const at = columns.flatMap((column, i) => (NAMES.includes(column.text) ? [i] : []));
    return Array.from(rows, (row) => at.map((i) => row[i] ?? null).find((name) => name !== null && name !== ''));
  });
  return new Set(people.filter((name) => name !== undefined).map(String)).size;
}
