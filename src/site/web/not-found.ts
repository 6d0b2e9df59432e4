import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageHtml, type Site } from '../../base/html/frame.ts';
import { html } from '../../base/html/html.ts';
import { sendPage, sendText } from './page-answers.ts';

/**
 * The 404 of a path at which nothing is, for people and for programs. A page about something that the analyzer does not report answers
 * 404 itself: `notReported` in `src/site/pages/page.ts`.
 */

/** The page of a path at which nothing is. @param path of the request, which can have any depth */
const nothingPage = (site: Site, path: string): string => {
  const content = html`<h1>There is nothing at this path</h1>
<p>The address may be mistyped, or the page is gone. The pages of license-exporter are in the navigation at the top.</p>`;
  const root = '../'.repeat(path.split('/').length - 2);
  return pageHtml(site, { title: 'Nothing here', root }, content);
};

/** A browser asks for HTML, and programs take anything. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply, site: Site): FastifyReply {
  const [path = ''] = request.url.split('?', 1);
  const isForPeople = request.headers.accept?.includes('text/html') === true;
  return isForPeople
    ? sendPage(reply.code(404), nothingPage(site, path))
    : sendText(reply, 404, 'There is nothing at this path. See /.');
}
