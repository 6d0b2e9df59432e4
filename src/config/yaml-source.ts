import { isMap, isScalar, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { type Problem, suggest } from './problems.ts';
import { type SettingKey, settingKeys, settings } from './settings.ts';

/** A value and where it stands. */
export interface Located {
  readonly value: unknown;
  readonly where: string;
}

/** What a configuration file says. */
export interface FileValues {
  readonly values: ReadonlyMap<SettingKey, Located>;
  readonly problems: readonly Problem[];
}

const isSetting = (path: string): path is SettingKey => Object.hasOwn(settings, path);
const isSection = (path: string): boolean => settingKeys.some((key) => key.startsWith(`${path}.`));

/** Names one may write below a section, for suggestions. */
function namesBelow(section: string): string[] {
  const prefix = section === '' ? '' : `${section}.`;
  const names = settingKeys
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length).split('.')[0] ?? '');
  return [...new Set(names)];
}

/** Reads a configuration file: YAML with the settings as nested keys. Reports everything wrong with it at once. */
export function readConfigFile(source: string, name: string): FileValues {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number | undefined): string =>
    offset === undefined ? name : `${name}:${lines.linePos(offset).line}`;
  const values = new Map<SettingKey, Located>();
  const problems: Problem[] = document.errors.map((error) => ({
    key: '',
    where: at(error.pos[0]),
    message: `not valid YAML: ${error.message.split('\n', 1)[0]}`,
  }));
  if (problems.length > 0) return { values, problems };

  const visit = (map: YAMLMap, section: string): void => {
    for (const { key, value } of map.items) {
      const label = isScalar(key) ? String(key.value) : String(key);
      const path = section === '' ? label : `${section}.${label}`;
      const where = at(isScalar(key) ? key.range?.[0] : undefined);
      if (isSetting(path)) {
        if ('secret' in settings[path]) {
          const message = `a secret must not stand in the file; use ${path}_file, the environment or $CREDENTIALS_DIRECTORY`;
          problems.push({ key: path, where, message });
        } else {
          values.set(path, { value: toPlain(value, document), where });
        }
      } else if (!isSection(path)) {
        const near = suggest(label, namesBelow(section));
        problems.push({ key: path, where, message: `unknown setting${near}` });
      } else if (isMap(value)) {
        visit(value, path);
      } else if (!(isScalar(value) && value.value === null)) {
        const message = `is a section and takes settings below it: ${namesBelow(path).join(', ')}`;
        problems.push({ key: path, where, message });
      }
    }
  };

  const { contents } = document;
  if (isMap(contents)) visit(contents, '');
  else if (contents !== null && !(isScalar(contents) && contents.value === null)) {
    problems.push({ key: '', where: at(0), message: 'the file must hold settings, for instance "analyzer:"' });
  }
  return { values, problems };
}

/** The plain value of a node; aliases are counted, so that a small file cannot grow without bound. */
function toPlain(node: unknown, document: ReturnType<typeof parseDocument>): unknown {
  const { toJS } = (node ?? {}) as { toJS?: (doc: unknown, options: object) => unknown };
  return toJS === undefined ? null : toJS.call(node, document, { maxAliasCount: 100 });
}
