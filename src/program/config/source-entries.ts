import { globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { managerNames, managers } from '../../analyzer/sources/managers.ts';
import { type SourceEntry, sourceEntry } from '../../analyzer/sources/settings.ts';
import { readText } from '../../base/files/named-files.ts';
import { mapOf, read, shownPath, strictListOf } from '../../base/settings/structures.ts';
import type { ConfigSettings } from './config-settings.ts';
import { readYaml } from './yaml-source.ts';

/** The entries of sources in the configuration file and in the files that it names, before they are complete. */

/** A source as an operator wrote it, where problems of it can be reported with their line. */
export interface WrittenSource {
  /** Its paths are absolute. */
  readonly entry: SourceEntry;
  /** Reports a problem of a part of it. */
  refuse(message: string, path?: readonly PropertyKey[]): void;
  /** The place of a part of it. */
  where(path: readonly PropertyKey[]): string;
}

const LIST = 'embedded_analyzer.sources';
const FILES = 'embedded_analyzer.source_files';

const entries = strictListOf(sourceEntry);
const mapOfEntries = mapOf({ sources: entries }).transform(({ sources }) => sources);

type Via = NonNullable<SourceEntry['via']>;

function viaIn(absolute: (path: string) => string, { file, token_file: tokenFile, tls, analyzer, ...via }: Via): Via {
  const tlsIn = (files: Via['tls']): Via['tls'] =>
    files && {
      ...files,
      caFile: files.caFile && absolute(files.caFile),
      certFile: files.certFile && absolute(files.certFile),
      keyFile: files.keyFile && absolute(files.keyFile),
    };
  return {
    ...via,
    file: file && absolute(file),
    token_file: tokenFile && absolute(tokenFile),
    tls: tlsIn(tls),
    analyzer: analyzer && {
      ...analyzer,
      passwordFile: analyzer.passwordFile && absolute(analyzer.passwordFile),
      logonFile: analyzer.logonFile && absolute(analyzer.logonFile),
      tls: tlsIn(analyzer.tls),
    },
  };
}

/**
 * An entry with absolute paths. They are relative to the folder of the file in which they are written, and so must be
 * resolved before an entry gets values of `source_defaults`, which are written in another file.
 */
export function pathsIn(folder: string, { via, ...others }: SourceEntry): SourceEntry {
  const absolute = (path: string): string => resolve(folder, path);
  const entry: SourceEntry = { ...others, ...(via && { via: viaIn(absolute, via) }) };
  return managerNames.reduce((paths, manager) => managers[manager].settings.inFolder(paths, absolute), entry);
}

/** The valid ones, with their places. An invalid one does not keep problems of the others from being found. */
function validEntries(raw: unknown): (readonly [number, SourceEntry])[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((item, i) => {
    const found = read(sourceEntry, item);
    return found.issues === undefined ? [[i, found.value] as const] : [];
  });
}

/** A file is a list of sources, or a map with the key `sources`. */
function entriesOfFile(settings: ConfigSettings, path: string): WrittenSource[] {
  const file = readText(path);
  const refuseFile = (message: string): [] => {
    settings.problems.push({ key: FILES, where: path, message });
    return [];
  };
  if ('why' in file) return refuseFile(`the file ${file.why}`);
  const { value, where, problems } = readYaml(file.text, path);
  settings.problems.push(...problems);
  if (problems.length > 0 || value === undefined) return [];
  // an empty file has no sources
  if (value === null) return [];
  const isList = Array.isArray(value);
  const found = read(isList ? entries : mapOfEntries, value);
  const at = (below: readonly PropertyKey[]): readonly PropertyKey[] => (isList ? below : ['sources', ...below]);
  const refuse = (message: string, below: readonly PropertyKey[]): void => {
    settings.problems.push({ key: shownPath(['sources', ...below]), where: where(at(below)), message });
  };
  for (const issue of found.issues ?? []) refuse(issue.message, isList ? issue.path : issue.path.slice(1));
  return validEntries(isList ? value : (value as { sources?: unknown }).sources).map(([i, entry]) => ({
    entry: pathsIn(dirname(path), entry),
    refuse: (message, below = []) => refuse(message, [i, ...below]),
    where: (below) => where(at([i, ...below])),
  }));
}

function filesOf(settings: ConfigSettings): readonly string[] {
  const patterns = settings.value(FILES) ?? [];
  return patterns.flatMap((pattern, i) => {
    const absolute = settings.pathOf(FILES, pattern) ?? pattern;
    const found = globSync(absolute).sort();
    if (found.length === 0) {
      if (/[*?[{]/.test(pattern)) settings.emptySourceFiles.push(i);
      else settings.refuse(FILES, `${absolute} does not exist`, [i]);
    }
    return found;
  });
}

/** All sources that are written down, those of the configuration file first. Reports invalid files. */
export function writtenSources(settings: ConfigSettings): readonly WrittenSource[] {
  const raw = settings.rawSetting(LIST)?.raw;
  const own = validEntries(raw).map(
    ([i, entry]): WrittenSource => ({
      entry: pathsIn(settings.folder, entry),
      refuse: (message, path = []) => settings.refuse(LIST, message, [i, ...path]),
      where: (path) => settings.rawSetting(LIST)?.where([i, ...path]) ?? '',
    }),
  );
  return [...own, ...filesOf(settings).flatMap((path) => entriesOfFile(settings, path))];
}
