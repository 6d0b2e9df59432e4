import { OperatorError } from '../../base/model/operator-error.ts';

export interface Problem {
  /** The setting; empty if the problem is not about one setting. */
  readonly key: string;
  /** The place: `config.yml:12`, an environment variable or a flag. */
  readonly where: string;
  readonly message: string;
}

/** A problem in one line. */
export const problemText = ({ key, where, message }: Problem): string =>
  `${where}: ${key === '' ? '' : `${key}: `}${message}`;

/** All messages about a configuration that is valid. */
export const warningsOf = (config: {
  readonly warnings: readonly string[];
  readonly withoutEffect: readonly Problem[];
}): readonly string[] => [...config.warnings, ...config.withoutEffect.map(problemText)];

/** A bcrypt hash, or the beginning of one, wherever it was written by mistake: as a name or as another value. */
const BCRYPT = /\$2[a-z]?\$[$./\w]*/g;
const withoutHash = (text: string): string => text.replaceAll(BCRYPT, '<hash>');

/** All problems of a configuration. It repeats no hash of a password. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  /** As of doctor: starting again does not help. */
  override readonly exitCode = 2;
  readonly problems: readonly Problem[];

  constructor(found: readonly Problem[]) {
    const problems = found.map(({ key, where, message }) => ({
      key: withoutHash(key),
      where,
      message: withoutHash(message),
    }));
    super(problems.map(problemText).join('\n'));
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
