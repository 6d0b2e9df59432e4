import { readText } from './named-files.ts';
import { nearest, type Problem, unknownName } from './problems.ts';
import { shownPath } from './structures.ts';
import type { Table } from './table.ts';
import { readYaml } from './yaml-source.ts';

/** A raw value and where it was written. */
export interface RawSetting {
  readonly raw: unknown;
  readonly isFromFile: boolean;
  /** Where a part of it was written. */
  where(path: readonly PropertyKey[]): string;
}

type Raw = Readonly<Record<string, unknown>>;

const isMap = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The raw values of settings with their places. A value that is added later takes precedence. */
export class RawSettings {
  readonly values = new Map<string, RawSetting>();
  /** Where sections of the file begin, by path. */
  readonly sections = new Map<string, string>();
  readonly problems: Problem[] = [];
  readonly #table: Table;
  /** Settings and sections that unknown names were probably meant to be. */
  readonly #meant = new Set<string>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Reports a problem. `meant` is the setting or section that was probably meant; the empty text stands for all of them. */
  refuse(problem: Problem, meant: string | undefined): void {
    this.problems.push(problem);
    if (meant !== undefined) this.#meant.add(meant);
  }

  /** Whether an unknown name was probably meant to be this setting, so that it is not missing. */
  mayBeMeant(key: string): boolean {
    return [...this.#meant].some((meant) => meant === '' || key === meant || key.startsWith(`${meant}.`));
  }

  /** Adds the settings of a YAML file, and reports everything in it that is not a setting. `name` precedes the lines in messages. */
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
      const message = `the file must hold settings, for instance "${this.#table.namesBelow('')[0]}:"`;
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
        // a secret is not suggested, but the file that holds it
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
