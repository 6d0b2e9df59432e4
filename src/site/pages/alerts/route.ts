import { readFilter } from '../../../alerting/alerts/alert-filter.ts';
import { selectAlerts } from '../../../alerting/alerts/alert-selection.ts';
import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { runSliced } from '../../../base/scheduling/slices.ts';
import { sendPage } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';
import { alertsContent } from './markup.ts';

type Context = Pick<PageContext, 'site' | 'engine' | 'receivers' | 'runbooks' | 'collectedAt' | 'now'>;

/** The alerts of the filter in the URL. */
export const alertsRoutes = (context: Context, link: PageLink): Routes => ({
  '/': async ({ query }, reply) => {
    const { site, engine, receivers, runbooks, collectedAt, now } = context;
    const status = engine();
    const { filter, problems } = readFilter(query);
    const data = { status, receivers: receivers(), runbooks: runbooks(), collectedAt: collectedAt(), now: now() };
    const selection = await runSliced(selectAlerts(status, filter));
    const content = alertsContent({ ...data, filter, problems, selection });
    return sendPage(reply, pageHtml(site, { ...link, refreshes: true }, content));
  },
});
