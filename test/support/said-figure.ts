/** Figures of one answer: what each is of, and the figure, which is `undefined` or `null` if it is not known. */
export type Figures = Iterable<readonly [what: string, figure: number | string | null | undefined]>;

/** A sum. */
export const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

/** What advice is about. */
export const namedAdvice = (feature: string, vendorLicense: string, pkg: string): string =>
  [feature, ...(pkg === '' ? [] : [`package ${pkg}`]), vendorLicense].join(' of ');

const REFUSED = /[Rr]equests were refused on ([\d,]+) of ([\d,]+) days? whose denials are known/;

/** On how many days requests were refused, of how many days that is known, in the sentences of advice. */
export function* refusedInText(name: string, text: string): Figures {
  if (/no request was refused/i.test(text)) yield [`days refused, ${name}`, 0];
  const [, days, known] = REFUSED.exec(text) ?? [];
  if (days === undefined) return;
  yield [`days refused, ${name}`, Number(days)];
  yield [`days with known denials, ${name}`, Number(known)];
}
