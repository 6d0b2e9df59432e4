import { createOwners, type OwnerMapping } from '../../../../src/base/model/owners.ts';
import { createSelection } from '../../../../src/exporter/inventory/selection.ts';
import { activeEpisodes, type History, type Replica } from './history.ts';

/** Who acts on what: people, and shards. */

/** The features of all histories. */
const names: readonly string[] = ['feature1', 'feature2', 'feature3', 'feature4', 'firing', 'pending'];

const ownersWith = (owner: string): OwnerMapping =>
  createOwners([
    { vendorLicense: 'lic01;*', feature: '*', labels: { owner } },
    { vendorLicense: 'lic03;*', feature: '*', labels: { owner } },
    // so each feature is an alert of its own, and what is expected of it does not depend on others
    ...names.map((feature) => ({ vendorLicense: '*', feature, labels: { team: feature } })),
  ]);
const before = ownersWith('design');
const changed = ownersWith('research');

/** Owners of two vendor licenses, and a team for each feature. */
export const ownersAt = (history: History, tick: number): OwnerMapping =>
  activeEpisodes(history, 'owners changed', tick).length > 0 ? changed : before;

/** What a replica monitors. */
export const selectionOf = ({ shard }: Pick<Replica, 'shard'> = { shard: { index: 0, total: 1 } }) =>
  createSelection({ shard, include: [], exclude: [] });
