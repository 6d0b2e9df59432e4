import { createHmac } from 'node:crypto';
import type { UserRecord } from '../../../base/model/records.ts';
import { createPattern } from '../../../base/model/wildcard.ts';
import type { UsersPolicy } from './backend.ts';
import type { Combination, CombinationAnswers, Combinations } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import {
  type Cell,
  type Column,
  cell,
  LazyList,
  millis,
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

/** Spec 2.3: what the application that holds a license does. */
const applicationStates = ['inactive', 'active', 'suspended', 'terminated', 'blocked'];

const stateText = (status: string | number | undefined): Cell =>
  status === undefined || status === '' ? null : (applicationStates[Number(status)] ?? String(status));

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

/** Who holds licenses now, with pseudonyms in place of names if there is a key for them. */
export function usersTable(
  { values }: Query,
  { areSeveralProducts, areSeveralFeatures }: Combinations,
  answers: CombinationAnswers<{ readonly records: readonly UserRecord[] }>['answers'],
  { pseudonymKey }: UsersPolicy,
): Table {
  const shown = (name: string): string => (pseudonymKey === undefined ? name : pseudonym(name, pseudonymKey));
  const isAskedFor =
    pseudonymKey === undefined || values.user === undefined
      ? () => true
      : createPattern(values.user, { ignoreCase: true });
  const cells = cellsOf(shown);
  const named = [...(values.lists.columns ?? []), (values.sort ?? '').replace(/^-/, '')];
  const hasOwner = areSeveralProducts || areSeveralFeatures || named.some((name) => ownerNames.includes(name));
  const owner = ({ product, feature }: Combination): readonly Cell[] => (hasOwner ? [product, feature] : []);
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
