import type { FastifyReply, FastifyRequest } from 'fastify';
import { publishedPage } from '../../../alerting/alerts/prometheus/published.ts';
import { pageHtml } from '../../../base/html/frame.ts';
import { type Html, html } from '../../../base/html/html.ts';
import { countText } from '../../../base/texts.ts';
import type { Backend } from '../../grafana/answers/backend.ts';
import { DatasourceError } from '../../grafana/answers/errors.ts';
import { health } from '../../grafana/protocols/handlers.ts';
import { sendPage } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import { sentence } from '../wording.ts';

/** What a person sees at the path of the data source: what it is for, and how it is entered in Grafana. */

/** What the health check of Grafana says now. */
function healthHtml(backend: Backend): Html {
  try {
    const { vendor_licenses: count } = health(backend);
    return html`<p>The health check succeeds: <span class="good">ok</span>, with ${countText(count, 'vendor license')}.</p>`;
  } catch (error) {
    if (!(error instanceof DatasourceError)) throw error;
    return html`<div class="problem" role="alert"><p><b>The health check fails.</b> ${sentence(error.message)}</p></div>`;
  }
}

/** @param address of the daemon @param path of the data source @param root the way from there to the first page */
const dataSourceContent = (backend: Backend, address: string, path: string, root: string): Html =>
  html`<h1>Data source of Grafana</h1>
<p>Grafana reads history, users and the last poll at this path, as JSON. The <a href="${root}./">pages</a> show them to people.</p>
${healthHtml(backend)}
<h2>How it is entered in Grafana</h2>
<dl>
<dt>Data source</dt><dd>Infinity, the plugin <code>yesoreyeram-infinity-datasource</code></dd>
<dt>URL, and allowed host</dt><dd><code>${address}</code></dd>
<dt>Health check</dt><dd>a custom one, of the path <code>${path}</code></dd>
<dt>Authentication</dt><dd>basic auth with a user of the web config, if it has users</dd>
</dl>
<p><a href="${publishedPage('docs/grafana.md')}#set-up">Grafana</a> describes the set-up with the dashboards, which are in <code>grafana/json</code>.</p>`;

/** Answers a browser, which asks for HTML. @returns `undefined` for a program, which takes anything */
export function answerBrowser(
  { site, url, backend }: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  reply.header('vary', 'Accept');
  if (request.headers.accept?.includes('text/html') !== true) return undefined;
  const [opened = ''] = request.url.split('?', 1);
  const root = '../'.repeat(opened.split('/').length - 2);
  const content = dataSourceContent(backend(request), url(), opened.replace(/\/$/, ''), root);
  return sendPage(reply, pageHtml(site, { title: 'Data source of Grafana', root }, content));
}
