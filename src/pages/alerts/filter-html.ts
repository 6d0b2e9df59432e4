import { type AlertCounts, severities, shownStates, stateText } from '../../alerts/alert-classes.ts';
import { type AlertFilter, filterUrl, isFiltering } from '../../alerts/alert-filter.ts';
import { type Html, html } from '../../html/html.ts';

/** The counts and the filter at the top of the page `/alerts`. */

/**
 * The counts, each a link to its alerts. It keeps words and owner.
 *
 * @param isKnown whether 0 can be shown, or is unknown
 */
export function tilesHtml(counts: AlertCounts, filter: AlertFilter, isKnown: boolean): Html {
  const items = counts.map(({ shown: { title, severity, state, mark }, count }) => {
    const isChosen = filter.severity === severity && filter.state === state;
    return html`<li class="is-${count > 0 ? mark : 'none'}"><a href="${filterUrl({ ...filter, severity, state })}"${
      isChosen ? html` aria-current="true"` : undefined
    }><strong>${count > 0 || isKnown ? count.toLocaleString('en-US') : '?'}</strong> ${title}</a></li>
`;
  });
  return html`<ul class="tiles alert-counts">\n${items}</ul>`;
}

interface Choice<Value extends string> {
  readonly name: 'severity' | 'state' | 'owner';
  readonly title: string;
  readonly values: readonly Value[];
  readonly chosen: string | undefined;
  readonly textOf?: (value: Value) => string;
}

function choiceHtml<Value extends string>({ name, title, values, chosen, textOf = String }: Choice<Value>): Html {
  const optionHtml = (value: string, text: string): Html =>
    html`<option value="${value}"${value === (chosen ?? '') ? html` selected` : undefined}>${text}</option>`;
  const options = [optionHtml('', 'any'), ...values.map((value) => optionHtml(value, textOf(value)))];
  return html`<div><label for="filter-${name}">${title}</label><select id="filter-${name}" name="${name}">${options}</select></div>
`;
}

/** Owners, and characters of them, up to which they are a list. */
const MAX_OWNERS = 50;
const MAX_OWNER_TEXT = 2000;

function ownerHtml(owners: readonly string[], owner: string | undefined): Html | undefined {
  if (owners.length === 0) return undefined;
  const isShort = owners.length <= MAX_OWNERS && owners.join('').length <= MAX_OWNER_TEXT;
  if (isShort) return choiceHtml({ name: 'owner', title: 'Owner', values: owners, chosen: owner });
  return html`<div><label for="filter-owner">Owner</label><input id="filter-owner" name="owner" value="${owner ?? ''}"></div>`;
}

/** The form of the filter. It works without scripts. */
export function filterHtml(filter: AlertFilter, owners: readonly string[], problems: readonly string[]): Html {
  const { words, severity, state, owner } = filter;
  const severityHtml = choiceHtml({ name: 'severity', title: 'Severity', values: severities, chosen: severity });
  const stateHtml = choiceHtml({
    name: 'state',
    title: 'State',
    values: shownStates,
    chosen: state,
    textOf: stateText,
  });
  return html`<form class="filter" method="get" action="alerts" role="search">
<div class="words"><label for="filter-q">Words</label><input id="filter-q" name="q" type="search" value="${words}" placeholder="name, vendor license, feature, …"></div>
${severityHtml}${stateHtml}${ownerHtml(owners, owner)}<button>Filter</button>
${isFiltering(filter) ? html`<a href="alerts">Clear</a>` : undefined}</form>
${problems.map((problem) => html`<p class="problem">${problem}</p>`)}`;
}
