import type { OwnerEntry } from '../../base/model/owners.ts';
import { mayMean } from '../../base/settings/names.ts';
import { ownerEntries, ownerEntry, ownerKeyProblem, ownerKeys } from '../../base/settings/owners.ts';
import { read } from '../../base/settings/structures.ts';
import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { type EntryFile, type EntryFormat, entriesNamedBy, readEntryFile } from './entry-file.ts';
import type { Problem } from './problems.ts';

/** The file of `owners_file`. */

const EXAMPLE = 'vendor_license,feature,owner';

function headerProblem(names: readonly string[]): Omit<Problem, 'where'> | undefined {
  if (!names.includes('vendor_license')) {
    const message = `is required: the first line names the columns, for example ${EXAMPLE}`;
    return { key: 'vendor_license', message };
  }
  const hasLabel = names.some((name) => !(ownerKeys as readonly string[]).includes(name));
  return hasLabel ? undefined : { key: '', message: 'no column is a label; add one, for example owner' };
}

const format: EntryFormat<OwnerEntry> = {
  name: 'owners',
  schema: ownerEntries,
  example: EXAMPLE,
  separators: [','],
  columnProblem: ownerKeyProblem,
  headerProblem,
  readRow: ({ vendor_license, feature, ...labels }) => {
    const found = read(ownerEntry, { ...labels, vendor_license, feature: feature || '*' });
    if (found.issues === undefined) return found.value;
    const [issue] = found.issues;
    const message =
      issue?.message === 'is empty' ? 'is empty; write * for all vendor licenses' : (issue?.message ?? '');
    return { key: String(issue?.path[0] ?? ''), message };
  },
};

/** Labels that the documentation proposes. Others are as good, so one that looks like them is only named. */
const usualLabels = ['owner', 'team', 'site'];

/** Reads the file. Each problem has its line. */
export const readOwnersFile = (path: string): EntryFile<OwnerEntry> => readEntryFile(path, format);

/** The owners, with the content of their file. Reports its problems. */
export function ownersOf(settings: ConfigSettings): Config['owners'] {
  const own = (settings.value('owners') ?? []).map((entry, i) => ({ entry, ...settings.placeOfPart('owners', [i]) }));
  const ofFile = entriesNamedBy(settings, 'owners_file', readOwnersFile);
  const placed = [...own, ...ofFile.placed];
  const all = placed.map(({ entry }) => entry);
  const labels = new Set(all.flatMap((entry) => Object.keys(entry.labels)));
  for (const label of labels) {
    const meant = usualLabels.find((usual) => usual !== label && !labels.has(usual) && mayMean(label, usual));
    if (meant !== undefined)
      settings.warnings.add(`owners: the label ${label} is taken as it is; did you mean ${meant}?`);
  }
  return { ...ofFile, own, entries: all, placed };
}
