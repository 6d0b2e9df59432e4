/** Whether two arrays have the same items in the same order: records and rows that have not changed are the same objects. */
export const isSameArray = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]));
