/** Names that are not known, and what they probably mean. */

/** Levenshtein distance: how many letters must be changed, added or removed to make one text the other. */
export function editDistance(a: string, b: string): number {
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
