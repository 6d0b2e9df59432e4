/**
 * What a figure is when nobody can say it. It is a symbol, so that the compiler refuses to add it up, to compare it, and to write it
 * into a text. `null` and `undefined` can be replaced by 0 with `??`, and NaN passes everything.
 */
export const unknown: unique symbol = Symbol('unknown');

/** A number of licenses, users or seconds, or a time, of a feature or a vendor license: known, or not. */
export type Figure = number | typeof unknown;

/** Whether a figure is a number. */
export const isKnown = (figure: Figure): figure is number => figure !== unknown;

/** The sum of two figures, not known if one of them is not. */
export const plus = (a: Figure, b: Figure): Figure => (isKnown(a) && isKnown(b) ? a + b : unknown);

/** Which part of a whole a figure is; not known if one of them is not, or if the whole is 0. */
export const shareOf = (part: Figure, whole: Figure): Figure =>
  isKnown(part) && isKnown(whole) && whole !== 0 ? part / whole : unknown;
