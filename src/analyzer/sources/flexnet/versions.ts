/** Zeros at the end of a fraction do not change it. */
function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}

/**
 * Versions of features are decimal numbers, such as `2024.0331`: 1.10 is before 1.2, and 1.0 is 1.000. Parts after a second
 * point are compared alike.
 *
 * @returns below 0 if `a` is before `b`, 0 if they are the same
 */
export function compareVersions(a: string, b: string): number {
  const [aWhole = '', ...aParts] = a.split('.');
  const [bWhole = '', ...bParts] = b.split('.');
  const whole = aWhole.localeCompare(bWhole, 'en', { numeric: true });
  if (whole !== 0) return whole;
  for (let at = 0; at < Math.max(aParts.length, bParts.length); at += 1) {
    const one = withoutZeros(aParts[at] ?? '');
    const other = withoutZeros(bParts[at] ?? '');
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Whether two versions are equal as FlexNet compares them: `1.0` is `1.00`. */
export const isSameVersion = (a: string, b: string): boolean => compareVersions(a, b) === 0;
