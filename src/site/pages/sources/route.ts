import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import {
  type ArchiveHealth,
  type ImportedHistory,
  recordingProblem,
} from '../../../base/model/observation/recording.ts';
import { healthJson, type SourceHealth } from '../../../base/model/observation/source.ts';
import { countText } from '../../../base/texts.ts';
import { sendPage } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';
import { byUrgency, problemsHtml, sourceClass, sourceState, sourceStateText, sourcesText } from '../source-states.ts';
import { dayHtml, notRecordedHtml } from '../wording.ts';

/** The license managers that are read, and their problems. */

const shown = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : hours(seconds);

const timeHtml = (at: number, text: string): Html =>
  html`<time datetime="${new Date(at * 1000).toISOString()}">${text}</time>`;

function agoHtml(at: number | undefined, now: number): Html {
  if (at === undefined) return html`never`;
  return timeHtml(at, `${shown(Math.max(0, Math.round(now - at)))} ago`);
}

const nextHtml = (at: number | undefined, now: number): Html | undefined =>
  at === undefined
    ? undefined
    : html`<br>next reading ${timeHtml(at, `in ${shown(Math.max(0, Math.round(at - now)))}`)}`;

const hours = (seconds: number): string => `${Math.round(seconds / 3600)} h`;

const upText = (up: boolean | undefined): string => (up === undefined ? 'not known' : up ? 'up' : 'down');

function detailsHtml({ members, vendorLicenses }: SourceHealth): Html {
  const servers = members.map(
    ({ server, up, isMaster }) => html`${nameHtml(server)} ${upText(up)}${isMaster ? ' (master)' : ''}`,
  );
  const lists: readonly (readonly [string, readonly Html[]])[] = [
    ['servers', servers],
    ['vendor licenses', vendorLicenses.map(nameHtml)],
  ];
  return html`${lists
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => html`<p class="details">${what}: ${joined(list, ', ')}</p>`)}`;
}

function itemHtml(health: SourceHealth, now: number): Html {
  const { name, manager, lastReadAt, nextReadAt, lastSuccessAt, duration } = health;
  const state = sourceState(health);
  const [row, words] = sourceClass[state];
  const seconds = duration === undefined ? '' : `, took ${duration.toFixed(1)} s`;
  return html`<li class="${row}"><div><strong>${nameHtml(name)}</strong> <small>${manager}</small><br><span class="${words}">${sourceStateText[state]}</span></div>
<div>${problemsHtml(health)}${detailsHtml(health)}</div>
<div class="details">read ${agoHtml(lastReadAt, now)}${seconds}<br>last data ${agoHtml(lastSuccessAt, now)}${nextHtml(nextReadAt, now)}</div></li>\n`;
}

function listHtml(sources: readonly SourceHealth[], now: number): Html {
  if (sources.length === 0) {
    return html`<p>No sources. Declare license managers in <code>embedded_analyzer.sources</code>.</p>`;
  }
  const items = byUrgency(sources).map((health) => itemHtml(health, now));
  return html`<p class="soft">${sourcesText(sources)}</p>
<ul class="rows sources">
${items}</ul>`;
}

/** Of an import that contradicts itself. */
const contradictionsHtml = (contradictions: number): Html | undefined =>
  contradictions === 0
    ? undefined
    : html`<br><span class="${sourceClass.detail[1]}">${countText(contradictions, 'line contradicts', 'lines contradict')} those before, so figures may be wrong</span>`;

/** What of the history other programs had recorded, the newest import first. */
function importsHtml(imports: readonly ImportedHistory[], now: number): Html | undefined {
  if (imports.length === 0) return undefined;
  const items = imports.toReversed().map(
    ({ form, name, at, first, last, series, contradictions = 0 }) =>
      html`<li><div><strong>${nameHtml(name)}</strong> <small>${form}</small></div>
<div>${dayHtml(dateText(first))} to ${dayHtml(dateText(last))}, ${countText(series, 'feature')}${contradictionsHtml(contradictions)}</div>
<div class="details">imported ${agoHtml(at, now)}</div></li>\n`,
  );
  return html`<h2>Imported history</h2>\n<ul class="rows sources">\n${items}</ul>`;
}

/** How the exchange of the history with its archive goes. */
function archiveHtml(archive: ArchiveHealth | undefined, now: number): Html | undefined {
  if (archive === undefined) return undefined;
  const { lastSuccessAt, problem, waiting } = archive;
  const [row, words] = sourceClass[problem !== undefined ? 'detail' : lastSuccessAt === undefined ? 'unknown' : 'up'];
  const state = problem ?? (lastSuccessAt === undefined ? 'the first exchange is not over' : 'in use');
  const days = waiting === undefined ? undefined : html`<br>${countText(waiting, 'day')} of features to exchange`;
  return html`<h2>Archive of the history</h2>
<ul class="rows sources">
<li class="${row}"><div><strong>PostgreSQL</strong></div>
<div><span class="${words}">${state}</span></div>
<div class="details">last exchange ${agoHtml(lastSuccessAt, now)}${days}</div></li>
</ul>`;
}

type Context = Pick<PageContext, 'site' | 'now' | 'collecting'>;

/** The sources and their problems, as a page and as JSON. Only an analyzer in this process has any. */
export function sourcesRoutes({ site, now, collecting }: Context, link: PageLink): Routes {
  if (collecting === undefined) return {};
  return {
    '/': async (_, reply) => {
      const { sources, recording } = collecting;
      const health = recording();
      const content = html`<h1>Sources</h1>\n${notRecordedHtml(recordingProblem(health, now()))}${listHtml(sources(), now())}${archiveHtml(health.archive, now())}${importsHtml(health.imports, now())}`;
      return sendPage(reply, pageHtml(site, { ...link, refreshes: true }, content));
    },
    '/status.json': async () => collecting.sources().map(healthJson),
  };
}
