import { createHmac } from 'node:crypto';
import type { UserRecord } from '../model/records.ts';
import { createPattern } from '../model/wildcard.ts';
import type { Combination, CombinationAnswers, Combinations } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { LazyList } from './lazy-list.ts';
import { type Cell, type Column, cell, millis, type Table, table } from './panel-data.ts';
import type { Query } from './query.ts';

/** Names and hosts of users are personal data. Whether they are served, and in which form. */
export interface UsersPolicy {
  /** Why names are not served; `undefined` if they are. */
  readonly refusal: () => string | undefined;
  /** Key of the hashes that replace names; `undefined` if names are shown. */
  readonly pseudonymKey: string | undefined;
}

/** @throws DatasourceError if this daemon does not serve names of users */
export function requireUsers({ refusal }: UsersPolicy): void {
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

const columns: readonly Column[] = [
  { text: 'User', type: 'string' },
  { text: 'Host', type: 'string' },
  { text: 'Display', type: 'string' },
  { text: 'Since', type: 'time' },
  { text: 'Licences', type: 'number' },
  { text: 'Queued', type: 'number' },
  { text: 'Borrowed', type: 'number' },
  { text: 'Status', type: 'string' },
];

/** The filter for the analyzer. A pseudonym cannot be a filter, because the analyzer does not know it. */
export const usersFilter = ({ values }: Query, { pseudonymKey }: UsersPolicy): string | undefined =>
  pseudonymKey === undefined ? values.user : undefined;

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
  const cellsOf = (user: UserRecord): readonly Cell[] => [
    shown(user.userHost),
    shown(user.userDisplay),
    millis(user.usageTime),
    cell(user.usedLicenses),
    cell(user.queuedLicenses),
    cell(user.borrowedLicenses),
    user.licenseModelStatus,
  ];
  const areSeveral = areSeveralProducts || areSeveralFeatures;
  const owner = ({ product, feature }: Combination): readonly Cell[] => (areSeveral ? [product, feature] : []);
  const ownerColumns: readonly Column[] = areSeveral
    ? [
        { text: 'Product', type: 'string' },
        { text: 'Feature', type: 'string' },
      ]
    : [];
  const rows = new LazyList(function* () {
    for (const { combination, answer } of answers) {
      for (const user of answer.records) {
        const name = shown(user.userName);
        if (isAskedFor(name)) yield [...owner(combination), name, ...cellsOf(user)];
      }
    }
  });
  return table('users', [...ownerColumns, ...columns], rows);
}
