import { type Html, html, joined } from '../../base/html/html.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { countText, numberText } from '../../base/texts.ts';

/** The states of the license managers that are read, as pages count and name them. */

/** Messages write names of settings and commands in backquotes. */
const messageHtml = (message: string): Html =>
  html`${message.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;

/** From what needs attention to what does not. */
const states = ['down', 'unread', 'unknown', 'detail', 'up'] as const;
type SourceState = (typeof states)[number];

/** The states in words. */
export const sourceStateText: Readonly<Record<SourceState, string>> = {
  down: 'down',
  unread: 'cannot be read',
  unknown: 'not read yet',
  detail: 'up, with a problem',
  up: 'up',
};

/** The classes of the row and of its words. */
export const sourceClass: Readonly<Record<SourceState, readonly [row: string, words: string]>> = {
  down: ['is-bad', 'bad'],
  unread: ['is-bad', 'bad'],
  unknown: ['is-unknown', 'unknown'],
  detail: ['is-warn', 'warn'],
  up: ['is-good', 'good'],
};

const isUnderstood = ({ lastDiagnostics }: SourceHealth): boolean => (lastDiagnostics?.unparsed ?? 0) === 0;

/** The state of a source, as every page counts it. */
export function sourceState(health: SourceHealth): SourceState {
  if (health.up === undefined) return 'unknown';
  if (!health.up) return health.isServerDown === true ? 'down' : 'unread';
  return health.problems.length > 0 || !isUnderstood(health) ? 'detail' : 'up';
}

function notUnderstoodHtml({ unparsed, masks }: NonNullable<SourceHealth['lastDiagnostics']>): Html {
  const examples = joined(
    masks.map((mask) => html`<code>${mask}</code>`),
    ' ',
  );
  return html`<p>${countText(unparsed, 'line was', 'lines were')} not understood, for example ${examples}. Run <code>license-exporter capture</code> and report them.</p>`;
}

/** What is wrong with a source, and what of its output is not understood. */
export function problemsHtml(health: SourceHealth): Html {
  const { problems, lastDiagnostics } = health;
  const lines = problems.map(({ kind, message }) => html`<p><strong>${kind}</strong>: ${messageHtml(message)}</p>`);
  const isMissed = lastDiagnostics !== undefined && !isUnderstood(health);
  return html`${lines}${isMissed ? notUnderstoodHtml(lastDiagnostics) : undefined}`;
}

/** Sources, those that need attention first. */
export function byUrgency(sources: readonly SourceHealth[]): readonly SourceHealth[] {
  const byState = Map.groupBy(sources, sourceState);
  return states.flatMap((state) => byState.get(state) ?? []);
}

/** Whether people should look at a source. */
export function needsAttention(health: SourceHealth): boolean {
  const state = sourceState(health);
  return state !== 'up' && state !== 'unknown';
}

/** `3 sources: 1 down; 2 up` */
export function sourcesText(sources: readonly SourceHealth[]): string {
  const byState = Map.groupBy(sources, sourceState);
  const counts = states.flatMap((state) => {
    const { length = 0 } = byState.get(state) ?? [];
    return length === 0 ? [] : [`${numberText(length)} ${sourceStateText[state]}`];
  });
  return [countText(sources.length, 'source'), ...(counts.length === 0 ? [] : [counts.join('; ')])].join(': ');
}
