import { type Html, html, joined, nameHtml } from '../../base/html/html.ts';
import type { Failure } from '../../base/model/failure.ts';
import { type PolledEndpoint, WHOLE } from '../../base/model/snapshot.ts';
import { countText, durationText, localTimeText, numberText } from '../../base/texts.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { PollState } from '../../exporter/inventory/poll-state.ts';
import { agoHtml, type Clock, sentence } from './wording.ts';

/** How old the data is, and why it is not newer. */

const subjects: Readonly<Record<PolledEndpoint, string>> = {
  GetProducts: 'Vendor licenses',
  GetFeatures: 'Features and their usage',
  GetServerDown: 'Servers that are down',
  GetExpirationFeatures: 'Expiries',
  GetConcurrentUsers: 'Number of users',
  GetHistory: 'Denials',
};

/** The data that the figures at the top are of. */
const ages: Partial<Record<PolledEndpoint, string>> = {
  GetProducts: 'servers',
  GetFeatures: 'usage',
  GetExpirationFeatures: 'expiries',
};

/** Parts that failed, in a sentence. */
const MAX_NAMED = 3;

interface Failing {
  readonly part: string;
  readonly failure: Failure;
  readonly isFresh: boolean;
}

function failingParts({ readings }: Inventory, endpoint: PolledEndpoint): readonly Failing[] {
  return [...(readings.of(endpoint)?.parts ?? [])].flatMap(([part, { failure, isFresh }]) =>
    failure === undefined ? [] : [{ part, failure, isFresh }],
  );
}

/** Each reason once, with the vendor licenses that it concerns. */
function failuresHtml(inventory: Inventory, { endpoint }: PollState): readonly Html[] {
  const byReason = Map.groupBy(failingParts(inventory, endpoint), ({ failure }) => failure.message);
  return [...byReason].map(([reason, parts]) => {
    const names = parts.map(({ part }) => part).filter((part) => part !== WHOLE);
    const named = joined(names.slice(0, MAX_NAMED).map(nameHtml), ', ');
    const others = names.length > MAX_NAMED ? ` and ${numberText(names.length - MAX_NAMED)} more` : '';
    const outdated = parts.filter(({ isFresh }) => !isFresh).length;
    const shown =
      outdated === 0
        ? 'The data of the last good poll is shown.'
        : outdated === parts.length
          ? 'There is no data that is new enough to be shown.'
          : `The data of ${numberText(outdated)} of them is too old to be shown.`;
    return html`<p>${names.length === 0 ? undefined : html`${named}${others}: `}${sentence(reason)} <span class="soft">${shown}</span></p>`;
  });
}

/** The fields of an endpoint that records lack, in a sentence. */
function lackHtml({ fields }: Inventory, { endpoint }: PollState): readonly Html[] {
  const lacking = fields.list.filter((state) => state.endpoint === endpoint && state.missing.length > 0);
  if (lacking.length === 0) return [];
  const names = lacking.slice(0, MAX_NAMED).map(({ field }) => field);
  const others = lacking.length > MAX_NAMED ? ` and ${numberText(lacking.length - MAX_NAMED)} more` : '';
  const concerned = new Set(lacking.flatMap(({ missing }) => missing)).size;
  return [
    html`<p class="bad">Missing in all records of ${countText(concerned, 'vendor license')}: ${names.join(', ')}${others}. <span class="soft">What these fields say is not known.</span></p>`,
  ];
}

function pollHtml(inventory: Inventory, poll: PollState, clock: Clock): Html {
  const { endpoint, success, answered, lastSuccess, lastAttempt, interval, records } = poll;
  const lacks = lackHtml(inventory, poll);
  const state = success
    ? lacks.length === 0
      ? html`<span class="good">good</span>`
      : html`<span class="bad">fields are missing</span>`
    : lastAttempt === undefined
      ? html`<span class="unknown">not polled yet</span>`
      : html`<span class="bad">${answered ? 'partly failing' : 'failing'}</span>`;
  const name = success && lacks.length === 0 ? 'is-good' : lastAttempt === undefined ? 'is-unknown' : 'is-bad';
  return html`<li class="${name}"><div>${subjects[endpoint]}<br><small>${endpoint}</small></div>
<div>${state} <small>every ${durationText(interval)}, ${countText(records, 'record')}</small>${failuresHtml(inventory, poll)}${lacks}</div>
<div class="soft">last complete ${agoHtml(lastSuccess, clock)}${success ? undefined : html`<br>tried ${agoHtml(lastAttempt, clock)}`}</div></li>\n`;
}

const notPolled = {
  off: 'off in the configuration (poll)',
  absent: 'the analyzer does not have it; it is requested again every hour',
} as const;

/** Every endpoint of the poll. */
export function pollListHtml(inventory: Inventory, clock: Clock): Html {
  const others = inventory.availability.flatMap(({ endpoint, state }) =>
    state === 'polled'
      ? []
      : [
          html`<li class="is-unknown"><div>${subjects[endpoint]}<br><small>${endpoint}</small></div><div class="unknown">not polled: ${notPolled[state]}</div><div></div></li>\n`,
        ],
  );
  return html`<ul class="rows three">\n${inventory.polls.map((poll) => pollHtml(inventory, poll, clock))}${others}</ul>`;
}

/** How old the data of the page is. */
export function ageHtml({ polls }: Inventory, clock: Clock): Html {
  const parts = Object.entries(ages).flatMap(([endpoint, name]) => {
    const poll = polls.find((one) => one.endpoint === endpoint);
    if (poll === undefined) return [];
    const { lastSuccess } = poll;
    return [
      lastSuccess === undefined
        ? html`no complete poll of ${name} yet`
        : html`${name} polled ${agoHtml(lastSuccess, clock)}`,
    ];
  });
  return html`${localTimeText(clock.now, clock.timeZone)}: ${joined(parts, ', ')}.`;
}

/** The first reason for which nothing new is known, for the top of a page; `undefined` if every poll is good. */
export function pollProblem(inventory: Inventory): Failure | undefined {
  const failing = inventory.polls.filter(({ answered, lastAttempt }) => !answered && lastAttempt !== undefined);
  return failing.flatMap(({ endpoint }) => failingParts(inventory, endpoint)).map(({ failure }) => failure)[0];
}
