import type { AlertState, Labels } from './alert.ts';
import { isHeld, type ShownState, severities, shownStates } from './alert-classes.ts';
import type { Severity } from './rule.ts';

/** Which alerts the page `/alerts` shows, by the query of its URL. */

/** Which alerts a page shows. */
export interface AlertFilter {
  /** Words that labels or the summary contain. */
  readonly words: string;
  readonly severity: Severity | undefined;
  readonly state: ShownState | undefined;
  readonly owner: string | undefined;
  /** The anchor of an alert that is shown in any case: notifications link to it. */
  readonly alert: string | undefined;
}

/** Longest value of the query. */
const MAX_LENGTH = 200;

/**
 * The filter of a query. A value that is not valid does not filter.
 *
 * @returns the filter, and a sentence about each value that is not valid
 */
export function readFilter(query: unknown): { readonly filter: AlertFilter; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const values = (query ?? {}) as Readonly<Record<string, string | readonly string[] | undefined>>;
  const text = (name: string): string | undefined => {
    const value = values[name];
    const first = typeof value === 'string' ? value : value?.[0];
    const trimmed = first?.trim().slice(0, MAX_LENGTH);
    return trimmed === '' ? undefined : trimmed;
  };
  const oneOf = <T extends string>(name: string, valid: readonly T[]): T | undefined => {
    const value = text(name);
    const known = valid.find((one) => one === value);
    if (value !== undefined && known === undefined) {
      problems.push(`There is no ${name} ${JSON.stringify(value)}. Valid are ${valid.join(', ')}.`);
    }
    return known;
  };
  return {
    filter: {
      words: text('q') ?? '',
      severity: oneOf('severity', severities),
      state: oneOf('state', shownStates),
      owner: text('owner'),
      alert: text('alert'),
    },
    problems,
  };
}

/** The link to the page with a filter. */
export function filterUrl({ words, severity, state, owner }: AlertFilter): string {
  const values = { q: words.slice(0, MAX_LENGTH).toWellFormed(), severity, state, owner };
  const query = new URLSearchParams();
  for (const [name, value = ''] of Object.entries(values)) if (value !== '') query.set(name, value);
  return query.size === 0 ? 'alerts' : `alerts?${query}`;
}

/** Whether anything filters. */
export const isFiltering = (filter: AlertFilter): boolean => filterUrl(filter) !== 'alerts';

/**
 * The two halves of a filter: its subject is its words and its owner. The counts at the top of the page are those of its subject.
 *
 * @param commonLabels labels of all alerts, which match too
 */
export function testsOf({ words, severity, state, owner }: AlertFilter, commonLabels: Labels) {
  const common = Object.values(commonLabels).join('\n').toLowerCase();
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !common.includes(word));
  const hasWords = ({ labels, annotations }: AlertState): boolean => {
    if (wanted.length === 0) return true;
    const text = `${Object.values(labels).join('\n')}\n${annotations.summary ?? ''}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return {
    hasSubject: (alert: AlertState): boolean =>
      (owner === undefined || alert.labels.owner === owner) && hasWords(alert),
    hasUrgency: (alert: AlertState): boolean =>
      (severity === undefined || alert.labels.severity === severity) &&
      (state === undefined || (state === 'held' ? isHeld(alert) : alert.state === state)),
  };
}
