import { editDistance } from '../model/edit-distance.ts';
import { OperatorError } from '../model/operator-error.ts';

/** A problem of the configuration. */
export interface Problem {
  /** The setting; empty if the problem is not about one setting. */
  readonly key: string;
  /** The place: `config.yml:12`, an environment variable or a flag. */
  readonly where: string;
  readonly message: string;
}

/** A bcrypt hash, or the beginning of one, wherever it was written by mistake: as a name or as another value. */
const BCRYPT = /\$2[a-z]?\$[$./\w]*/g;
const withoutHash = (text: string): string => text.replaceAll(BCRYPT, '<hash>');

/** All problems of a configuration. It repeats no hash of a password. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(found: readonly Problem[]) {
    const problems = found.map(({ key, where, message }) => ({
      key: withoutHash(key),
      where,
      message: withoutHash(message),
    }));
    super(problems.map(({ key, where, message }) => `${where}: ${key === '' ? '' : `${key}: `}${message}`).join('\n'));
    this.problems = problems;
  }
}

/** Problems of each file, sorted by line. Problems of the same place keep their order. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const placeOf = ({ where }: Problem): readonly [file: string, line: number] => {
    const [, file = where, line] = /^(.*):(\d+)$/.exec(where) ?? [];
    return [file, Number(line ?? 0)];
  };
  const groups = Map.groupBy(problems, (problem) => placeOf(problem)[0]);
  return [...groups.values()].flatMap((group) => group.sort((a, b) => placeOf(a)[1] - placeOf(b)[1]));
}

/** Minimum length of an abbreviation. */
const BEGINNING = 4;

/** The known name that is probably meant: the nearest one, or the only one that starts with the text. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, far: editDistance(written, candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  if (best !== undefined && best.far <= Math.max(2, name.length / 3)) return best.candidate;
  const begun = name.length < BEGINNING ? [] : known.filter((candidate) => candidate.toLowerCase().startsWith(written));
  return begun.length === 1 ? begun[0] : undefined;
}

/** Whether an unknown name probably means a known one: it is misspelt, or it is the secret that belongs into that file. */
export const mayMean = (name: string, known: string): boolean =>
  `${name}_file` === known || nearest(name, [known]) === known;

/** The message for an unknown name. It suggests the name that is probably meant, or lists all. */
export const unknownName = (near: string | undefined, known: readonly string[]): string =>
  near === undefined ? `unknown setting; valid are ${known.join(', ')}` : `unknown setting, did you mean ${near}?`;

/** `, did you mean …?` with the nearest known name after a prefix, or an empty string. */
export function suggest(name: string, known: readonly string[], prefix = ''): string {
  const near = nearest(name, known);
  return near === undefined ? '' : `, did you mean ${prefix}${near}?`;
}
