import { OperatorError } from '../model/operator-error.ts';

/** One thing wrong with the configuration. */
export interface Problem {
  /** The setting, or what else is wrong. */
  readonly key: string;
  /** Where it was said: `config.yml:12`, an environment variable or a flag. */
  readonly where: string;
  readonly message: string;
}

/** Everything wrong with the configuration, at once. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ key, where, message }) => `${where}: ${key === '' ? '' : `${key}: `}${message}`).join('\n'));
    this.problems = problems;
  }
}

/** Problems as one reads a file: by line. Those of one place stay as they are. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const placeOf = ({ where }: Problem): readonly [file: string, line: number] => {
    const [, file = where, line] = /^(.*):(\d+)$/.exec(where) ?? [];
    return [file, Number(line ?? 0)];
  };
  const groups = Map.groupBy(problems, (problem) => placeOf(problem)[0]);
  return [...groups.values()].flatMap((group) => group.sort((a, b) => placeOf(a)[1] - placeOf(b)[1]));
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Letters of a name that are enough to tell what it begins. */
const BEGINNING = 4;

/** The known name that another one was probably meant to be: the nearest, or the only one that it begins. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(written, candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  if (best !== undefined && best.far <= Math.max(2, name.length / 3)) return best.candidate;
  const begun = name.length < BEGINNING ? [] : known.filter((candidate) => candidate.toLowerCase().startsWith(written));
  return begun.length === 1 ? begun[0] : undefined;
}

/** Whether an unknown name was probably meant to be a known one: misspelt, or the secret that belongs into that file. */
export const mayMean = (name: string, known: string): boolean =>
  `${name}_file` === known || nearest(name, [known]) === known;

/** What to say of a name that is not known: the one it was probably meant to be, or all. */
export const unknownName = (near: string | undefined, known: readonly string[]): string =>
  near === undefined ? `unknown setting; valid are ${known.join(', ')}` : `unknown setting, did you mean ${near}?`;

/** `, did you mean …?` with the nearest of the known names, or nothing when none is near. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '' : `, did you mean ${near}?`;
}
