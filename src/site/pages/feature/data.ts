import { dateText } from '../../../base/model/local-time.ts';
import type { Backend } from '../../grafana/answers/backend.ts';
import { completeRows } from '../../grafana/protocols/rows.ts';
import type { FeatureName } from '../links.ts';

/** What the analyzer knows about the last 30 days of a feature, and about who holds it now. */

/** Days of the picture. */
const DAYS = 30;

/** A day of the picture. What is not known is `undefined`. */
export interface HistoryDay {
  /** `2026-11-18` */
  readonly date: string;
  readonly maxInUse: number | undefined;
  readonly maxAvailable: number | undefined;
  readonly denials: number | undefined;
}

export interface WeekHour {
  /** Of the clock, 0 to 23. */
  readonly hour: number;
  /** `Mon` */
  readonly weekday: string;
  readonly maxInUse: number | undefined;
}

interface HistoryAnswer {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly max_available: number | null;
  readonly denials: number | null;
}

interface HourAnswer {
  readonly hour: number;
  readonly weekday: string;
  readonly value: number | null;
}

interface ReservedAnswer {
  readonly category: string;
  readonly max_in_use: number | null;
}

/** Someone who holds or waits for a license. Names are as the configuration shows them. */
export interface Holder {
  readonly user: string;
  readonly host: string;
  /** Epoch milliseconds. */
  readonly since: number | null;
  readonly licenses: number | null;
  readonly queued: number | null;
  readonly borrowed: number | null;
  readonly application: string | null;
}

/** The advice on one package of a feature, as `/rows` writes it. */
export interface AdviceAnswer {
  readonly package: string;
  readonly reason: string;
}

/** @throws DatasourceError */
export async function readHistory(
  { vendorLicense, feature }: FeatureName,
  backend: Backend,
  signal: AbortSignal,
): Promise<readonly HistoryDay[]> {
  const { localTime, now } = backend;
  const today = localTime.dayOf(now());
  const first = today - DAYS + 1;
  const range = { from: String(localTime.startOf(first) * 1000), to: String(now() * 1000) };
  const asked = { product: vendorLicense, feature, ...range };
  const [history, reserved] = await Promise.all([
    completeRows('history', asked, backend, signal),
    completeRows('reserved', asked, backend, signal),
  ]);
  const byDay = new Map(
    [...(history as Iterable<HistoryAnswer>)].map((row) => [localTime.dayOf(row.time / 1000), row]),
  );
  const peaks = new Map([...(reserved as Iterable<ReservedAnswer>)].map((row) => [row.category, row.max_in_use]));
  return Array.from({ length: DAYS }, (_, i) => {
    const date = dateText(first + i);
    const known = byDay.get(first + i);
    return {
      date,
      maxInUse: peaks.get(date) ?? undefined,
      maxAvailable: known?.max_available ?? undefined,
      denials: known?.denials ?? undefined,
    };
  });
}

/** The last seven days by the hour. @throws DatasourceError */
export async function readWeek(
  { vendorLicense, feature }: FeatureName,
  backend: Backend,
  signal: AbortSignal,
): Promise<readonly WeekHour[]> {
  const asked = { product: vendorLicense, feature, last: 'last-7-days' };
  const hours = [...(await completeRows('heatmap', asked, backend, signal))] as readonly HourAnswer[];
  return hours.map(({ hour, weekday, value }) => ({ hour, weekday, maxInUse: value ?? undefined }));
}

/** Who holds it longest first. @throws DatasourceError also if names are not served to the user of the request */
export async function readHolders(
  { vendorLicense, feature }: FeatureName,
  backend: Backend,
  signal: AbortSignal,
): Promise<readonly Holder[]> {
  const rows = await completeRows('users', { product: vendorLicense, feature, sort: 'Since' }, backend, signal);
  return [...rows] as Holder[];
}

/** The sentences, which have no prices. @throws DatasourceError */
export async function readAdvice(
  { vendorLicense, feature }: FeatureName,
  backend: Backend,
  signal: AbortSignal,
): Promise<readonly AdviceAnswer[]> {
  const unpriced = { ...backend, prices: { ...backend.prices, onServed: () => undefined } };
  const rows = await completeRows('rightsizing', { product: vendorLicense, feature }, unpriced, signal);
  return [...rows] as AdviceAnswer[];
}
