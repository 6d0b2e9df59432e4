import { z } from 'zod';
import { mapOf, strictListOf } from '../../../base/settings/structures.ts';
import type { SectionOf } from '../../../base/settings/table.ts';
import { boolean, integer, isNot, localDay, scheduleNeverOff, text } from '../../../base/settings/values.ts';
import type { WithoutReservations } from './without-reservations.ts';

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

/** A name, in which `%` matches any text. */
const name = text.refine((value) => value !== '*', { error: 'is *, but the wildcard is %' });

const withoutReservations = mapOf({
  vendor_license: name,
  feature: name.prefault('%'),
  from: localDay.optional(),
  until: localDay.optional(),
})
  .refine(({ from, until }) => from === undefined || until === undefined || from <= until, {
    error: 'is before from; exchange the two dates',
    path: ['until'],
  })
  .transform(({ vendor_license, ...entry }): WithoutReservations => ({ ...entry, vendorLicense: vendor_license }));

/** The advice on numbers of licenses, and what it may assume. */
export const rightsizing = z
  .strictObject({
    enabled: boolean
      .prefault(true)
      .describe('Whether advice on the number of licenses is computed from the recorded history, once a night.'),
    schedule: scheduleNeverOff('cannot be off; set rightsizing.enabled to false instead')
      .prefault('20 0 * * *')
      .describe(
        'When it is computed: a cron expression in the time zone of the analyzer. It should be soon after midnight: the advice is based on the days before.',
      ),
    tolerance: integer(0, 8760)
      .prefault(4)
      .describe('Hours a year for which the number of licenses that is needed may be exceeded.'),
    working_time: workingTime
      .prefault('Mon-Fri 08-18')
      .describe(
        'Days of the week and hours of the clock in which people work, for example `Mon-Thu,Sat 07-19`. The second hour is the first one after work.',
      ),
    without_reservations: strictListOf(withoutReservations).prefault([]).meta({
      description:
        'Where no licenses are reserved, although the history does not say so: entries with `vendor_license`, and optionally `feature` and the days `from` and `until`. See [Reservations](rightsizing.md#reservations).',
      fileOnly: true,
    }),
    max_features: integer(1, 1_000_000)
      .prefault(2000)
      .describe(
        'Maximum number of features for which the history is requested from an analyzer outside this process: 3 requests for each. The first ones by name are taken, the others get no advice.',
      ),
    price_file: text
      .optional()
      .describe(
        'File with prices of licenses: CSV with a header, YAML or JSON, see [Prices](rightsizing.md#prices). It is read again when it changes.',
      ),
  })
  .describe('Advice on the number of licenses.');

/** The advice on the number of licenses. */
export type RightsizingSection = SectionOf<typeof rightsizing>;
