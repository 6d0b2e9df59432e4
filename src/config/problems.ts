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

/** ` (did you mean …?)` with the nearest of the known names, or nothing when none is near. */
export function suggest(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  return nearest !== undefined && nearest.far <= Math.max(2, name.length / 3)
    ? `, did you mean ${nearest.candidate}?`
    : '';
}
