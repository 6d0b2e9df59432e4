import type { Labels } from '../alerts/alert.ts';
import { localTimeText } from '../alerts/texts.ts';
import { visible } from '../html/html.ts';
import type { Episode, Notice, NoticeState } from './ledger.ts';

/** What messages say in words. Names are those of license files: they can contain anything. */

/** Longest name in a subject. */
const MAX_NAME = 100;

/** Marks that change the direction of a text without being seen. `visible` replaces the others. */
const MARKS = /[\u061c\u200b-\u200f\u2060\ufeff]/g;

/** Text on one line, in which every character can be seen. */
export const line = (text: string): string =>
  visible(text).replace(MARKS, '\ufffd').replace(/\s+/g, ' ').trim().toWellFormed();

/** A name for a subject. */
export const shortName = (name: string): string => {
  const characters = [...line(name)];
  return characters.length <= MAX_NAME ? characters.join('') : `${characters.slice(0, MAX_NAME).join('')}…`;
};

/** `server down` of LicenseServerDown. */
const wordsOf = ({ alertname = '' }: Labels): string =>
  line(alertname.replace(/^License(?=[A-Z])/, '').replace(/(?<=[a-z0-9])([A-Z])/g, ' $1')).toLowerCase();

const severities = ['critical', 'warning', 'info'];

/** The most severe first, and then by name. */
export const bySeverity = (a: { readonly labels: Labels }, b: { readonly labels: Labels }): number => {
  const rank = ({ severity = '' }: Labels): number => (severities.indexOf(severity) + 4) % 4;
  return rank(a.labels) - rank(b.labels) || (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1);
};

/** The state of an alert now. */
export const stateOf = ({ episodes }: Notice): NoticeState => episodes.at(-1)?.state ?? 'resolved';

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const alertCount = (number: number): string => count(number, 'alert');

/** `server down (2 alerts)`, `resolved`, `no data about 2 alerts`. */
export function statusText(notices: readonly Notice[], isReminder: boolean): string {
  const in_ = (state: NoticeState): readonly Notice[] => notices.filter((notice) => stateOf(notice) === state);
  const [firing, unknown, resolved] = [in_('firing'), in_('no data'), in_('resolved')];
  const [first] = firing.toSorted(bySeverity);
  if (first !== undefined) {
    const again = isReminder ? 'still ' : '';
    const others = firing.length === 1 ? '' : ` (${alertCount(firing.length)})`;
    return `${again}${wordsOf(first.labels)}${others}`;
  }
  if (unknown.length > 0) return `no data about ${alertCount(unknown.length)}`;
  const [added] = resolved.filter(({ isNew }) => isNew).toSorted(bySeverity);
  return added === undefined ? 'resolved' : `${wordsOf(added.labels)}, resolved`;
}

/** When an alert began and ended. */
export function timeText({ startsAt, state, at }: Episode, timeZone: string): string {
  const time = (seconds: number): string => localTimeText(seconds, timeZone);
  if (state === 'firing') return `firing since ${time(startsAt)}`;
  if (state === 'resolved') return `from ${time(startsAt)} to ${time(at)}`;
  return `firing since ${time(startsAt)}, no data any more at ${time(at)}`;
}
