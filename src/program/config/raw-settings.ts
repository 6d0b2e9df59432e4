import { readText } from '../../base/files/named-files.ts';
import { nearest, unknownName } from '../../base/settings/names.ts';
import { shownPath } from '../../base/settings/structures.ts';
import type { Table } from '../../base/settings/table.ts';
import type { Problem } from './problems.ts';
import { readYaml } from './yaml-source.ts';

/** A raw value and its place: a line of a file, an environment variable or a flag. */
export interface RawSetting {
  readonly raw: unknown;
  readonly isFromFile: boolean;
  /** The place of a part of the value. */
  where(path: readonly PropertyKey[]): string;
}

type Raw = Readonly<Record<string, unknown>>;

const isMap = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The raw values of settings with their places. A later value overrides an earlier one. */
export class RawSettings {
  readonly values = new Map<string, RawSetting>();
  /** Where sections of the file begin, by path. */
  readonly sections = new Map<string, string>();
  readonly problems: Problem[] = [];
  readonly #table: Table;
  /** Settings and sections that are probably meant by unknown names. */
  readonly #meant = new Set<string>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Reports a problem. `meant` is the setting or section that is probably meant; an empty string stands for all of them. */
  refuse(problem: Problem, meant: string | undefined): void {
    this.problems.push(problem);
    if (meant !== undefined) this.#meant.add(meant);
  }

  /** Whether an unknown name probably means this setting. It is then not reported as missing. */
  mayBeMeant(key: string): boolean {
    return [...this.#meant].some((meant) => meant === '' || key === meant || key.startsWith(`${meant}.`));
  }

  /** Adds the settings of a YAML file, and reports everything else in it. Messages show `name` before the line. */
  addFile(path: string, name: string): void {
    const file = readText(path);
    if ('why' in file) {
      this.refuse({ key: '', where: path, message: `the file ${file.why}` }, '');
      return;
    }
    const { value, where, problems } = readYaml(file.text, name);
    for (const problem of problems) this.refuse(problem, value === undefined ? '' : undefined);
    if (value === undefined || value === null) return;
    if (isMap(value)) this.#addSection(value, [], where);
    else {
      const message = `the file must contain settings, for example "${this.#table.namesBelow('')[0]}:"`;
      this.refuse({ key: '', where: where([]), message }, '');
    }
  }

  #addSection(map: Raw, above: readonly string[], where: RawSetting['where']): void {
    for (const [name, raw] of Object.entries(map)) {
      const path = [...above, name];
      const key = shownPath(path);
      const problem = (message: string): Problem => ({ key, where: where(path), message });
      if (this.#table.isSection(key)) this.sections.set(key, where(path));
      const refusal = this.#table.refusalOf(key);
      if (refusal !== undefined) this.refuse(problem(refusal), `${key}_file`);
      else if (this.#table.isSetting(key)) {
        this.values.set(key, { raw, isFromFile: true, where: (below) => where([...path, ...below]) });
      } else if (!this.#table.isSection(key)) {
        const names = this.#table.namesBelow(above.join('.'));
        const known = names.filter((other) => this.#table.refusalOf([...above, other].join('.')) === undefined);
        const near = nearest(name, names);
        // suggests the file of a secret, not the secret
        const suggested = near === undefined || known.includes(near) ? near : `${near}_file`;
        this.refuse(problem(unknownName(suggested, known)), suggested && [...above, suggested].join('.'));
      } else if (isMap(raw)) this.#addSection(raw, path, where);
      else if (raw !== null) {
        const below = this.#table.namesBelow(key).join(', ');
        this.refuse(problem(`is a section; write settings below it: ${below}`), key);
      }
    }
  }
}
