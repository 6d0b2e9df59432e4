import { type Stats, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { OwnerEntry } from '../model/owners.ts';
import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { readCsv } from './csv.ts';
import { readText } from './named-files.ts';
import type { Problem } from './problems.ts';
import { ownerEntries, ownerEntry, ownerKeyProblem, ownerKeys } from './sections/owners.ts';
import { mapOf, read, shownPath } from './structures.ts';
import { readYaml } from './yaml-source.ts';

/** The file of `owners_file`. */

/** The entries of a file, in order. They are not used if there are problems. */
export interface OwnersFile {
  readonly entries: readonly OwnerEntry[];
  readonly problems: readonly Problem[];
}

const EXAMPLE = 'vendor_license,feature,owner';

const refused = (where: string, message: string, key = ''): OwnersFile => ({
  entries: [],
  problems: [{ key, where, message }],
});

const mapOfEntries = mapOf({ owners: ownerEntries }).transform((map) => map.owners);

/** A list of entries, or a map with the key `owners`. */
function fromYaml(text: string, path: string): OwnersFile {
  const { value, where, problems } = readYaml(text, path);
  if (problems.length > 0) return { entries: [], problems };
  if (value === null || value === undefined) return refused(path, 'the file is empty; write [] for no owners');
  const found = read(Array.isArray(value) ? ownerEntries : mapOfEntries, value);
  if (found.issues === undefined) return { entries: found.value, problems: [] };
  const { issues } = found;
  return {
    entries: [],
    problems: issues.map((issue) => ({
      key: shownPath(Array.isArray(value) ? ['owners', ...issue.path] : issue.path),
      where: where(issue.path),
      message: issue.message,
    })),
  };
}

/** What is wrong with the names of the columns. */
function headerProblems(names: readonly string[], where: string): readonly Problem[] {
  if (names.length === 1) {
    const message = `has one column; separate the columns by commas, for example ${EXAMPLE}`;
    return [{ key: '', where, message }];
  }
  const problems = names.flatMap((name, i): Problem[] => {
    const problem = (message: string): Problem[] => [{ key: name, where, message }];
    if (name === '') return [{ key: '', where, message: `column ${i + 1} has no name; name it or remove it` }];
    if (names.indexOf(name) !== i) return problem('is the name of two columns; remove one of them');
    const message = ownerKeyProblem(name);
    return message === undefined ? [] : problem(message);
  });
  if (problems.length > 0) return problems;
  if (!names.includes('vendor_license')) {
    return [
      {
        key: 'vendor_license',
        where,
        message: `is required: the first line names the columns, for example ${EXAMPLE}`,
      },
    ];
  }
  const hasLabel = names.some((name) => !(ownerKeys as readonly string[]).includes(name));
  return hasLabel ? [] : [{ key: '', where, message: 'no column is a label; add one, for example owner' }];
}

function fromCsv(text: string, path: string): OwnersFile {
  const { rows, problem } = readCsv(text);
  const at = (line: number): string => `${path}:${line}`;
  const unreadable = problem === undefined ? [] : [{ key: '', where: at(problem.line), message: problem.message }];
  const [header, ...others] = rows;
  if (header === undefined) {
    if (unreadable.length > 0) return { entries: [], problems: unreadable };
    return refused(path, `the file is empty; its first line names the columns, for example ${EXAMPLE}`);
  }
  const names = header.cells;
  const problems: Problem[] = [...headerProblems(names, at(header.line))];
  if (problems.length > 0) return { entries: [], problems: [...problems, ...unreadable] };
  const entries = others.flatMap(({ line, cells }): OwnerEntry[] => {
    if (cells.length > names.length) {
      const message = `has ${cells.length} values for ${names.length} columns; put a value with a comma in quotes`;
      problems.push({ key: '', where: at(line), message });
      return [];
    }
    const { vendor_license, feature, ...labels } = Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
    const found = read(ownerEntry, { ...labels, vendor_license, feature: feature || '*' });
    if (found.issues === undefined) return [found.value];
    const [issue] = found.issues;
    const message =
      issue?.message === 'is empty' ? 'is empty; write * for all vendor licenses' : (issue?.message ?? '');
    problems.push({ key: String(issue?.path[0] ?? ''), where: at(line), message });
    return [];
  });
  return { entries, problems: [...problems, ...unreadable] };
}

/** How each type of file is read. */
const formats: Readonly<Record<string, (text: string, path: string) => OwnersFile>> = {
  '.csv': fromCsv,
  '.yml': fromYaml,
  '.yaml': fromYaml,
  '.json': fromYaml,
};

/** The replacement of bytes that are not UTF-8. */
const REPLACED = '\uFFFD';

/** Reads the file. Each problem has its line. */
export function readOwnersFile(path: string): OwnersFile {
  const parse = formats[extname(path).toLowerCase()];
  if (parse === undefined) {
    return refused(
      path,
      `the type of the file is not known; its name must end with ${Object.keys(formats).join(', ')}`,
    );
  }
  const file = readText(path);
  if ('why' in file) return refused(path, `the file ${file.why}`);
  const damaged = file.text.indexOf(REPLACED);
  if (damaged === -1) return parse(file.text, path);
  const line = file.text.slice(0, damaged).split('\n').length;
  return refused(`${path}:${line}`, 'is not UTF-8; save the file in UTF-8');
}

/** Differs if a file was written again or replaced. */
export const ownersStampOf = ({ mtimeMs, size, ino }: Pick<Stats, 'mtimeMs' | 'size' | 'ino'>): string =>
  `${mtimeMs} ${size} ${ino}`;

/** The owners, with the content of their file. Reports its problems. */
export function ownersOf(settings: ConfigSettings): Config['owners'] {
  const own = settings.value('owners') ?? [];
  const file = settings.pathOf('owners_file');
  // `readFile` reports a missing file with the line that names it
  if (file === undefined || settings.readFile(settings.reference('owners_file')) === undefined) {
    return { own, file, stamp: '', entries: own };
  }
  // before the file is read, so that no change is missed
  const stats = statSync(file, { throwIfNoEntry: false });
  const { entries, problems } = readOwnersFile(file);
  settings.problems.push(...problems);
  return { own, file, stamp: stats === undefined ? '' : ownersStampOf(stats), entries: [...own, ...entries] };
}
