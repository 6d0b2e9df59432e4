import { dayOfDate } from '../../base/model/local-time.ts';
import { OperatorError } from '../../base/model/operator-error.ts';

/** The day of a flag, counted from 1970-01-01; undefined without a value. @throws OperatorError for another text than a date */
export function dayOfFlag(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  const day = dayOfDate(Number(year), Number(month), Number(date));
  const isDate = Number.isFinite(day) && new Date(day * 86_400_000).toISOString().startsWith(value);
  if (!isDate) throw new OperatorError(`--${flag} ${value} is no date; write it as 2026-01-31`);
  return day;
}
