import { z } from 'zod';
import { type PriceEntry, priceKey } from '../../base/model/prices.ts';
import { nearest } from '../../base/settings/names.ts';
import { mapOf, read, strictListOf } from '../../base/settings/structures.ts';
import { anyText, integer, localDay, oneOf, text } from '../../base/settings/values.ts';
import { type EntryFile, type EntryFormat, readEntryFile } from './entry-file.ts';
import type { Problem } from './problems.ts';

/** The file of `rightsizing.price_file`. Messages do not repeat prices. */

const EXAMPLE = 'vendor_license,feature,price,currency';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** A name, in which `%` matches any text. */
const name = text.refine((value) => value !== '*', { error: 'is *, but the wildcard of prices is %' });

const HIGHEST = 1e12;

const price = z
  .preprocess((raw) => (typeof raw === 'string' && /^\d+(?:\.\d+)?$/.test(raw.trim()) ? Number(raw) : raw), z.unknown())
  .transform((raw, context): number => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (raw === undefined) return refuse('is required');
    if (typeof raw === 'string' && /^-\s*\d/.test(raw.trim())) return refuse('is negative');
    if (typeof raw !== 'number' || !Number.isFinite(raw)) {
      return refuse('is not a number; write it with a point and without separators, for example 1250.50');
    }
    if (raw < 0) return refuse('is negative');
    return raw > HIGHEST ? refuse(`is higher than ${HIGHEST}`) : raw;
  });

const currency = text.refine((code) => currencies.has(code), {
  error: 'is not a currency of ISO 4217 in capital letters, such as EUR',
});

const shape = {
  vendor_license: name,
  feature: name.prefault('%'),
  package: name.prefault('%'),
  price,
  currency,
  per: oneOf('year', 'month', 'once').prefault('year'),
  renewal: localDay.optional(),
  notice_days: integer(0, 3650).optional(),
  note: anyText.prefault(''),
};

/** The columns of a price file, in the order of the documentation. */
const priceColumns: readonly string[] = Object.keys(shape);

const requiredColumns: readonly string[] = ['vendor_license', 'price', 'currency'];

/** Empty values count as absent ones. */
const withoutEmpty = (raw: unknown): unknown =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null && value !== ''))
    : raw;

const priceEntry = z.preprocess(withoutEmpty, mapOf(shape)).transform(
  ({ vendor_license, notice_days, renewal, ...entry }): PriceEntry => ({
    ...entry,
    vendorLicense: vendor_license,
    renewal,
    noticeDays: notice_days,
  }),
);

function columnProblem(column: string): string | undefined {
  if (priceColumns.includes(column)) return undefined;
  const near = nearest(column, priceColumns);
  return `is an unknown column; ${near === undefined ? `valid are ${priceColumns.join(', ')}` : `did you mean ${near}?`}`;
}

function headerProblem(names: readonly string[]): Omit<Problem, 'where'> | undefined {
  const key = requiredColumns.find((column) => !names.includes(column));
  if (key === undefined) return undefined;
  return { key, message: `is required: the first line names the columns, for example ${EXAMPLE}` };
}

/** Entries with the same licenses: only the first of them would count. */
function repeated(entries: readonly { readonly entry: PriceEntry; readonly where: string }[]): readonly Problem[] {
  const places = new Map<string, string>();
  return entries.flatMap(({ entry, where }): readonly Problem[] => {
    const key = priceKey(entry);
    const before = places.get(key);
    if (before === undefined) {
      places.set(key, where);
      return [];
    }
    const message = `has the same vendor_license, feature and package as ${before}; remove one of them`;
    return [{ key: '', where, message }];
  });
}

const format: EntryFormat<PriceEntry> = {
  name: 'prices',
  schema: strictListOf(priceEntry),
  example: EXAMPLE,
  separators: [',', ';'],
  columnProblem,
  headerProblem,
  readRow: (row) => {
    const found = read(priceEntry, row);
    if (found.issues === undefined) return found.value;
    const [issue] = found.issues;
    const key = String(issue?.path[0] ?? '');
    const isMissing = issue?.message === 'is required' && key === 'vendor_license';
    return { key, message: isMissing ? 'is empty; write % for all vendor licenses' : (issue?.message ?? '') };
  },
  check: repeated,
};

/** Reads the file. Each problem has its line. */
export const readPriceFile = (path: string): EntryFile<PriceEntry> => readEntryFile(path, format);
