/** Numbers as they are written in a sentence. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1,240`, `16`, `3.4`. */
export const numberText = (value: number): string => (Math.abs(value) < 10 ? tenths : whole).format(value);

/** `1 day`, `16 days`. */
export function plural(value: number, unit: string): string {
  const text = numberText(value);
  return `${text} ${unit}${text === '1' ? '' : 's'}`;
}
