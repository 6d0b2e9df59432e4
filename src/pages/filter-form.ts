import { type Html, html } from '../html/html.ts';
import { vendorLicenseUrl } from './links.ts';

/** The form that finds vendor licenses and features. It works without scripts. */

export interface FilterForm {
  /** The filter as it was typed. */
  readonly filter: string;
  readonly label: string;
  /** The vendor license in which features are found; `undefined` for all. */
  readonly vendorLicense: string | undefined;
}

export function filterHtml({ filter, label, vendorLicense }: FilterForm): Html {
  const all = vendorLicense === undefined ? './' : vendorLicenseUrl(vendorLicense);
  const hidden =
    vendorLicense === undefined ? undefined : html`<input type="hidden" name="name" value="${vendorLicense}">`;
  const clear = filter === '' ? undefined : html` <a href="${all}">Show everything</a>`;
  return html`<form class="filter" role="search">${hidden}<div><label for="filter">${label}</label>
<input id="filter" type="search" name="q" value="${filter}" autocomplete="off" spellcheck="false"></div>
<button>Filter</button>${clear}</form>`;
}
