import { byUrgency, type Urgency } from '../../base/model/urgency.ts';
import { visible } from '../../base/model/visible-text.ts';
import { capitalized, countText, localTimeText } from '../../base/texts.ts';
import type { Labels } from '../alerts/alert.ts';
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

/** What the name of an alert does not say. */
const otherWords: Readonly<Record<string, string>> = { LicenseSourceDown: 'down or cannot be read' };

/** `server down` of LicenseServerDown. */
const wordsOf = ({ alertname = '' }: Labels): string =>
  otherWords[alertname] ??
  line(alertname.replace(/^License(?=[A-Z])/, '').replace(/(?<=[a-z0-9])([A-Z])/g, ' $1')).toLowerCase();

type Timed = Pick<Notice, 'labels' | 'episodes'>;

/** How urgent an alert is. An expiry has its day, because the time of it is in no label; all else began with the alert. */
function urgencyOf({ labels: { severity, expires = '' }, episodes }: Timed): Urgency {
  const day = Date.parse(expires) / 1000;
  return { severity, at: Number.isNaN(day) ? episodes.at(-1)?.startsAt : day };
}

/** The most severe first, then by the moment of harm, and then by name. */
export const bySeverity = (a: Timed, b: Timed): number =>
  byUrgency(urgencyOf(a), urgencyOf(b)) || (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1);

/** `replaced`: the alert has ended, and is not over: it goes on with another severity or owner, or is not seen any more. */
export type ShownState = NoticeState | 'replaced';

/** The state of an alert now. */
export function stateOf({ episodes }: Notice): ShownState {
  const last = episodes.at(-1);
  // what is not known is not resolved
  if (last === undefined) return 'no data';
  return last.state === 'resolved' && last.ending !== undefined ? 'replaced' : last.state;
}

/** How an alert has ended that is not over: `now critical`, `no longer listed by the analyzer`. */
export const endingOf = ({ episodes }: Notice): string => shortName(episodes.at(-1)?.ending ?? '');

/** `now critical` of an alert that is not over; `resolved` of one that is. */
const endText = (notice: Notice): string => (stateOf(notice) === 'replaced' ? endingOf(notice) : 'resolved');

/** What has become of alerts that do not fire: `2 resolved, 1 now critical, no data about 3`. */
export function endsText(notices: readonly Notice[]): string {
  const unknown = notices.filter((notice) => stateOf(notice) === 'no data').length;
  const ended = notices.filter((notice) => ['resolved', 'replaced'].includes(stateOf(notice)));
  const counts = [...Map.groupBy(ended, endText)].map(([text, { length }]) => `${length} ${text}`);
  return [...counts, ...(unknown === 0 ? [] : [`no data about ${unknown}`])].join(', ');
}

const alertCount = (number: number): string => countText(number, 'alert');

/** `server down (2 alerts)`, `resolved`, `now with cad-team`, `no data about 2 alerts`. */
export function statusText(notices: readonly Notice[], isReminder: boolean): string {
  const in_ = (state: ShownState): readonly Notice[] => notices.filter((notice) => stateOf(notice) === state);
  const [firing, unknown] = [in_('firing'), in_('no data')];
  const [first] = firing.toSorted(bySeverity);
  if (first !== undefined) {
    const again = isReminder ? 'still ' : '';
    const others = firing.length === 1 ? '' : ` (${alertCount(firing.length)})`;
    return `${again}${wordsOf(first.labels)}${others}`;
  }
  if (unknown.length > 0) return `no data about ${alertCount(unknown.length)}`;
  if (new Set(notices.map(endText)).size > 1) return endsText(notices);
  const [ended] = notices.toSorted((a, b) => Number(b.isNew) - Number(a.isNew) || bySeverity(a, b));
  if (ended === undefined) return '';
  return `${ended.isNew ? `${wordsOf(ended.labels)}, ` : ''}${endText(ended)}`;
}

/** `Critical: ` or `Warning: ` of what fires, for the beginning of a title. */
export function severityText(notices: readonly Notice[]): string {
  const [worst] = notices.filter((notice) => stateOf(notice) === 'firing').toSorted(bySeverity);
  const { severity = '' } = worst?.labels ?? {};
  return severity === 'critical' || severity === 'warning' ? `${capitalized(severity)}: ` : '';
}

/** When an alert began and ended. */
export function timeText({ startsAt, state, at }: Episode, timeZone: string): string {
  const time = (seconds: number): string => localTimeText(seconds, timeZone);
  if (state === 'firing') return `firing since ${time(startsAt)}`;
  if (state === 'resolved') return `from ${time(startsAt)} to ${time(at)}`;
  return `firing since ${time(startsAt)}, no data any more at ${time(at)}`;
}
