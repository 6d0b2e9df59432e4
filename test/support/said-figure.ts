/** Figures of one answer: what each is of, and the figure, which is `undefined` or `null` if it is not known. */
export type Figures = Iterable<readonly [what: string, figure: number | string | null | undefined]>;

/** A sum. */
export const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);
