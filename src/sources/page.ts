import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Site } from '../html/frame.ts';
import type { SourceHealth } from '../observation/source.ts';
import { healthJson } from './health-json.ts';

/** The page `/sources`, and the same as JSON in `/sources/status.json`. */

export interface SourcePageOptions {
  readonly site: Site;
  readonly health: () => readonly SourceHealth[];
  /** Epoch seconds. */
  readonly now: () => number;
}

/** Messages write names of settings and commands in backquotes. */
const messageHtml = (message: string): string => escaped(message).replace(/`([^`]*)`/g, '<code>$1</code>');

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function ago(at: number | undefined, now: number): string {
  if (at === undefined) return 'never';
  const seconds = Math.max(0, Math.round(now - at));
  const shown = seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : hours(seconds);
  return `<time datetime="${new Date(at * 1000).toISOString()}">${shown} ago</time>`;
}

const hours = (seconds: number): string => `${Math.round(seconds / 3600)} h`;

/** From what needs attention to what does not. */
const states = ['down', 'unknown', 'detail', 'up'] as const;
type State = (typeof states)[number];

const stateText: Readonly<Record<State, string>> = {
  down: 'down',
  unknown: 'not read yet',
  detail: 'up, with a problem',
  up: 'up',
};

const isUnderstood = ({ lastDiagnostics }: SourceHealth): boolean => (lastDiagnostics?.unparsed ?? 0) === 0;

function stateOf(health: SourceHealth): State {
  if (health.up === undefined) return 'unknown';
  if (!health.up) return 'down';
  return health.problems.length > 0 || !isUnderstood(health) ? 'detail' : 'up';
}

function problemsHtml(health: SourceHealth): string {
  const { problems, lastDiagnostics } = health;
  const lines = problems.map(({ kind, message }) => `<p><strong>${kind}</strong>: ${messageHtml(message)}</p>`);
  if (lastDiagnostics !== undefined && !isUnderstood(health)) {
    const masks = lastDiagnostics.masks.map((mask) => `<code>${escaped(mask)}</code>`).join(' ');
    const { unparsed } = lastDiagnostics;
    lines.push(
      `<p>${unparsed} ${unparsed === 1 ? 'line was' : 'lines were'} not understood, for example ${masks}. Run <code>license-exporter capture</code> and report them.</p>`,
    );
  }
  return lines.join('');
}

const upText = (up: boolean | undefined): string => (up === undefined ? 'not known' : up ? 'up' : 'down');

function detailsHtml({ members, vendorLicenses }: SourceHealth): string {
  const servers = members.map(
    ({ server, up, isMaster }) => `${escaped(server)} ${upText(up)}${isMaster ? ' (master)' : ''}`,
  );
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['servers', servers],
    ['vendor licenses', vendorLicenses.map(escaped)],
  ];
  return lists
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `<p class="more">${what}: ${list.join(', ')}</p>`)
    .join('');
}

function itemHtml(health: SourceHealth, now: number): string {
  const { name, manager, lastReadAt, lastSuccessAt, duration } = health;
  const state = stateOf(health);
  const seconds = duration === undefined ? '' : `, took ${duration.toFixed(1)} s`;
  return `<li class="${state}"><div><strong>${escaped(name)}</strong> <span class="more">${manager}</span><br>${stateText[state]}</div>
<div>${problemsHtml(health)}${detailsHtml(health)}</div>
<div class="more">read ${ago(lastReadAt, now)}${seconds}<br>last data ${ago(lastSuccessAt, now)}</div></li>\n`;
}

function listHtml(sources: readonly SourceHealth[], now: number): string {
  if (sources.length === 0) {
    return '<p>No sources. Declare license managers in <code>embedded_analyzer.sources</code>.</p>';
  }
  const byState = Map.groupBy(sources, stateOf);
  const counts = states
    .filter((state) => byState.has(state))
    .map((state) => `${byState.get(state)?.length} ${stateText[state]}`);
  const items = states.flatMap((state) => byState.get(state) ?? []).map((health) => itemHtml(health, now));
  return `<p>${sources.length} ${sources.length === 1 ? 'source' : 'sources'}: ${counts.join('; ')}</p>
<ul>
${items.join('')}</ul>`;
}

function pageHtml(sources: readonly SourceHealth[], now: number): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sources - license-exporter</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 3rem auto; padding: 0 1rem; color: #1c2430; }
h1 { font-size: 1.6rem; } p { margin: 0; } ul { list-style: none; margin: 1rem 0; padding: 0; }
li { border-left: 4px solid; border-bottom: 1px solid #dde3ea; padding: .5rem .75rem; overflow-wrap: anywhere; }
@media (min-width: 56rem) { li { display: grid; grid-template-columns: 13rem minmax(0, 1fr) 14rem; column-gap: 1rem; } }
li.down { border-left-color: #c53030; } li.unknown { border-left-color: #a0aec0; }
li.detail { border-left-color: #d39e00; } li.up { border-left-color: #2f855a; }
code { background: #eef1f5; padding: .1rem .3rem; border-radius: 3px; font-size: .85rem; }
.more { color: #4a5568; font-size: .85rem; }
</style>
</head>
<body>
<h1>Sources</h1>
${listHtml(sources, now)}
<p><a href="./">license-exporter</a></p>
</body>
</html>
`;
}

export function createSourcePage({ health, now }: SourcePageOptions) {
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, async (_, reply) =>
        reply
          .header('content-type', 'text/html; charset=utf-8')
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
          .send(pageHtml(health(), now())),
      );
      app.get('/status.json', async () => health().map(healthJson));
    },
    refuse: (reply: FastifyReply, _: string, message: string): FastifyReply =>
      reply.header('content-type', 'text/plain; charset=utf-8').send(`${message}\n`),
  };
}
