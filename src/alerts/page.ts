import type { AlertState, Labels } from './alert.ts';
import type { EngineStatus } from './engine.ts';
import { anchorOf } from './links.ts';
import { humanDuration } from './rule.ts';

/** The page `/alerts`. Links in notifications lead to it. */

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Maximum number of alerts on the page. The API lists all of them. */
const MAX_SHOWN = 500;
const order: readonly AlertState['state'][] = ['firing', 'pending', 'resolved'];

const labelsHtml = (labels: Labels): string =>
  Object.entries(labels)
    .filter(([name]) => name !== 'alertname' && name !== 'severity')
    .map(([name, value]) => `<code>${escaped(`${name}="${value}"`)}</code>`)
    .join(' ');

function rowHtml({ labels, annotations, state, activeAt, unknownSince }: AlertState, now: number): string {
  const { alertname = '', severity = '' } = labels;
  const { runbook_url: runbook, silence_url: silence } = annotations;
  const name = runbook === undefined ? escaped(alertname) : `<a href="${escaped(runbook)}">${escaped(alertname)}</a>`;
  const held = unknownSince === undefined || state === 'resolved' ? '' : ' <em>(no data, kept)</em>';
  const silenceLink = silence === undefined ? '' : `<br><a href="${escaped(silence)}">Silence</a>`;
  return `<tr id="${anchorOf(labels)}" class="${state}"><td>${state}${held}</td><td>${escaped(severity)}</td><td>${name}<br>${labelsHtml(labels)}</td>
<td>${escaped(annotations.summary ?? '')}<br><small>${escaped(annotations.description ?? '')}</small>${silenceLink}</td>
<td><time datetime="${new Date(activeAt * 1000).toISOString()}">${humanDuration(now - activeAt)}</time></td></tr>\n`;
}

function tableHtml({ alerts }: EngineStatus, now: number): string {
  if (alerts.length === 0) return '<p>No alerts.</p>';
  const sorted = alerts.toSorted(
    (a, b) =>
      order.indexOf(a.state) - order.indexOf(b.state) ||
      (a.labels.severity ?? '').localeCompare(b.labels.severity ?? '') ||
      a.activeAt - b.activeAt,
  );
  const others = sorted.length - MAX_SHOWN;
  const more = others <= 0 ? '' : `\n<p>${others} more are in <a href="api/v1/alerts">/api/v1/alerts</a>.</p>`;
  return `<table>
<thead><tr><th>State</th><th>Severity</th><th>Alert</th><th>What</th><th>Since</th></tr></thead>
<tbody>
${sorted
  .slice(0, MAX_SHOWN)
  .map((alert) => rowHtml(alert, now))
  .join('')}</tbody>
</table>${more}`;
}

function deliveriesHtml({ deliveries }: EngineStatus, now: number): string {
  if (deliveries.length === 0) {
    return '<p>No Alertmanager is configured. Set <code>alerting.alertmanagers</code>, <code>alerting.email</code> or <code>alerting.webhook</code> to send these alerts, or use the rules in Prometheus.</p>';
  }
  const items = deliveries.map(({ url, counts: { lastSuccess, errors } }) => {
    const last = lastSuccess === undefined ? 'never' : `${humanDuration(now - lastSuccess)} ago`;
    return `<li>${escaped(url)}: last success ${last}, ${errors} errors</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

/** @param now epoch seconds */
export function alertsPage(status: EngineStatus, demo: boolean, now: number): string {
  const body = `${tableHtml(status, now)}\n<h2>Alertmanagers</h2>\n${deliveriesHtml(status, now)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Alerts - license-exporter</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 3rem auto; padding: 0 1rem; color: #1c2430; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.demo { background: #fff3cd; border-left: 4px solid #d39e00; padding: .6rem .8rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .5rem; border-bottom: 1px solid #dde3ea; }
tr.firing td:first-child { border-left: 4px solid #c53030; } tr.pending td:first-child { border-left: 4px solid #d39e00; }
tr.resolved td:first-child { border-left: 4px solid #2f855a; }
tr:target { background: #fff8e1; }
code { background: #eef1f5; padding: .1rem .3rem; border-radius: 3px; font-size: .85rem; overflow-wrap: anywhere; }
small, em { color: #4a5568; }
</style>
</head>
<body>
<h1>Alerts</h1>
${demo ? '<p class="demo">Simulated data: this is the demo, no license server is monitored.</p>' : ''}
${body}
<p><a href="runbooks">Runbooks</a> · <a href="./">license-exporter</a></p>
</body>
</html>
`;
}
