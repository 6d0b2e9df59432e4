import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SourceHealth } from '../observation/source.ts';
import { healthJson } from './health-json.ts';

/** The page `/sources`, and the same as JSON in `/sources/status.json`. */

export interface SourcePageOptions {
  readonly health: () => readonly SourceHealth[];
  /** Epoch seconds. */
  readonly now: () => number;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function ago(at: number | undefined, now: number): string {
  if (at === undefined) return 'never';
  const seconds = Math.max(0, Math.round(now - at));
  const shown = seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : hours(seconds);
  return `<time datetime="${new Date(at * 1000).toISOString()}">${shown} ago</time>`;
}

const hours = (seconds: number): string => `${Math.round(seconds / 3600)} h`;

const stateOf = ({ up }: SourceHealth): string => (up === undefined ? 'not read yet' : up ? 'up' : 'down');

function problemsHtml({ problems, lastDiagnostics }: SourceHealth): string {
  const lines = problems.map(({ kind, message }) => `<p><strong>${kind}</strong>: ${escaped(message)}</p>`);
  if (lastDiagnostics !== undefined && lastDiagnostics.unparsed > 0) {
    const masks = lastDiagnostics.masks.map((mask) => `<code>${escaped(mask)}</code>`).join(' ');
    lines.push(
      `<p>${lastDiagnostics.unparsed} lines were not understood, for example ${masks}. Run <code>license-exporter capture</code> and report them.</p>`,
    );
  }
  return lines.join('');
}

const membersHtml = ({ members }: SourceHealth): string =>
  members
    .map(({ server, up, isMaster }) => `${escaped(server)} ${up ? 'up' : 'down'}${isMaster ? ' (master)' : ''}`)
    .join('<br>');

function rowHtml(health: SourceHealth, now: number): string {
  const { name, manager, lastReadAt, lastSuccessAt, duration, vendorLicenses, up } = health;
  const seconds = duration === undefined ? '' : `, took ${duration.toFixed(1)} s`;
  return `<tr class="${up === undefined ? 'unknown' : up ? 'up' : 'down'}"><td>${stateOf(health)}</td><td>${escaped(name)}<br><small>${manager}</small></td>
<td>${ago(lastReadAt, now)}${seconds}<br><small>last data ${ago(lastSuccessAt, now)}</small></td>
<td>${membersHtml(health)}</td><td>${vendorLicenses.map(escaped).join('<br>')}</td><td>${problemsHtml(health)}</td></tr>\n`;
}

function pageHtml(sources: readonly SourceHealth[], now: number): string {
  const rows = sources.map((health) => rowHtml(health, now)).join('');
  const table =
    sources.length === 0
      ? '<p>No sources. Declare license managers in <code>embedded_analyzer.sources</code>.</p>'
      : `<table>
<thead><tr><th>State</th><th>Source</th><th>Read</th><th>Servers</th><th>Vendor licenses</th><th>Problems</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sources - license-exporter</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 3rem auto; padding: 0 1rem; color: #1c2430; }
h1 { font-size: 1.6rem; } p { margin: 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .5rem; border-bottom: 1px solid #dde3ea; overflow-wrap: anywhere; }
tr.down td:first-child { border-left: 4px solid #c53030; } tr.unknown td:first-child { border-left: 4px solid #a0aec0; }
tr.up td:first-child { border-left: 4px solid #2f855a; }
code { background: #eef1f5; padding: .1rem .3rem; border-radius: 3px; font-size: .85rem; }
small { color: #4a5568; }
</style>
</head>
<body>
<h1>Sources</h1>
${table}
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
