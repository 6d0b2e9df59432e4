import type { OwnerEntry } from '../../../base/model/owners.ts';
import { countText } from '../../../base/texts.ts';
import { type Problem, problemText } from '../problems.ts';
import type { SiteNames } from './site-names.ts';

/** Whether each pattern and each name of the configuration has an effect. One mechanism for all of them, wherever it is asked. */

/** What is known when it is asked. `check-config` knows no site; `doctor` and a daemon do. */
export interface Known {
  readonly owners: readonly OwnerEntry[];
  /** Names of the users of the web config; `undefined` without one. */
  readonly users: ReadonlySet<string> | undefined;
  readonly site: SiteNames | undefined;
}

/**
 * `unknown` while what could have the name is not all known: then nothing is said. With a `hint`, it is not known either, but the
 * text is probably a pattern of another kind: `check-config`, which knows no site, says so.
 */
export type Effect = 'some' | 'unknown' | { readonly none: string } | { readonly hint: string };

/** A pattern or a name, with its place and whether it has an effect. */
export interface NamedPart {
  /** `owners[3]`; empty for a row of a file. */
  readonly key: string;
  /** `config.yml:12`. */
  readonly where: string;
  /** What is missing is said with the remedy. */
  effectIn(known: Known): Effect;
}

/** What was found. */
export interface Effects {
  readonly problems: readonly Problem[];
  /** Those of some that are not known. */
  readonly hints: readonly Problem[];
  /** Of which it is not known whether they have an effect. */
  readonly unknown: readonly NamedPart[];
}

/** Looks at each part. Yields between them, because a price list has thousands. */
export function* lookAt(parts: readonly NamedPart[], known: Known): Generator<void, Effects> {
  const problems: Problem[] = [];
  const hints: Problem[] = [];
  const unknown: NamedPart[] = [];
  for (const part of parts) {
    const { key, where } = part;
    const effect = part.effectIn(known);
    if (effect === 'unknown') unknown.push(part);
    else if (effect !== 'some' && 'none' in effect) problems.push({ key, where, message: effect.none });
    else if (effect !== 'some') {
      hints.push({ key, where, message: effect.hint });
      unknown.push(part);
    }
    yield;
  }
  return { problems, hints, unknown };
}

/**
 * The effect of a text that is probably a pattern of another kind.
 *
 * @param effect that of the text as it is
 * @param hint why it is probably one; `undefined` if it is not
 */
export function withHint(effect: Effect, hint: string | undefined, { site }: Known): Effect {
  if (hint === undefined || effect === 'some') return effect;
  if (effect === 'unknown') return site === undefined ? { hint } : effect;
  return { none: hint };
}

/** Of one setting or one file, at most this many are named. */
const MOST = 5;

/** The setting or the file of a problem, without the place in it. */
const groupOf = ({ key, where }: Problem): string =>
  key === '' ? where.replace(/:\d+$/, '') : key.replace(/\[\d+\].*$/, '');

/** The first problems of each setting and of each file, and how many more there are, for the log. */
export const shortened = (problems: readonly Problem[]): readonly string[] =>
  [...Map.groupBy(problems, groupOf)].flatMap(([group, found]) => {
    const more = found.length - MOST;
    if (more <= 0) return found.map(problemText);
    const rest = `${group}: ${countText(more, 'more entry has', 'more entries have')} no effect; license-exporter doctor names all`;
    return [...found.slice(0, MOST).map(problemText), rest];
  });
