import { type Html, html } from '../html/html.ts';
import { type AlertFilter, filterUrl, isFiltering, type ShownState, severities, shownStates } from './alert-filter.ts';
import type { AlertCounts } from './alert-selection.ts';

/** The counts and the filter at the top of the page `/alerts`. */

const stateText: Readonly<Record<ShownState, string>> = {
  firing: 'firing',
  pending: 'pending',
  resolved: 'ended lately',
  held: 'without data',
};

interface Tile extends Pick<AlertFilter, 'severity' | 'state'> {
  readonly count: keyof AlertCounts;
  readonly title: string;
  /** Its class if it is not 0. */
  readonly mark: string;
}

const tiles: readonly Tile[] = [
  { count: 'critical', title: 'critical', severity: 'critical', state: 'firing', mark: 'is-bad' },
  { count: 'warning', title: 'warning', severity: 'warning', state: 'firing', mark: 'is-warn' },
  { count: 'info', title: 'info', severity: 'info', state: 'firing', mark: 'is-info' },
  { count: 'pending', title: 'pending', severity: undefined, state: 'pending', mark: 'is-pending' },
  { count: 'resolved', title: 'ended lately', severity: undefined, state: 'resolved', mark: 'is-info' },
  { count: 'held', title: 'kept without data', severity: undefined, state: 'held', mark: 'is-warn' },
];

/**
 * The counts, each a link to its alerts. It keeps words and owner.
 *
 * @param isKnown whether 0 can be shown, or is unknown
 */
export function tilesHtml(counts: AlertCounts, filter: AlertFilter, isKnown: boolean): Html {
  const items = tiles.map(({ count: name, title, severity, state, mark }) => {
    const count = counts[name];
    const shown = count > 0 || isKnown ? count.toLocaleString('en-US') : '?';
    const isChosen = filter.severity === severity && filter.state === state;
    return html`<li class="${count > 0 ? mark : 'is-none'}"><a href="${filterUrl({ ...filter, severity, state })}"${
      isChosen ? html` aria-current="true"` : undefined
    }><strong>${shown}</strong> ${title}</a></li>
`;
  });
  return html`<ul class="tiles alert-counts">\n${items}</ul>`;
}

const optionHtml = (value: string, text: string, chosen: string | undefined): Html =>
  html`<option value="${value}"${value === (chosen ?? '') ? html` selected` : undefined}>${text}</option>`;

function choiceHtml(
  name: string,
  title: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
): Html {
  const all = [['', 'any'] as const, ...options].map(([value, text]) => optionHtml(value, text, chosen));
  return html`<div><label for="filter-${name}">${title}</label><select id="filter-${name}" name="${name}">${all}</select></div>
`;
}

const same = (values: readonly string[]) => values.map((value) => [value, value] as const);

/** Owners, and characters of them, up to which they are a list. */
const MAX_OWNERS = 50;
const MAX_OWNER_TEXT = 2000;

function ownerHtml(owners: readonly string[], owner: string | undefined): Html | undefined {
  if (owners.length === 0) return undefined;
  const isShort = owners.length <= MAX_OWNERS && owners.join('').length <= MAX_OWNER_TEXT;
  if (isShort) return choiceHtml('owner', 'Owner', same(owners), owner);
  return html`<div><label for="filter-owner">Owner</label><input id="filter-owner" name="owner" value="${owner ?? ''}"></div>`;
}

/** The form of the filter. It works without scripts. */
export function filterHtml(filter: AlertFilter, owners: readonly string[], problems: readonly string[]): Html {
  const { words, severity, state, owner } = filter;
  const states = shownStates.map((value) => [value, stateText[value]] as const);
  return html`<form class="filter" method="get" action="alerts" role="search">
<div class="words"><label for="filter-q">Words</label><input id="filter-q" name="q" type="search" value="${words}" placeholder="name, vendor license, feature, …"></div>
${choiceHtml('severity', 'Severity', same(severities), severity)}${choiceHtml('state', 'State', states, state)}${ownerHtml(owners, owner)}<button>Filter</button>
${isFiltering(filter) ? html`<a href="alerts">Clear</a>` : undefined}</form>
${problems.map((problem) => html`<p class="problem">${problem}</p>`)}`;
}
