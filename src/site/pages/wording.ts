import { type Html, html } from '../../base/html/html.ts';
import { expiryDay } from '../../base/model/expiry-day.ts';
import { type Figure, unknown } from '../../base/model/unknown.ts';
import { dayDistanceText, durationText, localDateText, localTimeText, numberText } from '../../base/texts.ts';
import { DatasourceError } from '../grafana/answers/errors.ts';

/** Times and numbers as the pages write them. */

/** A value, or why it is not known. */
export type Known<T> = { readonly value: T } | { readonly reason: string };

/** Reads a value of which a page can do without. Anything but an error for users is a bug. */
export async function attempt<T>(read: () => Promise<T>): Promise<Known<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof DatasourceError) return { reason: error.message };
    throw error;
  }
}

const DAY = 86_400;

/** What times on a page depend on. */
export interface Clock {
  /** Epoch seconds. */
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** A number, or words for one that is not known. */
export const known = (value: Figure | undefined): string | Html =>
  value === undefined || value === unknown ? html`<span class="unknown">not known</span>` : numberText(value);

/** `4m`, with the time since which that is. */
export const durationHtml = (since: number, { now, timeZone }: Clock): Html =>
  html`<time datetime="${new Date(since * 1000).toISOString()}" title="${localTimeText(since, timeZone)}">${durationText(now - since)}</time>`;

/** `4m 10s`: how long it is until a time. */
export const untilHtml = (at: number, { now, timeZone }: Clock): Html =>
  html`<time datetime="${new Date(at * 1000).toISOString()}" title="${localTimeText(at, timeZone)}">${durationText(at - now)}</time>`;

/** `4m ago`, or `never`. */
export const agoHtml = (at: number | undefined, clock: Clock): Html =>
  at === undefined ? html`never` : html`${durationHtml(at, clock)} ago`;

/** A text in which the currency stays on the line of its amount, and the unit on that of its number. */
export const unbroken = (text: string): string =>
  text.replace(/\b([A-Z]{3}) (?=\d)/g, '$1\u00a0').replace(/(\d) (?=(?:h|min|s|%)(?!\w))/g, '$1\u00a0');

/** `2026-12-24`, on one line. */
export const dayHtml = (day: string): Html => html`<time datetime="${day}">${day}</time>`;

/** A text with each of its days on one line. */
export const proseHtml = (text: string): Html =>
  html`${text.split(/\b(\d{4}-\d\d-\d\d)\b/).map((part, i) => (i % 2 === 1 ? dayHtml(part) : part))}`;

/** A reason as a sentence. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** `2026-12-24, in 31 days` */
export function expiryHtml(at: Figure, { now, timeZone }: Clock): Html {
  if (at === unknown) return html`<span class="unknown">expiry not known</span>`;
  const day = expiryDay(at, timeZone);
  if (day === undefined) return html`permanent`;
  const distance = dayDistanceText((Date.parse(day) - Date.parse(localDateText(now, timeZone))) / (DAY * 1000));
  const date = dayHtml(day);
  if (at <= now) return html`<span class="bad">expired</span> ${date}, ${distance}`;
  const name = at - now <= 7 * DAY ? 'bad' : at - now <= 30 * DAY ? 'warn' : 'number';
  return html`expires ${date}, <span class="${name}">${distance}</span>`;
}

/** That no history is recorded, at the top of a page. @param reason `undefined` while it is recorded */
export const notRecordedHtml = (reason: string | undefined): Html | undefined =>
  reason === undefined
    ? undefined
    : html`<div class="problem" role="alert"><p><b>History is not recorded.</b> ${reason}</p></div>\n`;

/** What is not known, as a paragraph. */
export const unknownHtml = (reason: string): Html => html`<p class="unknown">${sentence(reason)}</p>`;
