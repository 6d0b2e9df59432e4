import { type Html, html, nameHtml } from '../../base/html/html.ts';
import { dayDistanceText, withWeekday } from '../../base/texts.ts';
import { FIRST_STEP } from '../alerts/texts.ts';

/** Lists of mails, by what they are about. What is not listed is counted. */

/** One line of a section. */
export interface Row {
  /** What happens on it, such as `2026-12-24`; empty for what has no single date. */
  readonly date: string;
  /** Days until then, negative for a date of the past; `undefined` without a date. */
  readonly daysLeft: number | undefined;
  /** What it is about: features with their licenses, the first of many; or a sentence. */
  readonly names: string;
  /** Number of alerts that are not named. */
  readonly unlisted: number;
  /** Empty where `names` says it. */
  readonly vendorLicense: string;
  readonly owner: string;
  /** Whether no earlier message was about it. */
  readonly isNew: boolean;
  /** Its alerts on the page of alerts. */
  readonly url: string;
}

/** What is listed together. */
export interface Section {
  readonly title: string;
  /** For the subject, with the number; empty for what the subject only counts. */
  readonly short: string;
  /** Number of alerts. */
  readonly count: number;
  /** Who is hit; empty if that is not said. */
  readonly impact: string;
  /** What to do first; empty if that is not said. */
  readonly step: string;
  /** The section of the runbooks; `undefined` without one. */
  readonly runbook: string | undefined;
  /** The first ones. */
  readonly rows: readonly Row[];
  /** Number of alerts that no row names. */
  readonly unlisted: number;
  /** All its alerts on the page of alerts. */
  readonly url: string;
}

/** Rows of a section. Mail programs cut a mail at 102 KB, and nobody reads that far. */
export const MAX_ROWS = 15;

/** `1 expired, 3 within 30 days, 2 denied` */
export const countsText = (sections: readonly Section[]): string => sections.map(({ short }) => short).join(', ');

/** What is not listed, as the end of a sentence. */
const moreText = ({ unlisted }: Row | Section): string => (unlisted === 0 ? '' : ` and ${unlisted} more`);

const leftText = ({ daysLeft }: Row): string => (daysLeft === undefined ? '' : dayDistanceText(daysLeft));

/** @param showsOwner whether rows name whose they are */
export function sectionText(section: Section, showsOwner: boolean): readonly string[] {
  const { title, impact, step, runbook, rows, unlisted, url } = section;
  const text = (row: Row): string => {
    const owner = showsOwner && row.owner !== '' ? ` (${row.owner})` : '';
    const more = row.unlisted === 0 ? '' : `${moreText(row)}: ${row.url}`;
    const mark = row.isNew ? ' [new]' : '';
    if (row.date === '') return `* ${row.names}${owner}${mark}`;
    return `* ${withWeekday(row.date)}, ${leftText(row)}: ${row.vendorLicense}${owner}: ${row.names}${more}${mark}`;
  };
  return [
    `${title}:`,
    ...[impact, step === '' ? '' : `${FIRST_STEP}${step}`].filter((line) => line !== ''),
    ...(runbook === undefined ? [] : [`What to do: ${runbook}`]),
    ...rows.map(text),
    ...(unlisted === 0 ? [] : [`${moreText(section).trim()}: ${url}`]),
    '',
  ];
}

/** @param showsOwner whether rows name whose they are */
export function sectionHtml(section: Section, showsOwner: boolean): Html {
  const { title, impact, step, runbook, rows, unlisted, url } = section;
  const link = (to: string, text: string): Html => html`<a href="${to}">${nameHtml(text)}</a>`;
  const rowHtml = (row: Row): Html => {
    const { date, names, vendorLicense, owner } = row;
    const mark = row.isNew ? html` <strong>new</strong>` : undefined;
    const whose = showsOwner && owner !== '' ? html` · ${nameHtml(owner)}` : undefined;
    if (date === '') return html`<tr><td colspan="2">${link(row.url, names)}${whose}${mark}</td></tr>\n`;
    return html`<tr><td>${withWeekday(date)}<br><small>${leftText(row)}</small></td><td>${link(row.url, `${names}${moreText(row)}`)}${mark}<br><small>${nameHtml(vendorLicense)}${whose}</small></td></tr>\n`;
  };
  const todo = runbook === undefined ? undefined : html` <a href="${runbook}">What to do</a>`;
  const more =
    unlisted === 0 ? undefined : html`<tr><td colspan="2">${link(url, moreText(section).trim())}</td></tr>\n`;
  return html`<tr><th colspan="2" scope="colgroup">${title}</th></tr>\n<tr><td colspan="2"><small>${nameHtml(impact)}${step === '' ? undefined : html` ${FIRST_STEP}${nameHtml(step)}`}${todo}</small></td></tr>\n${rows.map(rowHtml)}${more}`;
}
