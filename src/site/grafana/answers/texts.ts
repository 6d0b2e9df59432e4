/** Names that a sentence lists. */
const MAX_NAMES = 5;

/** `a, b, c, d, e and 7 more` */
export function namesText(names: readonly string[], most = MAX_NAMES): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** `4,812` */
export const countText = (count: number): string => count.toLocaleString('en-US');

/** `1 row`, `4,812 rows` */
export const countedText = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
