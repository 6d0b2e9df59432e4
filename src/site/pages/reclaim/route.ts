import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { type Content, type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { type ReclaimKind, reclaimKinds } from '../../../base/model/reclaim.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import { countText, durationText, inUseOfText, localDateText, numberText } from '../../../base/texts.ts';
import { shownName } from '../../grafana/answers/user-names.ts';
import { sendPage } from '../../web/page-answers.ts';
import { readDenied } from '../denied.ts';
import { moreHtml } from '../feature-list.ts';
import { featureUrl, reclaimUrl } from '../links.ts';
import { inventoryPage, notReported, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { filterHtml, wordsOf } from '../search.ts';
import { agoHtml, type Clock, dayHtml, durationHtml, sentence } from '../wording.ts';
import type { Gaps, Reclaimable } from './checkouts.ts';
import { freeOf, type ReclaimData, type ReclaimFeature, type ReclaimRequest, readReclaim, wantedNow } from './data.ts';
import { type ReturnCommand, returnCommand } from './return-command.ts';

/** The page at `/reclaim`: which licenses could come back now, and for who may see it, from whom and how. */

/** Features and checkouts that are listed. A page is written at once. */
const MAX_FEATURES = 50;
const MAX_CHECKOUTS = 200;
/** Checkouts of one of several features. */
const MAX_OF_FEATURE = 25;
/** Features that are named with the reason why nothing is known of them. */
const MAX_UNKNOWN = 10;

/** How names are shown; `undefined` for who sees counts alone. */
type Shown = ((name: string) => string) | undefined;

/** What a kind is called after a number of licenses. */
const kindTexts: Readonly<Record<ReclaimKind, string>> = {
  orphan: 'of applications that have ended',
  idle: 'idle',
  duplicate: 'of people with a later checkout on the same host',
  borrowed: 'borrowed for long',
};

/** Licenses of each kind. */
function kindsOf(found: readonly Reclaimable[]): readonly (readonly [ReclaimKind, number])[] {
  const sum = (wanted: ReclaimKind): number =>
    found.reduce((total, { kind, held }) => total + (kind === wanted ? held.licenses : 0), 0);
  return reclaimKinds.map((kind) => [kind, sum(kind)] as const).filter(([, licenses]) => licenses > 0);
}

const kindsText = (found: readonly Reclaimable[]): string =>
  kindsOf(found)
    .map(([kind, licenses]) => `${numberText(licenses)} ${kindTexts[kind]}`)
    .join(', ');

/** Why a checkout is listed, in words and figures. */
function evidenceHtml({ held, kind, siblings }: Reclaimable, { now, timeZone }: Clock): Html {
  const { application, seconds, until } = held;
  switch (kind) {
    case 'orphan':
      return html`the application has ended${seconds === undefined ? '' : ` ${durationText(seconds)} ago`}`;
    case 'idle':
      return html`${application} for ${durationText(seconds ?? 0)}`;
    case 'borrowed': {
      const day = html`borrowed until ${dayHtml(localDateText(until ?? now, timeZone))}`;
      return until !== undefined && until < now ? html`${day}, which is past` : day;
    }
    case 'duplicate':
      return html`${countText(siblings, 'checkout')} of the same person on this host; a later one exists`;
  }
}

/** The lines of a checkout, each as it can be copied. */
function commandHtml({ lines, note }: ReturnCommand): Html {
  const texts = lines.map(
    ({ shell, text }) => html`${shell === 'any' ? undefined : html`<small>${shell}</small>`}<pre>${text}</pre>`,
  );
  return html`${note === undefined ? undefined : html`<small>${note}</small>`}${texts}`;
}

function checkoutHtml(
  one: Reclaimable,
  command: Html | undefined,
  shown: (name: string) => string,
  clock: Clock,
): Html {
  const { user, host, display, licenses, since } = one.held;
  const place = [host, display].filter((name) => name !== '').map((name) => nameHtml(shown(name)));
  const began = since === undefined ? undefined : html`, checked out ${agoHtml(since, clock)}`;
  return html`<li><div>${user === '' ? html`<span class="unknown">user not known</span>` : nameHtml(shown(user))}<br><small>${joined(place, ' · ')}</small></div>
<div>${evidenceHtml(one, clock)}<br><small>${countText(licenses, 'license')}${began}</small></div><div>${command}</div></li>\n`;
}

/** A list of checkouts. What is said of the commands of all of them is said once. */
function checkoutsHtml(
  { feature }: ReclaimFeature,
  some: readonly Reclaimable[],
  shown: (name: string) => string,
  clock: Clock,
): Html | undefined {
  const commands = some.map(({ held }) => returnCommand({ feature, ...held, isBorrowed: held.isBorrowed === true }));
  const [first] = commands;
  if (first === undefined) return undefined;
  const isSame = commands.every(({ lines, note }) => lines.length === 0 && note === first.note);
  const rows = some.map((one, i) =>
    checkoutHtml(one, isSame ? undefined : commandHtml(commands[i] ?? first), shown, clock),
  );
  return html`${isSame ? html`<p class="soft">${first.note}</p>\n` : undefined}<ul class="rows reclaim">\n${rows}</ul>\n`;
}

/** Who wants licenses of it now, and how many are in use. */
function needHtml({ people, since, queued, inUse, licenses, collectedAt, isFull }: ReclaimFeature, clock: Clock): Html {
  const parts: Content[] = [];
  if (people !== undefined && people > 0) {
    const longest =
      since === undefined ? '' : html`, ${people === 1 ? '' : 'the longest '}for ${durationHtml(since, clock)}`;
    parts.push(html`<span class="bad">${countText(people, 'person waits', 'people wait')} now</span>${longest}`);
  }
  if (isKnown(queued) && queued > 0) parts.push(html`<span class="bad">${countText(queued, 'request')} queued</span>`);
  if (people === undefined && !isKnown(queued)) parts.push(html`<span class="unknown">who waits is not known</span>`);
  if (isKnown(inUse)) {
    parts.push(
      `${numberText(inUse)}${isKnown(licenses) && Number.isFinite(licenses) ? inUseOfText(inUse, licenses) : ' in use'}`,
    );
  }
  if (isFull) parts.push(html`<span class="bad">saturated</span>`);
  parts.push(isKnown(collectedAt) ? html`collected ${agoHtml(collectedAt, clock)}` : 'time of the data not known');
  return html`<p>${joined(parts, ' · ')}</p>`;
}

/** What is not known of checkouts, so that more of them could come back. */
function gapsText({ checkouts, application, borrowed, compared, uncounted, unlisted }: Gaps): string {
  const of = (count: number, what: string): readonly string[] =>
    count === 0 ? [] : [`${what} is not known of ${numberText(count)} of ${countText(checkouts, 'checkout')}.`];
  const isIdleUnknown = checkouts > 0 && application === checkouts;
  return [
    ...(isIdleUnknown
      ? ['Idle and ended applications are not known for this license manager.']
      : of(application, 'Whether the application is idle or has ended')),
    ...of(borrowed, 'Whether it is borrowed for long'),
    ...of(compared, 'Whether it is a duplicate'),
    ...(uncounted === 0
      ? []
      : [`How many licenses they hold is not known of ${countText(uncounted, 'more checkout')}.`]),
    ...(isKnown(unlisted) ? [] : ['Whether these are all checkouts is not known.']),
    ...(isKnown(unlisted) && unlisted > 0
      ? [`Of ${countText(unlisted, 'license')} in use at the last poll, no user is listed.`]
      : []),
  ].join(' ');
}

/** `Free 7 of solver now, 2 after asking`: only of an application that has ended, no work can be lost. */
function titleHtml(feature: ReclaimFeature): Html {
  const { now, afterAsking } = freeOf(feature);
  const name = html`<a href="${featureUrl(feature)}">${nameHtml(feature.feature)}</a>`;
  const title =
    now > 0
      ? html`Free ${numberText(now)} of ${name} now${afterAsking > 0 ? `, ${numberText(afterAsking)} after asking` : ''}`
      : afterAsking > 0
        ? html`Free ${numberText(afterAsking)} of ${name} after asking`
        : name;
  return html`<h2>${title} <small>${nameHtml(feature.vendorLicense)}</small></h2>\n`;
}

function featureHtml(feature: ReclaimFeature, most: number, shown: Shown, clock: Clock): Html {
  const { found, gaps } = feature;
  const gap = gapsText(gaps);
  const { now, afterAsking } = freeOf(feature);
  const isTooFew = found.length > 0 && now + afterAsking < wantedNow(feature);
  const count =
    found.length === 0
      ? 'Nothing is known that could come back.'
      : `Could come back: ${kindsText(found)}.${isTooFew ? ' More people and requests wait than that.' : ''}`;
  const some = found.slice(0, most);
  const list = shown === undefined ? undefined : checkoutsHtml(feature, some, shown, clock);
  const more =
    shown === undefined || some.length === found.length
      ? undefined
      : html`<p class="soft">${numberText(some.length)} of ${countText(found.length, 'checkout')}. <a href="${reclaimUrl(feature)}">More of this feature</a></p>\n`;
  return html`${titleHtml(feature)}${needHtml(feature, clock)}
<p>${count}</p>
${gap === '' ? undefined : html`<p class="unknown">${gap}</p>\n`}${list}${more}`;
}

/** The numbers of licenses of each kind, of all features. */
function tilesHtml({ features }: ReclaimData): Html | undefined {
  const kinds = kindsOf(features.flatMap(({ found }) => found));
  if (kinds.length === 0) return undefined;
  const tiles = kinds.map(
    ([kind, licenses]) =>
      html`<li class="is-plain"><strong>${countText(licenses, 'license')}</strong><small>${kindTexts[kind]}</small></li>\n`,
  );
  return html`<ul class="tiles sums">\n${tiles}</ul>\n`;
}

/** What must be known before a line is typed, as far as it is about one of these. */
function caveatsHtml(found: readonly Reclaimable[]): Html {
  const isOf = (manager: string): boolean => found.some(({ held }) => held.server.startsWith(`${manager}:`));
  const flexnet = html`<li>FlexNet: <code>lmadmin</code> refuses <code>lmremove</code> unless it was started with <code>-allowLicenseReclaim</code>, and <code>lmgrd</code> if it was started with <code>-x lmremove</code>. A program that still runs takes the license again at once, or at its next heartbeat.</li>\n`;
  const rlm = html`<li>RLM: <code>rlmremove</code> asks before it removes. The server refuses while a checkout is younger than two minutes, or as long as <code>MINREMOVE</code> or the product says.</li>\n`;
  const borrowed = html`<li>A borrowed license returns only on the host that borrowed it, or when its time ends.</li>\n`;
  return html`<ul class="caveats">
<li>This program takes nothing back: type a line on a host that has the tool of the license manager. Ask the user first, unless the application has ended: work can be lost. The next in the queue gets a license that is freed.</li>
${isOf('flexnet') ? flexnet : undefined}${isOf('rlm') ? rlm : undefined}${found.some(({ kind }) => kind === 'borrowed') ? borrowed : undefined}<li>A line is for one checkout, which it names by its handle. A handle can be used again: load this page again before you type an old line. Each feature says when its checkouts were collected.</li>
</ul>
`;
}

/** Features of which it is not known who holds them, by reason. */
function unknownListHtml({ unknown: features }: ReclaimData): Html | undefined {
  if (features.length === 0) return undefined;
  const items = [...Map.groupBy(features, ({ reason }) => reason)].map(([reason, all]) => {
    const names = all
      .slice(0, MAX_UNKNOWN)
      .map((one) => html`<a href="${featureUrl(one)}">${nameHtml(one.feature)}</a>`);
    const more = all.length > names.length ? ` and ${numberText(all.length - names.length)} more` : undefined;
    return html`<li>${sentence(reason)} ${joined(names, ', ')}${more}</li>\n`;
  });
  return html`<h2 id="unknown">Not known</h2>\n<p class="unknown">Who holds licenses of these features is not known, and so whether some could come back.</p>\n<ul>\n${items}</ul>\n`;
}

/** Features that nobody waits for, and of which nothing is known that could come back. */
function othersHtml(others: readonly ReclaimFeature[], { unasked }: ReclaimData): Html {
  const withoutIdle = others.filter(({ gaps }) => gaps.application > 0).length;
  const gap =
    withoutIdle === 0
      ? undefined
      : html`<p class="unknown">Whether an application is idle is not known of every checkout of ${numberText(withoutIdle)} of them.</p>\n`;
  const text =
    others.length === 0
      ? undefined
      : html`<p>Of ${countText(others.length, 'more feature')}, nothing is known that could come back.</p>\n${gap}`;
  const more =
    unasked === 0
      ? undefined
      : html`<p class="unknown">Who holds ${countText(unasked, 'more feature')} was not asked: use the filter to find them.</p>\n`;
  return html`${text}${more}`;
}

/** What is said where no license is in use. */
function noneHtml({ features, unknown, unused, unasked, tokens }: ReclaimData): Html | undefined {
  if (features.length + unknown.length + unasked > 0) return undefined;
  if (unused === 0 && tokens > 0)
    return html`<p>Its licenses are tokens: their checkouts are listed with the features that take them.</p>\n`;
  return unused === 0
    ? html`<p>No feature matches.</p>\n`
    : html`<p>No license of ${countText(unused, 'feature')} is in use: none could come back.</p>\n`;
}

/** What is shown to whom. */
interface View extends ReclaimRequest {
  /** The filter as it was typed. */
  readonly filter: string;
  readonly shown: Shown;
  /** Why checkouts are not listed; `undefined` if they are. */
  readonly refusal: string | undefined;
}

/** The page, and the number of different people on it. */
export function reclaimContent(
  data: ReclaimData,
  view: View,
  clock: Clock,
): { readonly content: Html; readonly names: number } {
  const { only, filter, shown, refusal } = view;
  const isListed = (one: ReclaimFeature): boolean => one.found.length > 0 || wantedNow(one) > 0 || one.isFull;
  const all = data.features.filter(isListed);
  const listed = all.slice(0, MAX_FEATURES);
  const people = new Set<string>();
  let left = MAX_CHECKOUTS;
  const sections = listed.map((feature) => {
    const most = Math.min(left, only === undefined ? MAX_OF_FEATURE : MAX_CHECKOUTS);
    if (shown !== undefined) {
      const own = feature.found.slice(0, most);
      left -= own.length;
      for (const { held } of own) people.add([held.user, held.host, held.display].find((name) => name !== '') ?? '');
    }
    return featureHtml(feature, most, shown, clock);
  });
  people.delete('');
  const form =
    only === undefined
      ? filterHtml({ filter, label: 'Vendor license, feature or owner', vendorLicense: undefined, all: 'reclaim' })
      : html`<p><a href="reclaim">All features</a></p>\n`;
  const found = listed.flatMap((one) => one.found);
  const content = html`<h1>Licenses that could come back</h1>
<p class="soft">By what license managers say of their checkouts. Features for which people wait are first, then full ones.</p>
${refusal === undefined ? undefined : html`<p class="soft">${sentence(refusal)}</p>\n`}${tilesHtml(data)}${form}${shown !== undefined && found.length > 0 ? caveatsHtml(found) : undefined}${noneHtml(data)}${sections}${moreHtml(listed.length, all.length)}${unknownListHtml(data)}${othersHtml(
  data.features.filter((one) => !isListed(one)),
  data,
)}`;
  return { content, names: people.size };
}

/** Without people, there is nothing at the path. */
const withoutPeople = ({ site }: PageContext, link: PageLink): Routes => ({
  '/': async (_, reply) =>
    sendPage(
      reply.code(404),
      pageHtml(
        site,
        link,
        html`<h1>${link.title}</h1>\n<p>There is no such list here: the setting <code>people</code> is off. <a href="./">All vendor licenses</a></p>`,
      ),
    ),
});

/** What could come back. The parameters `vendor_license` and `feature` name one feature, `q` filters all. */
export const reclaimRoutes = (context: PageContext, link: PageLink): Routes =>
  !context.people
    ? withoutPeople(context, link)
    : inventoryPage(context, async ({ request, backend, inventory, signal }) => {
        const vendorLicense = parameterOf(request, 'vendor_license');
        const feature = parameterOf(request, 'feature');
        const only = vendorLicense === '' && feature === '' ? undefined : { vendorLicense, feature };
        const filter = only === undefined ? parameterOf(request, 'q') : '';
        if (
          only !== undefined &&
          !inventory.features.some((row) => row.feature === feature && row.vendorLicense === vendorLicense)
        ) {
          const hasList = inventory.knowledge.features(vendorLicense);
          return notReported(hasList, html`the feature <bdi>${feature}</bdi> of <bdi>${vendorLicense}</bdi>`);
        }
        const asked = { only, words: wordsOf(filter) };
        const denied = await readDenied(context.denials(), inventory);
        const data = await readReclaim(backend, inventory, denied, asked, signal);
        const refusal = backend.reclaim.refusal();
        const shown = refusal === undefined ? shownName(backend.users.pseudonymKey) : undefined;
        const clock = { now: backend.now(), timeZone: backend.localTime.timeZone };
        const { content, names } = reclaimContent(data, { ...asked, filter, shown, refusal }, clock);
        backend.users.onServed(names);
        return written(link, content);
      });
