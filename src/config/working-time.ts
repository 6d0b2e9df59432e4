import { z } from 'zod';
import { isNot, text } from '../settings/values.ts';

/** Hours of the week in which people work. */
interface WorkingTime {
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** From one hour of the clock to before another. */
  readonly from: number;
  readonly to: number;
}

const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAY = '(?:sun|mon|tue|wed|thu|fri|sat)';
const FORM = new RegExp(`^(${DAY}(?:-${DAY})?(?:,${DAY}(?:-${DAY})?)*)\\s+(\\d{1,2})-(\\d{1,2})$`, 'i');

/** The weekdays of `mon-thu,sat`. A range can go over the end of the week. */
function weekdaysOf(days: string): Set<number> {
  const weekdays = new Set<number>();
  for (const range of days.toLowerCase().split(',')) {
    const [first = '', last = first] = range.split('-');
    const end = NAMES.indexOf(last);
    for (let day = NAMES.indexOf(first); ; day = (day + 1) % 7) {
      weekdays.add(day);
      if (day === end) break;
    }
  }
  return weekdays;
}

/** `Mon-Fri 08-18`. */
export const workingTime = text.transform((written, context): WorkingTime => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const [, days, first, last] = FORM.exec(written.trim()) ?? [];
  if (days === undefined) return refuse(isNot('a working time such as "Mon-Fri 08-18"')({ input: written }));
  const [from, to] = [Number(first), Number(last)];
  if (to > 24 || from >= to) {
    return refuse(
      isNot('a working time: its hours must be from 0 to 24, the first below the second')({ input: written }),
    );
  }
  return { weekdays: weekdaysOf(days), from, to };
});
